import type { ServerResponse } from 'node:http';
import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';

/** The key that the upstream accepts. */
export const upstreamKey = 'sk-ant-api03-0123456789';

interface Batch {
  readonly id: string;
  readonly requests: readonly { readonly custom_id: string; readonly params: Record<string, unknown> }[];
  cancelled: boolean;
  ended: boolean;
}

interface File {
  readonly id: string;
  readonly content: string;
  readonly filename: string;
  readonly downloadable: boolean;
}

export interface BatchUpstream extends ScriptedUpstream {
  readonly batches: Batch[];
  readonly files: File[];
  /** Ends every request of every batch with the result that its model defines. */
  finish(): void;
}

/** Supported versions; the library uses the newer one. */
const versions: ReadonlySet<string> = new Set(['2023-06-01', '2026-10-21']);

const created = '2026-01-01T00:05:23.250396+00:00';

/** Message batches and files like in the API, with its errors. */
export async function startBatchUpstream(): Promise<BatchUpstream> {
  const batches: Batch[] = [];
  const files: File[] = [
    {
      id: 'file_made',
      content: `${JSON.stringify(lineOf('from-file'))}\n${JSON.stringify(lineOf('from-file-2'))}\n`,
      filename: 'made.jsonl',
      downloadable: true,
    },
    {
      id: 'file_bad',
      content: `${JSON.stringify(lineOf('fine'))}\n{"custom_id": "not fine"}\n`,
      filename: 'bad.jsonl',
      downloadable: true,
    },
  ];
  const upstream = await startUpstream((response, request) => route(response, request, { batches, files }));
  return Object.assign(upstream, {
    batches,
    files,
    finish: () => {
      for (const batch of batches) batch.ended = true;
    },
  });
}

const lineOf = (custom_id: string) => ({
  custom_id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'claude-m', messages: [{ role: 'user', content: 'Hi' }] },
});

interface State {
  readonly batches: Batch[];
  readonly files: File[];
}

const refuse = (response: ServerResponse, status: number, type: string, message: string, details?: object): void =>
  json(response, status, { type: 'error', error: { type, message, ...(details === undefined ? {} : { details }) }, request_id: 'req_up' });

const badRequest = (response: ServerResponse, message: string, details?: object): void =>
  refuse(response, 400, 'invalid_request_error', message, details);
const missing = (response: ServerResponse, what: string): void => refuse(response, 404, 'not_found_error', `${what} not found.`);

function route(response: ServerResponse, request: SeenRequest, state: State): void {
  const url = new URL(request.url, 'http://up');
  if (request.headers['x-api-key'] !== upstreamKey) return refuse(response, 401, 'authentication_error', 'invalid x-api-key');
  if (request.headers['authorization'] !== undefined) return refuse(response, 401, 'authentication_error', 'two credentials');
  if (!versions.has(String(request.headers['anthropic-version']))) return badRequest(response, 'anthropic-version: header is required');
  const [, , area, ...rest] = url.pathname.split('/');
  if (area === 'messages' && rest[0] === 'batches') return batchRoutes(response, request, { state, url, id: rest[1], verb: rest[2] });
  if (area === 'files') return fileRoutes(response, request, { state, url, id: rest[0], verb: rest[1] });
  return missing(response, 'Route');
}

interface RouteContext {
  readonly state: State;
  readonly url: URL;
  readonly id: string | undefined;
  readonly verb: string | undefined;
}

function batchRoutes(response: ServerResponse, request: SeenRequest, { state, url, id, verb }: RouteContext): void {
  if (id === undefined)
    return request.method === 'POST' ? create(response, request, state) : list(response, url, state.batches.toReversed(), shownBatch);
  const batch = state.batches.find((each) => each.id === id);
  if (batch === undefined) return missing(response, 'Message batch');
  if (request.method === 'POST' && verb === 'cancel') {
    if (batch.ended) return badRequest(response, 'Batch has ended');
    batch.cancelled = true;
    return json(response, 200, shownBatch(batch));
  }
  if (request.method === 'DELETE') return json(response, 200, { id, type: 'message_batch_deleted' });
  if (verb !== 'results') return json(response, 200, shownBatch(batch));
  if (!batch.ended) return refuse(response, 404, 'not_found_error', 'Results are not available yet.');
  response.writeHead(200, { 'content-type': 'application/x-jsonl' });
  // Split in the middle of lines and characters.
  const text = Buffer.from(
    batch.requests.map((one) => `${JSON.stringify({ custom_id: one.custom_id, result: resultOf(one, batch) })}\n`).join(''),
  );
  for (let at = 0; at < text.length; at += 97) response.write(text.subarray(at, at + 97));
  response.end();
}

const requestFields: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stop_sequences',
  'temperature',
  'tools',
  'metadata',
]);

function create(response: ServerResponse, request: SeenRequest, { batches }: State): void {
  const { requests, ...more } = JSON.parse(request.body.toString()) as { requests?: Batch['requests'] };
  const [extra] = Object.keys(more);
  if (extra !== undefined) return badRequest(response, `${extra}: Extra inputs are not permitted`);
  if (!Array.isArray(requests) || requests.length === 0) return badRequest(response, 'requests: Field required');
  const ids = new Set<string>();
  for (const [index, { custom_id: id, params }] of (requests as Batch['requests']).entries()) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id) || ids.has(id)) return badRequest(response, `requests.${index}.custom_id: bad or not unique`);
    ids.add(id);
    const unknown = Object.keys(params).find((key) => !requestFields.has(key));
    if (unknown !== undefined) return badRequest(response, `requests.${index}.params.${unknown}: Extra inputs are not permitted`);
    if (typeof params['max_tokens'] !== 'number') return badRequest(response, `requests.${index}.params.max_tokens: Field required`);
    if (String(params['model']).startsWith('@')) return badRequest(response, `requests.${index}.params.model: unknown`);
  }
  const batch = { id: `msgbatch_${batches.length + 1}`, requests: requests as Batch['requests'], cancelled: false, ended: false };
  batches.push(batch);
  json(response, 200, shownBatch(batch));
}

