import type { ServerResponse } from 'node:http';
import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';

/** A provider that serves every route with the smallest response that a library accepts. */

const created_at = 1_767_312_000;
const page = (row: object): object => ({ object: 'list', data: [row], has_more: false, first_id: 'one', last_id: 'one' });
const file = { id: 'file-1', object: 'file', bytes: 3, created_at, filename: 'a.jsonl', purpose: 'batch', status: 'processed' };
const batch = {
  id: 'batch_1',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  errors: null,
  input_file_id: 'file-1',
  completion_window: '24h',
  status: 'completed',
  output_file_id: 'file-out',
  error_file_id: null,
  created_at,
  request_counts: { total: 1, completed: 1, failed: 0 },
  metadata: null,
};
const job = {
  id: 'ftjob-1',
  object: 'fine_tuning.job',
  created_at,
  model: 'm',
  status: 'running',
  training_file: 'file-1',
  hyperparameters: {},
  result_files: [],
  organization_id: 'org',
  seed: 1,
};
const checkpoint = {
  id: 'ftckpt_1',
  object: 'fine_tuning.job.checkpoint',
  created_at,
  fine_tuned_model_checkpoint: 'ft:m',
  step_number: 1,
  fine_tuning_job_id: 'ftjob-1',
  metrics: { step: 1 },
};
const event = { id: 'ftevent-1', object: 'fine_tuning.job.event', created_at, level: 'info', message: 'm', type: 'message', data: null };
const chat = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: created_at,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi', refusal: null }, logprobs: null, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const text = { ...chat, object: 'text_completion', choices: [{ index: 0, text: 'hi', logprobs: null, finish_reason: 'stop' }] };
const response = {
  id: 'resp_1',
  object: 'response',
  created_at,
  model: 'm',
  status: 'completed',
  output: [],
  error: null,
  tools: [],
  tool_choice: 'auto',
  parallel_tool_calls: true,
};

/** By method and path behind the version or deployment. */
const objects: Readonly<Record<string, object>> = {
  'POST chat/completions': chat,
  'POST completions': text,
  'POST embeddings': {
    object: 'list',
    model: 'm',
    data: [{ object: 'embedding', index: 0, embedding: 'AAAAPw==' }],
    usage: { prompt_tokens: 1, total_tokens: 1 },
  },
  'POST moderations': { id: 'modr-1', model: 'm', results: [{ flagged: false, categories: {}, category_scores: {} }] },
  'POST images/generations': { created: created_at, data: [{ b64_json: 'AAAA' }] },
  'POST images/edits': { created: created_at, data: [{ b64_json: 'AAAA' }] },
  'POST images/variations': { created: created_at, data: [{ b64_json: 'AAAA' }] },
  'POST audio/transcriptions': { text: 'said' },
  'POST audio/translations': { text: 'said' },
  'POST responses': response,
  'GET responses/resp_1': response,
  'DELETE responses/resp_1': { id: 'resp_1', object: 'response', deleted: true },
  'POST files': file,
  'GET files': page(file),
  'GET files/file-1': file,
  'DELETE files/file-1': { id: 'file-1', object: 'file', deleted: true },
  'POST batches': batch,
  'GET batches': page(batch),
  'GET batches/batch_1': batch,
  'POST batches/batch_1/cancel': { ...batch, status: 'cancelling' },
  'POST fine_tuning/jobs': job,
  'GET fine_tuning/jobs': page(job),
  'GET fine_tuning/jobs/ftjob-1': job,
  'POST fine_tuning/jobs/ftjob-1/cancel': { ...job, status: 'cancelled' },
  'GET fine_tuning/jobs/ftjob-1/events': page(event),
  'GET fine_tuning/jobs/ftjob-1/checkpoints': page(checkpoint),
};

const bytes: Readonly<Record<string, readonly [type: string, body: string]>> = {
  'POST audio/speech': ['audio/mpeg', 'not really music'],
  'GET files/file-1/content': ['application/octet-stream', 'the content'],
  'GET files/file-out/content': ['application/jsonl', '{"custom_id":"r-1"}\n'],
};

/** `POST chat/completions`, whatever is in front of it. */
export const routeOf = ({ method, url }: Pick<SeenRequest, 'method' | 'url'>): string =>
  `${method} ${(url.split('?')[0] ?? '').replace(/^(?:\/openai)?\/(?:v1\/|deployments\/[^/]+\/)?/, '')}`;

function respond(reply: ServerResponse, request: SeenRequest): void {
  const route = routeOf(request);
  const raw = bytes[route];
  if (raw !== undefined) reply.writeHead(200, { 'content-type': raw[0] }).end(raw[1]);
  else if (objects[route] !== undefined) json(reply, 200, objects[route]);
  else
    json(reply, 404, {
      error: { message: `No ${request.method} ${request.url} here.`, type: 'invalid_request_error', param: null, code: null },
    });
}

export const startSurface = (): Promise<ScriptedUpstream> => startUpstream(respond);
