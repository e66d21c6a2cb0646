import { parseJson } from '#core/json/scan.ts';
import type { Call } from '#core/provider.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import { deletedFile, unixSeconds } from '#formats/openai-objects/objects.ts';

/** Converts one object of Azure OpenAI. Members that are not named pass unchanged. */
type Change = (row: Plain) => Plain;

/**
 * Converts a file, batch or job of Azure OpenAI, or a list of them, to the OpenAI format: enum values in lower case, times in Unix
 * seconds, cursors in every list.
 *
 * @throws SyntaxError for invalid JSON
 */
export function objectOf(text: string, call: Pick<Call, 'endpoint' | 'params'>): unknown {
  // 204 confirms the deletion of a file without naming it.
  if (text === '' && call.endpoint === 'files/{id}/delete') return deletedFile(call.params['id'] ?? '');
  const answer: unknown = parseJson(text);
  const change = changeOf(call.endpoint);
  if (!isPlain(answer)) return answer;
  return lists.test(call.endpoint) ? list(answer, Array.isArray(answer['data']) ? answer['data'] : [], change) : change(answer);
}

/** Endpoints that return pages. */
const lists = /\/(?:list|events|checkpoints)$/;

function changeOf(endpoint: string): Change {
  if (endpoint.startsWith('batches')) return batch;
  if (endpoint.endsWith('/events')) return event;
  if (endpoint.endsWith('/checkpoints')) return times;
  return endpoint.startsWith('fine_tuning') ? job : times;
}

function list(answer: Plain, rows: readonly unknown[], change: Change): Plain {
  const data = rows.map((row) => (isPlain(row) ? change(row) : row));
  const idAt = (at: number): unknown => {
    const row = data.at(at);
    return isPlain(row) ? (row['id'] ?? null) : null;
  };
  return {
    ...answer,
    object: 'list',
    data,
    first_id: answer['first_id'] ?? idAt(0),
    last_id: answer['last_id'] ?? idAt(-1),
    has_more: answer['has_more'] ?? false,
  };
}

/** Members whose value '' means null. */
const unnamed: ReadonlySet<string> = new Set(['output_file_id', 'error_file_id', 'fine_tuned_model', 'validation_file']);

/** Converts the times of an object, and its status: examples of the service have `Validating` and ISO dates. */
function times(row: Plain): Plain {
  const out: Record<string, unknown> = { ...row };
  for (const [key, value] of Object.entries(row)) {
    if (typeof value === 'string' && (key.endsWith('_at') || key === 'estimated_finish')) {
      out[key] = value === '' ? null : (unixSeconds(value) ?? value);
    } else if (value === '' && unnamed.has(key)) out[key] = null;
  }
  if (typeof row['status'] === 'string') out['status'] = row['status'].toLowerCase();
  return out;
}

const noCounts = Object.freeze({ total: 0, completed: 0, failed: 0 });

function batch(row: Plain): Plain {
  const out: Record<string, unknown> = { ...times(row), request_counts: countsOf(row['request_counts']) };
  const { endpoint, errors } = row;
  // The client sent the endpoint with the version, so the version is added again.
  if (typeof endpoint === 'string' && !endpoint.startsWith('/v1/')) out['endpoint'] = `/v1/${endpoint.replace(/^\/+/, '')}`;
  if (isPlain(errors) && Array.isArray(errors['data'])) out['errors'] = { ...errors, data: (errors['data'] as unknown[]).map(batchError) };
  return out;
}

/** The counts are null until a batch has started. */
function countsOf(counts: unknown): Plain {
  const out: Record<string, unknown> = { ...noCounts, ...(isPlain(counts) ? counts : {}) };
  for (const [key, value] of Object.entries(out)) if (typeof value === 'string' && /^\d+$/.test(value)) out[key] = Number(value);
  return out;
}

function batchError(error: unknown): unknown {
  if (!isPlain(error) || typeof error['line'] !== 'string') return error;
  return { ...error, line: /^\d+$/.test(error['line']) ? Number(error['line']) : null };
}

/** Status values of Azure OpenAI for a waiting job. */
const waiting: ReadonlySet<unknown> = new Set(['created', 'pending', 'notrunning']);

function job(row: Plain): Plain {
  const { organisation_id: organisation, ...rest } = times(row);
  const status = waiting.has(rest['status']) ? 'queued' : rest['status'];
  return {
    ...rest,
    ...(status === undefined ? {} : { status }),
    ...(rest['result_files'] === null ? { result_files: [] } : {}),
    ...(organisation === undefined ? {} : { organization_id: rest['organization_id'] ?? organisation }),
  };
}

function event(row: Plain): Plain {
  const out = times(row);
  const level = typeof out['level'] === 'string' ? out['level'].toLowerCase() : undefined;
  return level === undefined ? out : { ...out, level: level === 'warning' ? 'warn' : level };
}
