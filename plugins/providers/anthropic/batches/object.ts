import { GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { objectOf, parseObject, textOf } from '#formats/shared/json.ts';
import { type Batch, batchOf, type BatchStatus, listOf, unixSeconds } from '#formats/openai-objects/objects.ts';
import { parseBatchId, type BatchEndpoint, clientId, outputFileId } from './ids.ts';

/** Data of a batch that is in the create request but not in the response. */
export interface BatchRequest {
  readonly endpoint: BatchEndpoint;
  readonly inputFileId: string | null;
}

/**
 * Converts a message batch to a batch of the OpenAI format.
 *
 * @param requested the client's values, only right after creation
 * @throws GatewayError `upstream_invalid`
 */
export function toBatch(value: unknown, requested?: BatchRequest): Batch {
  if (!isJsonObject(value) || textOf(value['id']) === undefined) {
    throw new GatewayError('upstream_invalid', { message: "The provider's response is not a message batch.", source: 'provider' });
  }
  const name = { ...parseBatchId(String(value['id'])), ...(requested === undefined ? {} : { endpoint: requested.endpoint }) };
  const counts = countsOf(value['request_counts']);
  const status = statusOf(value, counts);
  const createdAt = unixSeconds(value['created_at']) ?? 0;
  const endedAt = unixSeconds(value['ended_at']);
  return batchOf({
    id: clientId(name),
    status,
    endpoint: name.endpoint,
    input_file_id: requested?.inputFileId ?? null,
    output_file_id: textOf(value['results_url']) === undefined ? null : outputFileId(name),
    created_at: createdAt,
    in_progress_at: createdAt,
    expires_at: unixSeconds(value['expires_at']),
    cancelling_at: unixSeconds(value['cancel_initiated_at']),
    completed_at: status === 'completed' ? endedAt : null,
    cancelled_at: status === 'cancelled' ? endedAt : null,
    expired_at: status === 'expired' ? endedAt : null,
    request_counts: { total: counts.total, completed: counts.succeeded, failed: counts.errored },
  });
}

/** Converts a page of message batches. Both lists are newest first, and both cursors mean "older than this one". */
export function toBatches(text: string): JsonObject {
  const page = parseObject(text);
  if (!Array.isArray(page?.['data'])) {
    throw new GatewayError('upstream_invalid', { message: "The provider's response is not a list of batches.", source: 'provider' });
  }
  const batches = (page['data'] as unknown[]).map((one) => toBatch(one));
  return listOf(batches, page['has_more'] === true);
}

/** Returns a row of such a page as a batch of the messages API, because it may have been created as one. */
export function asMessagesBatch(batch: JsonObject): JsonObject {
  const name = { id: String(batch['id']), endpoint: '/v1/messages' } as const;
  return { ...batch, id: clientId(name), endpoint: name.endpoint, output_file_id: batch['output_file_id'] && outputFileId(name) };
}

interface Counts {
  readonly total: number;
  readonly succeeded: number;
  readonly errored: number;
  readonly canceled: number;
  readonly expired: number;
}

function countsOf(value: unknown): Counts {
  const counts = objectOf(value);
  const count = (key: string): number => (typeof counts[key] === 'number' ? counts[key] : 0);
  const [succeeded, errored, canceled, expired] = [count('succeeded'), count('errored'), count('canceled'), count('expired')];
  return { succeeded, errored, canceled, expired, total: count('processing') + succeeded + errored + canceled + expired };
}

/**
 * The service has a single final status. A batch that was cancelled too late has processed all its requests, so it is completed. A
 * batch whose requests all failed is completed too, and its output has the errors.
 */
function statusOf(batch: JsonObject, { total, canceled, expired }: Counts): BatchStatus {
  if (batch['processing_status'] === 'in_progress') return 'in_progress';
  if (batch['processing_status'] === 'canceling') return 'cancelling';
  if (canceled > 0 || (total === 0 && textOf(batch['cancel_initiated_at']) !== undefined)) return 'cancelled';
  return expired > 0 ? 'expired' : 'completed';
}
