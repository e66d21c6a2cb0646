import type { Endpoint } from '#core/endpoint.ts';
import type { Operation, Translation, UpstreamRequest } from '#core/provider.ts';
import { idSegment, paramOf } from '../../_shared/address.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { ObjectTap, orNothing } from '#formats/openai-objects/object-tap.ts';
import { batchOf } from '#formats/openai-objects/objects.ts';
import { type ACall, otherParams, send } from '../send.ts';
import type { AnthropicSettings } from '../settings.ts';
import { createBatch } from './create.ts';
import { batchNamed } from './ids.ts';
import { ofMessages, toBatch, toBatches } from './object.ts';
import { nameIn, readBatch, readOutput } from './output.ts';

type Op = Operation<AnthropicSettings>;

/** The batch routes, on top of message batches. */
export const batchOperations: { readonly [E in Endpoint]?: Op } = {
  batches: createBatch,
  'batches/list': {
    isConverted: true,
    begin: (_body, call) => ({ request: list(call), tap: new ObjectTap(), result: toBatches }),
    views: (row) => [ofMessages(row)],
  },
  'batches/{id}': { isConverted: true, begin: (_body, call) => one(call) },
  'batches/{id}/cancel': {
    isConverted: true,
    begin: (_body, call) => ({
      ...one(call),
      request: send(call, {
        route: `messages/batches/${idSegment(nameIn(call).id)}/cancel`,
        method: 'POST',
        query: '',
        accept: 'application/json',
      }),
      tap: orNothing(new ObjectTap()),
      // The service returns the batch. If it returns no id, the batch is read.
      then: ({ text }) =>
        textOf(parseObject(text)?.['id']) === undefined
          ? { ...one(call), recover: () => batchOf({ id: call.params['id'] ?? '', status: 'cancelling', created_at: 0 }) }
          : undefined,
    }),
  },
  'batches/{id}/output': { isConverted: true, begin: (_body, call) => readOutput(call) },
};

/** Returns a batch in the format that the client's id encodes. */
const one = (call: ACall): Translation => ({
  request: readBatch(call),
  tap: new ObjectTap(),
  result: (text) => toBatch(parseObject(text), { endpoint: nameIn(call).endpoint, inputFileId: null }),
});

/**
 * `after` means the same as `after_id`: the following rows of a list that is newest first. The service's `before_id` has the
 * opposite direction and no counterpart.
 */
function list(call: ACall): UpstreamRequest {
  const query = new URLSearchParams();
  const limit = paramOf(call.query, 'limit');
  const after = paramOf(call.query, 'after');
  if (limit !== undefined) query.set('limit', limit);
  if (after !== undefined) query.set('after_id', batchNamed(after).id);
  return send(call, { route: 'messages/batches', query: query.toString(), dropped: otherParams(call.query, ['limit', 'after']) });
}
