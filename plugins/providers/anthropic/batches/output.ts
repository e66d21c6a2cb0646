import type { JsonObject } from '#core/json/merge.ts';
import type { Translation, UpstreamRequest } from '#core/provider.ts';
import { encodeIdSegment, encodeSegment } from '../../_shared/address.ts';
import { noBatchOutput } from '#formats/openai-objects/batch-output.ts';
import { BytesTap, ObjectTap } from '#formats/openai-objects/object-tap.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { type AnthropicCall, send } from '../send.ts';
import { type ParsedBatchId, parseBatchId, clientId } from './ids.ts';
import { toBatch } from './object.ts';
import { resultLines } from './results.ts';

/**
 * Reading the output of a batch takes two requests: first the batch, to check that it has ended, then its results. Both routes
 * share them.
 */

/** Returns the batch in the path. */
export const batchIdIn = (call: AnthropicCall): ParsedBatchId => parseBatchId(call.params['id'] ?? '');

/** The first request: the batch itself. */
export const readBatch = (call: AnthropicCall): UpstreamRequest =>
  send(call, { route: `messages/batches/${encodeIdSegment(batchIdIn(call).id)}`, method: 'GET', query: '', accept: 'application/json' });

/** Reads the batch, then its results as output lines. */
export const readOutput = (call: AnthropicCall): Translation => ({
  request: readBatch(call),
  tap: new ObjectTap(),
  then: ({ text }) => readResults(parseObject(text) ?? {}, call),
});

/**
 * Reads the results, which the service has once every request of the batch has ended. The service's own URL of the results is not
 * used: a credential is sent only to the host that the operator set. The responses get the batch's end time, so that repeated
 * reads are equal.
 *
 * @throws GatewayError `no_batch_output`: 409 while there are none, 404 if the service no longer stores them
 */
function readResults(batch: JsonObject, call: AnthropicCall): Translation {
  const name = batchIdIn(call);
  if (textOf(batch['results_url']) === undefined) throw noBatchOutput(clientId(name), toBatch(batch).status);
  const { id, model, strict } = call;
  const createdAt = unixSeconds(batch['ended_at']) ?? call.createdAt;
  return {
    request: send(call, {
      route: `messages/batches/${encodeSegment(name.id)}/results`,
      method: 'GET',
      query: '',
      accept: 'application/x-jsonl',
    }),
    tap: new BytesTap(),
    lines: resultLines({ endpoint: name.endpoint, call: { id, createdAt, model, strict } }),
  };
}
