import type { LineEdit } from '#core/http/form.ts';
import type { StepReply, UpstreamRequest } from '#core/provider.ts';
import { idSegment, segment } from '../../_shared/address.ts';
import { noBatchOutput } from '#formats/openai-objects/batch-output.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { type ACall, send } from '../send.ts';
import { type BatchName, batchNamed, clientId } from './ids.ts';
import { toBatch } from './object.ts';
import { resultLines } from './results.ts';

/** The answers of a batch take two requests: is it over, and then its results. Both routes that serve them share these. */

const nameIn = (call: ACall): BatchName => batchNamed(call.params['id'] ?? '');

/** The first request: the batch itself. */
export const readBatch = (call: ACall): UpstreamRequest =>
  send(call, { route: `messages/batches/${idSegment(nameIn(call).id)}`, method: 'GET', query: '', accept: 'application/json' });

/**
 * The second request: the results, which the service has once every request of the batch is over. Its own address of
 * them is not used: a credential goes nowhere but to the host that the operator named.
 *
 * @throws GatewayError `no_batch_output`: 409 while there are none, 404 when the service no longer keeps them
 */
export function readResults(replies: readonly StepReply[], call: ACall): UpstreamRequest | undefined {
  const [batch, results] = replies;
  if (batch === undefined || results !== undefined) return undefined;
  const name = nameIn(call);
  const object = parseObject(batch.text) ?? {};
  if (textOf(object['results_url']) === undefined) throw noBatchOutput(clientId(name), toBatch(object).status);
  return send(call, { route: `messages/batches/${segment(name.id)}/results`, method: 'GET', query: '', accept: 'application/x-jsonl' });
}

/** The results as output lines; the time of the answers is the batch's own end, so that reading twice gives the same. */
export function outputLines(call: ACall, earlier: readonly StepReply[]): LineEdit {
  const batch = parseObject(earlier[0]?.text ?? '') ?? {};
  const createdAt = unixSeconds(batch['ended_at']) ?? call.createdAt;
  return resultLines({ endpoint: nameIn(call).endpoint, call: { id: call.id, createdAt, model: call.model, strict: call.strict } });
}