/** The result of a request, by its model. */
function resultOf({ params }: Batch['requests'][number], { cancelled }: Batch): object {
  if (cancelled) return { type: 'canceled' };
  if (params['model'] === 'claude-expired') return { type: 'expired' };
  if (params['model'] === 'claude-bad') {
    return {
      type: 'errored',
      error: { type: 'error', error: { type: 'invalid_request_error', message: 'Nein.' }, request_id: 'req_line' },
    };
  }
  return {
    type: 'succeeded',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: params['model'],
      content: [{ type: 'text', text: 'Ja 🧊' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 2 },
    },
  };
}

function shownBatch(batch: Batch): { readonly id: string } & Record<string, unknown> {
  const { id, requests, cancelled, ended } = batch;
  const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  for (const one of requests) counts[ended ? (resultOf(one, batch) as { type: keyof typeof counts }).type : 'processing'] += 1;
  return {
    id,
    type: 'message_batch',
    processing_status: ended ? 'ended' : cancelled ? 'canceling' : 'in_progress',
    request_counts: counts,
    created_at: created,
    expires_at: '2026-01-02T00:05:23.250396+00:00',
    ended_at: ended ? '2026-01-01T01:00:00+00:00' : null,
    cancel_initiated_at: cancelled ? '2026-01-01T00:10:00+00:00' : null,
    archived_at: null,
    results_url: ended ? `https://api.anthropic.com/v1/messages/batches/${id}/results` : null,
  };
}

/** Newest first. A request may use one of the two cursors, not both. */
function list<Row extends { readonly id: string }>(
  response: ServerResponse,
  { searchParams }: URL,
  rows: readonly Row[],
  show: (row: Row) => object,
): void {
  const [after, before] = [searchParams.get('after_id'), searchParams.get('before_id')];
  const limit = Number(searchParams.get('limit') ?? 20);
  const unknown = [...searchParams.keys()].find((key) => !['after_id', 'before_id', 'limit', 'beta'].includes(key));
  if (unknown !== undefined) return badRequest(response, `${unknown}: Extra inputs are not permitted`);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) return badRequest(response, 'limit: must be between 1 and 1000');
  if (after !== null && before !== null) return badRequest(response, 'after_id and before_id');
  const at = rows.findIndex(({ id }) => id === (after ?? before));
  if ((after ?? before) !== null && at < 0) return missing(response, 'Cursor');
  const part = after === null ? (before === null ? rows : rows.slice(Math.max(0, at - limit), at)) : rows.slice(at + 1);
  const page = part.slice(0, limit);
  json(response, 200, {
    data: page.map(show),
    has_more: part.length > limit,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  });
}

function fileRoutes(response: ServerResponse, request: SeenRequest, { state, url, id, verb }: RouteContext): void {
  const isBeta = String(request.headers['anthropic-beta'] ?? '').includes('files-api-2025-04-14');
  if (request.method === 'POST') return upload(response, request, state);
  if (id === undefined) {
    if (isBeta) return list(response, url, state.files.toReversed(), shownFile);
    return json(response, 200, { data: state.files.toReversed().map(shownFile), next_page: null });
  }
  const file = state.files.find((each) => each.id === id);
  if (file === undefined) return missing(response, 'File');
  if (request.method === 'DELETE') return json(response, 200, { id, type: 'file_deleted' });
  if (verb !== 'content') return json(response, 200, shownFile(file));
  if (!file.downloadable) return badRequest(response, `File ${id} is not downloadable.`, { error_code: 'file_not_downloadable' });
  response.writeHead(200, { 'content-type': 'application/jsonl' }).end(file.content);
}

function upload(response: ServerResponse, request: SeenRequest, { files }: State): void {
  const boundary = /boundary=("?)([^";]+)\1/.exec(request.headers['content-type'] ?? '')?.[2];
  if (boundary === undefined) return badRequest(response, 'a multipart form is required');
  const parts = request.body.toString().split(`--${boundary}`).slice(1, -1);
  const names = parts.map((part) => /name="([^"]*)"/.exec(part)?.[1]);
  const extra = names.find((name) => name !== 'file');
  if (extra !== undefined) return badRequest(response, `${extra}: Extra inputs are not permitted`);
  const [part] = parts;
  if (part === undefined) return badRequest(response, 'file: Field required');
  const content = part.slice(part.indexOf('\r\n\r\n') + 4, -2);
  const file = { id: `file_${files.length + 1}`, content, filename: /filename="([^"]*)"/.exec(part)?.[1] ?? '', downloadable: false };
  files.push(file);
  json(response, 200, shownFile(file));
}

const shownFile = ({ id, content, filename, downloadable }: File) => ({
  type: 'file',
  id,
  size_bytes: Buffer.byteLength(content),
  created_at: created,
  filename,
  mime_type: 'application/jsonl',
  downloadable,
});
