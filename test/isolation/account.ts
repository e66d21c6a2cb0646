import type { ServerResponse } from 'node:http';
import { json, type ScriptedUpstream, type SeenRequest, sse, startUpstream } from '../support/upstream.ts';

type Row = Record<string, unknown> & { readonly id: string };

/** Stored objects of one account of a service in the OpenAI format: each request with the credential may use all of them. */
export interface Account {
  readonly upstream: ScriptedUpstream;
  /** By collection: `files`, `batches`, `jobs`, `responses`. */
  readonly rows: Readonly<Record<string, Row[]>>;
  close(): Promise<void>;
}

export async function startAccount(): Promise<Account> {
  const rows: Record<string, Row[]> = { files: [], batches: [], jobs: [], responses: [] };
  let createdCount = 0;
  const add = (kind: string, row: Row): Row => {
    rows[kind]?.unshift(row);
    return row;
  };
  const make: Record<string, (body: Record<string, unknown>) => Row> = {
    files: () =>
      add('files', { id: `file-${(createdCount += 1)}abcdef`, object: 'file', bytes: 1, created_at: 1, filename: 'a', purpose: 'batch' }),
    batches: () => {
      const output = add('files', { id: `file-${(createdCount += 1)}output`, object: 'file' });
      return add('batches', { id: `batch_${createdCount}abcdef`, object: 'batch', status: 'completed', output_file_id: output.id });
    },
    jobs: () =>
      add('jobs', { id: `ftjob-${(createdCount += 1)}abcdef`, object: 'fine_tuning.job', result_files: [`file-${createdCount}result`] }),
    responses: () => {
      const id = `resp_${(createdCount += 1)}abcdef`;
      const item = { type: 'message', id: `msg_${createdCount}abcdef`, role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };
      return add('responses', { id, object: 'response', created_at: 1, status: 'completed', model: 'm', output: [item] });
    },
  };
  const upstream = await startUpstream((response, received) => respond(response, received, rows, make));
  return { upstream, rows, close: () => upstream.close() };
}

function respond(
  response: ServerResponse,
  { method, url, body }: SeenRequest,
  rows: Record<string, Row[]>,
  make: Record<string, (body: Record<string, unknown>) => Row>,
): void {
  const { pathname, searchParams } = new URL(url, 'http://x');
  const [, , first = '', second, third] = pathname.split('/');
  const kind = first === 'fine_tuning' ? 'jobs' : first;
  const id = first === 'fine_tuning' ? third : second;
  const collection = rows[kind];
  if (collection === undefined || make[kind] === undefined) {
    json(response, 200, { id: 'x', object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'x' } }] });
  } else if (id === undefined && method === 'POST') {
    const text = body.toString('utf8');
    const row = make[kind]({});
    if (kind === 'responses' && text.includes('"stream":true')) stream(response, row);
    else json(response, 200, row);
  } else if (id === undefined) {
    json(response, 200, pageOf(collection, searchParams));
  } else if (id === 'input_tokens' || id === 'compact') {
    json(response, 200, { id: 'x', object: 'response.compaction', input_tokens: 1, output: [] });
  } else one(response, collection, decodeURIComponent(id), pathname);
}

function one(response: ServerResponse, collection: Row[], id: string, pathname: string): void {
  const found = collection.find((row) => row.id === id);
  if (found === undefined) json(response, 404, { error: { message: `No such object: ${id}`, type: 'invalid_request_error' } });
  else if (/events|checkpoints|input_items/.test(pathname)) json(response, 200, { object: 'list', data: [], has_more: false });
  else if (pathname.endsWith('/content')) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('the bytes');
  else json(response, 200, found);
}

function pageOf(collection: Row[], query: URLSearchParams): object {
  const after = query.get('after');
  const from = after === null ? 0 : collection.findIndex((row) => row.id === after) + 1;
  const data = collection.slice(from, from + Number(query.get('limit') ?? 3));
  return { object: 'list', data, first_id: data[0]?.id, last_id: data.at(-1)?.id, has_more: from + data.length < collection.length };
}

function stream(response: ServerResponse, row: Row): void {
  const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const [item] = row['output'] as object[];
  sse(response, [
    event('response.created', { sequence_number: 0, response: { ...row, status: 'in_progress', output: [] } }),
    event('response.output_item.added', { sequence_number: 1, output_index: 0, item }),
    event('response.output_text.delta', { sequence_number: 2, delta: 'hi' }),
    event('response.output_item.done', { sequence_number: 3, output_index: 0, item }),
    event('response.completed', { sequence_number: 4, response: row }),
  ]);
}
