import { setImmediate as nextTurn } from 'node:timers/promises';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Streams of the responses API that end with an error. Programs select events by type; some read no event without a number. */

const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', error: null, output: [] };
const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const part = { type: 'output_text', text: '', annotations: [] };
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const events = [
  { type: 'response.created', response },
  { type: 'response.in_progress', response },
  { type: 'response.output_item.added', output_index: 0, item },
  { type: 'response.content_part.added', ...at, part },
  { type: 'response.output_text.delta', ...at, delta: 'He', logprobs: [] },
  { type: 'response.output_text.delta', ...at, delta: 'llo', logprobs: [] },
].map((event, sequence_number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`);

const nested = { message: 'No more.', type: 'server_error', code: 'server_error', param: null };

/** The end of a stream after the events above, with the message that the client gets; undefined: the end reaches it unchanged. */
const ends: readonly (readonly [name: string, end: string, message: string | undefined])[] = [
  ['no end', '', 'Provider "o" closed the stream before its end.'],
  ['the error object of the chat format', `data: ${JSON.stringify({ error: nested })}\n\n`, 'No more.'],
  ['such an object as a named event', `event: error\ndata: ${JSON.stringify({ error: nested })}\n\n`, 'No more.'],
  ['an error event with its other name', `data: ${JSON.stringify({ type: 'response.error', error: nested })}\n\n`, 'No more.'],
  ['a flat error object', `data: ${JSON.stringify({ ...nested, object: 'error' })}\n\n`, 'No more.'],
  ["another service's error", 'data: {"error":{"code":503,"message":"No more.","status":"UNAVAILABLE"}}\n\n', 'No more.'],
  ['an error event', `event: error\ndata: ${JSON.stringify({ ...nested, type: 'error', sequence_number: 6 })}\n\n`, undefined],
  ['an error event with an object', `data: ${JSON.stringify({ type: 'error', sequence_number: 6, error: nested })}\n\n`, undefined],
];

/** The rest of a stored stream that a client reads with `starting_after`. */
const failed = { ...response, status: 'failed', error: { code: 'server_error', message: 'No.' } };
const stored = `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', sequence_number: 6, response: failed })}\n\n`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let end = '';
let size = Infinity;

beforeAll(async () => {
  upstream = await startUpstream(async (reply, { method }) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    if (method === 'GET') return void reply.end(stored);
    const text = events.join('') + end;
    for (let from = 0; from < text.length; from += size) {
      reply.write(text.slice(from, from + size));
      await nextTurn();
    }
    reply.end();
  });
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      providers: { o: { type: 'openai', api_key: 'sk-key-of-provider-o-0123', custom_host: `${upstream.url}/v1` } },
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

describe.each([Infinity, 7])('a stream in pieces of %s bytes', (pieceSize) => {
  it.each(ends)('that ends with %s', async (_name, ending, message) => {
    [end, size] = [ending, pieceSize];
    const reply = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@o/m', input: 'Hi', stream: true }),
    });
    const text = await reply.text();
    expect(text.slice(0, events.join('').length)).toBe(events.join(''));
    const last = text.slice(events.join('').length);
    if (message === undefined) expect(last).toBe(ending);
    else
      expect(JSON.parse(last.slice('event: error\ndata: '.length))).toMatchObject({
        type: 'error',
        sequence_number: events.length,
        message,
      });
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'unused', maxRetries: 0 });
    const stream = client.responses.stream({ model: '@o/m', input: 'Hi' });
    await expect(stream.finalResponse()).rejects.toThrow(message ?? nested.message);
  });
});

it('the event of a response that failed reaches the client, and the record contains the error', async () => {
  [end, size] = [stored, Infinity];
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'unused', maxRetries: 0 });
  const { data, response: reply } = await client.responses.create({ model: '@o/m', input: 'Hi', stream: true }).withResponse();
  const types = [];
  for await (const event of data) types.push(event.type);
  expect(types.at(-1)).toBe('response.failed');
  const record = await gateway.record(reply.headers.get('x-request-id'));
  expect(record).toMatchObject({ end: 'fault', error: { source: 'provider', message: 'No.' }, finish: ['failed'] });
});

it('the stream of a stored response that failed reaches the client', async () => {
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'unused',
    maxRetries: 0,
    defaultHeaders: { 'x-gateway-provider': '@o' },
  });
  const events = [];
  for await (const event of await client.responses.retrieve('resp_1', { stream: true, starting_after: 5 })) events.push(event);
  expect(events).toMatchObject([{ type: 'response.failed', response: { error: failed.error } }]);
});
