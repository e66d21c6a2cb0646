import type { Endpoint } from '#core/endpoint.ts';
import type { OldOperation, UpstreamRequest } from '#core/provider.ts';
import { idSegment, paramOf } from '../../_shared/address.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { BytesTap, ObjectTap, orNothing } from '#formats/openai-objects/object-tap.ts';
import { batchOf } from '#formats/openai-objects/objects.ts';
import { otherParams } from '../query.ts';
import { type ACall, send } from '../send.ts';
import type { AnthropicSettings } from '../settings.ts';
import { createBatch } from './create.ts';
import { type BatchName, batchNamed } from './ids.ts';
import { toBatch, toBatches } from './object.ts';
import { outputLines, readBatch, readResults } from './output.ts';

/** The batch routes on message batches. */
export const batchOperations = (): { readonly [E in Endpoint]?: OldOperation<AnthropicSettings> } => ({
  batches: createBatch(),
  'batches/list': { request: (_body, call) => list(call), tap: () => new ObjectTap(), result: toBatches },
  'batches/{id}': { request: (_body, call) => readBatch(call), tap: () => new ObjectTap(), result: named },
  'batches/{id}/cancel': {
    request: (_body, call) =>
      send(call, { route: `messages/batches/${idSegment(nameIn(call).id)}/cancel`, method: 'POST', query: '', accept: 'application/json' }),
    // The service answers the batch; one that says nothing is asked for it.
    then: ([first, ...more], call) =>
      first === undefined || more.length > 0 || textOf(parseObject(first.text)?.['id']) !== undefined ? undefined : readBatch(call),
    recover: (_replies, call) => batchOf({ id: call.params['id'] ?? '', status: 'cancelling', created_at: 0 }),
    tap: (_call, earlier) => (earlier === undefined ? orNothing(new ObjectTap()) : new ObjectTap()),
    result: named,
  },
  'batches/{id}/output': {
    request: (_body, call) => readBatch(call),
    then: readResults,
    tap: (_call, earlier) => (earlier === undefined ? new ObjectTap() : new BytesTap()),
    lines: outputLines,
  },
});

const nameIn = (call: ACall): BatchName => batchNamed(call.params['id'] ?? '');

/** A batch in the format that the client's id of it says. */
const named = (text: string, call: ACall) => toBatch(parseObject(text), { endpoint: nameIn(call).endpoint, inputFileId: null });

/**
 * `after` means the same as `after_id`: what follows in a list whose newest row comes first. The service's `before_id`
 * goes the other way and has no counterpart.
 */
function list(call: ACall): UpstreamRequest {
  const query = new URLSearchParams();
  const limit = paramOf(call.query, 'limit');
  const after = paramOf(call.query, 'after');
  if (limit !== undefined) query.set('limit', limit);
  if (after !== undefined) query.set('after_id', batchNamed(after).id);
  return send(call, { route: 'messages/batches', query: query.toString(), dropped: otherParams(call.query, ['limit', 'after']) });
}
