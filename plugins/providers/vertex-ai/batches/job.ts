import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { objectOf, textOf } from '#formats/shared/json.ts';
import { type Batch, batchOf, type BatchStatus, unixSeconds } from '#formats/openai-objects/objects.ts';
import { fileIdOf, parseUri, type StoredObject } from '../files/object-id.ts';
import { jobIdOf } from '../jobs/jobs.ts';
import { endpointLabel, metadataOf } from '../jobs/labels.ts';
import { batchStatus } from '../jobs/states.ts';
import { type BatchEndpoint, endpointOfToken, outputFile } from './kind.ts';

/** The field for the end time of a job, by its status. */
const endTimeFields = {
  completed: 'completed_at',
  failed: 'failed_at',
  cancelled: 'cancelled_at',
  expired: 'expired_at',
} as const satisfies Partial<Record<BatchStatus, keyof Batch>>;

/** Converts a job to a batch: times in seconds, counts as numbers. */
export function batchFromJob(job: JsonObject): Batch & { readonly model: string | null } {
  const status = batchStatus(job['state']);
  const output = outputObject(job);
  const input = inputObject(job);
  const endedAt = unixSeconds(job['endTime']);
  const endTimeField = Object.hasOwn(endTimeFields, status) ? endTimeFields[status as keyof typeof endTimeFields] : undefined;
  const labels = job['labels'];
  return {
    ...batchOf({
      id: jobIdOf(job),
      status,
      endpoint: endpointOfJob(job),
      created_at: unixSeconds(job['createTime']) ?? 0,
      errors: errorsOf(job['error']),
      input_file_id: input === undefined ? null : fileIdOf(input),
      output_file_id: output === undefined || status === 'failed' ? null : fileIdOf(output),
      in_progress_at: unixSeconds(job['startTime']),
      cancelling_at: status === 'cancelling' ? unixSeconds(job['updateTime']) : null,
      ...(endTimeField === undefined || endedAt === null ? {} : { [endTimeField]: endedAt }),
      request_counts: countsOf(job['completionStats']),
      metadata: metadataOf(labels),
    }),
    model: modelOf(job) ?? null,
  };
}

/** Read from the job's labels. For jobs that the gateway did not create, derived from the kind of model. */
export function endpointOfJob(job: JsonObject): BatchEndpoint {
  const labels = objectOf(job['labels']);
  const labelEndpoint = endpointOfToken(textOf(labels[endpointLabel]));
  return labelEndpoint ?? (/embedding/.test(textOf(job['model']) ?? '') ? '/v1/embeddings' : '/v1/chat/completions');
}

/** Returns the model name with the publisher as prefix; Gemini has none. */
export function modelOf(job: JsonObject): string | undefined {
  const resource = textOf(job['model']);
  const match = /publishers\/([^/]+)\/models\/([^/]+)$/.exec(resource ?? '');
  if (match === null) return resource;
  const [, publisher = '', name = ''] = match;
  return publisher === 'google' ? name : `${publisher}.${name}`;
}

/** Returns the output file; undefined until the job has an output folder. */
export function outputObject(job: JsonObject): StoredObject | undefined {
  const info = objectOf(job['outputInfo']);
  const folder = textOf(info['gcsOutputDirectory']);
  return folder === undefined ? undefined : parseUri(`${folder.replace(/\/+$/, '')}/${outputFile(modelOf(job) ?? '')}`);
}

/** Returns the first input. The service defines an array, but some clients send a string. */
function inputObject(job: JsonObject): StoredObject | undefined {
  const input = objectOf(job['inputConfig']);
  const source = objectOf(input['gcsSource']);
  const uris: unknown = source['uris'];
  const first: unknown = Array.isArray(uris) ? uris[0] : uris;
  return typeof first === 'string' ? parseUri(first) : undefined;
}

function errorsOf(error: unknown): Batch['errors'] {
  if (!isJsonObject(error) || (error['message'] === undefined && error['code'] === undefined)) return null;
  const code = error['code'] === undefined ? null : String(error['code']);
  return { object: 'list', data: [{ code, message: textOf(error['message']) ?? '', param: null, line: null }] };
}

/** 64-bit numbers are strings in JSON; -1 means unknown. */
function countsOf(stats: unknown): Batch['request_counts'] {
  const countOf = (key: string): number => Math.max(0, Math.trunc(Number(isJsonObject(stats) ? (stats[key] ?? 0) : 0)) || 0);
  const completed = countOf('successfulCount');
  const failed = countOf('failedCount');
  return { total: completed + failed + countOf('incompleteCount'), completed, failed };
}
