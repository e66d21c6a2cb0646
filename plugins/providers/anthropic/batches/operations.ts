import type { Endpoint } from '#core/endpoint.ts';
import type { Operation, Translation, UpstreamRequest } from '#core/provider.ts';
import { encodeIdSegment } from '../../_shared/address.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { ObjectTap, allowEmpty } from '#formats/openai-objects/object-tap.ts';
import { batchOf, expectObject } from '#formats/openai-objects/objects.ts';
import { type AnthropicCall, listParams, send } from '../send.ts';
import type { AnthropicSettings } from '../settings.ts';
import { createBatch } from './create.ts';
import { parseBatchId } from './ids.ts';
import { asMessagesBatch, toBatch, toBatches } from './object.ts';
import { batchIdIn, readBatch, readOutput } from './output.ts';

type Op = Operation<AnthropicSettings>;

/** The batch routes, on top of message batches. */
export const batchOperations: { readonly [E in Endpoint]?: Op } = {
  batches: createBatch,
  'batches/list': {
    isConverted: true,
    begin: (_body, call) => ({ request: listRequest(call), tap: new ObjectTap(), result: toBatches }),
    views: (row) => [asMessagesBatch(row)],
  },
  'batches/{id}': { isConverted: true, begin: (_body, call) => retrieve(call) },
  'batches/{id}/cancel': {
    isConverted: true,
    begin: (_body, call) => ({
      ...retrieve(call),
      request: send(call, {
        route: `messages/batches/${encodeIdSegment(batchIdIn(call).id)}/cancel`,
        method: 'POST',
        query: '',
        accept: 'application/json',
      }),
      tap: allowEmpty(new ObjectTap()),
      // The service returns the batch. If it returns no id, the batch is read.
      then: ({ text }) =>
        textOf(parseObject(text)?.['id']) === undefined
          ? {
              ...retrieve(call),
              then: expectObject,
              recover: () => batchOf({ id: call.params['id'] ?? '', status: 'cancelling', created_at: 0 }),
            }
          : undefined,
    }),
  },
  'batches/{id}/output': { isConverted: true, begin: (_body, call) => readOutput(call) },
};

/** Returns a batch in the format that the client's id encodes. */
const retrieve = (call: AnthropicCall): Translation => ({
  request: readBatch(call),
  tap: new ObjectTap(),
  result: (text) => toBatch(parseObject(text), { endpoint: batchIdIn(call).endpoint, inputFileId: null }),
});

/**
 * `after` means the same as `after_id`: the following rows of a list that is newest first. The service's `before_id` has the
 * opposite direction and no counterpart.
 */
function listRequest(call: AnthropicCall): UpstreamRequest {
  const query = new URLSearchParams();
  const { limit, after, dropped } = listParams(call);
  if (limit !== undefined) query.set('limit', limit);
  if (after !== undefined) query.set('after_id', parseBatchId(after).id);
  return send(call, { route: 'messages/batches', query: query.toString(), dropped });
}
