import { parseJson } from '#core/json/scan.ts';
import type { Call } from '#core/provider.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { deletedFile, unixSeconds } from '#formats/openai-objects/objects.ts';
import { objectOf } from '#formats/shared/json.ts';

/** Converts one object of Azure OpenAI. Members that are not named pass unchanged. */
type ConvertObject = (row: JsonObject) => JsonObject;

/**
 * Converts a file, batch or job of Azure OpenAI, or a list of them, to the OpenAI format: enum values in lower case, times in Unix
 * seconds, cursors in every list.
 *
 * @throws SyntaxError for invalid JSON
 */
export function toOpenAiObject(text: string, call: Pick<Call, 'endpoint' | 'params'>): unknown {
  // 204 confirms the deletion of a file without naming it.
  if (text === '' && call.endpoint === 'files/{id}/delete') return deletedFile(call.params['id'] ?? '');
  const response: unknown = parseJson(text);
  const convert = converterOf(call.endpoint);
  if (!isJsonObject(response)) return response;
  return listEndpoints.test(call.endpoint)
    ? convertList(response, Array.isArray(response['data']) ? response['data'] : [], convert)
    : convert(response);
}

/** Endpoints that return pages. */
const listEndpoints = /\/(?:list|events|checkpoints)$/;

function converterOf(endpoint: string): ConvertObject {
  if (endpoint.startsWith('batches')) return convertBatch;
  if (endpoint.endsWith('/events')) return convertEvent;
  if (endpoint.endsWith('/checkpoints')) return withUnixTimes;
  return endpoint.startsWith('fine_tuning') ? convertJob : withUnixTimes;
}

function convertList(response: JsonObject, rows: readonly unknown[], convert: ConvertObject): JsonObject {
  const data = rows.map((row) => (isJsonObject(row) ? convert(row) : row));
  const idAt = (at: number): unknown => {
    const row = data.at(at);
    return isJsonObject(row) ? (row['id'] ?? null) : null;
  };
  return {
    ...response,
    object: 'list',
    data,
    first_id: response['first_id'] ?? idAt(0),
    last_id: response['last_id'] ?? idAt(-1),
    has_more: response['has_more'] ?? false,
  };
}

/** Members whose value '' means null. */
const emptyIsNull: ReadonlySet<string> = new Set(['output_file_id', 'error_file_id', 'fine_tuned_model', 'validation_file']);

/** Converts the times of an object, and its status: examples of the service have `Validating` and ISO dates. */
function withUnixTimes(row: JsonObject): JsonObject {
  const out: Record<string, unknown> = { ...row };
  for (const [key, value] of Object.entries(row)) {
    if (typeof value === 'string' && (key.endsWith('_at') || key === 'estimated_finish')) {
      out[key] = value === '' ? null : (unixSeconds(value) ?? value);
    } else if (value === '' && emptyIsNull.has(key)) out[key] = null;
  }
  if (typeof row['status'] === 'string') out['status'] = row['status'].toLowerCase();
  return out;
}

const noCounts = Object.freeze({ total: 0, completed: 0, failed: 0 });

function convertBatch(row: JsonObject): JsonObject {
  const out: Record<string, unknown> = { ...withUnixTimes(row), request_counts: countsOf(row['request_counts']) };
  const { endpoint, errors } = row;
  // The client sent the endpoint with the version, so the version is added again.
  if (typeof endpoint === 'string' && !endpoint.startsWith('/v1/')) out['endpoint'] = `/v1/${endpoint.replace(/^\/+/, '')}`;
  if (isJsonObject(errors) && Array.isArray(errors['data']))
    out['errors'] = { ...errors, data: (errors['data'] as unknown[]).map(convertBatchError) };
  return out;
}

/** The counts are null until a batch has started. */
function countsOf(counts: unknown): JsonObject {
  const out: Record<string, unknown> = { ...noCounts, ...objectOf(counts) };
  for (const [key, value] of Object.entries(out)) if (typeof value === 'string' && /^\d+$/.test(value)) out[key] = Number(value);
  return out;
}

function convertBatchError(error: unknown): unknown {
  if (!isJsonObject(error) || typeof error['line'] !== 'string') return error;
  return { ...error, line: /^\d+$/.test(error['line']) ? Number(error['line']) : null };
}

/** Status values of Azure OpenAI for a waiting job. */
const queuedStatuses: ReadonlySet<unknown> = new Set(['created', 'pending', 'notrunning']);

function convertJob(row: JsonObject): JsonObject {
  const { organisation_id: organisation, ...rest } = withUnixTimes(row);
  const status = queuedStatuses.has(rest['status']) ? 'queued' : rest['status'];
  return {
    ...rest,
    ...(status === undefined ? {} : { status }),
    ...(rest['result_files'] === null ? { result_files: [] } : {}),
    ...(organisation === undefined ? {} : { organization_id: rest['organization_id'] ?? organisation }),
  };
}

function convertEvent(row: JsonObject): JsonObject {
  const out = withUnixTimes(row);
  const level = typeof out['level'] === 'string' ? out['level'].toLowerCase() : undefined;
  return level === undefined ? out : { ...out, level: level === 'warning' ? 'warn' : level };
}
