import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Streams that a provider closes inside their last event, without a connection error, or continues after an error. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let stream = '';

beforeAll(async () => {
  upstream = await startUpstream((response) => sse(response, [stream]));
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { egress: { allow: ['127.0.0.1'] } },
      providers: {
        openai: { type: 'openai', api_key: 'sk-test-openai-key-0000', custom_host: `${upstream.url}/v1` },
        claude: { type: 'anthropic', api_key: 'sk-test-claude-key-0000', custom_host: `${upstream.url}/v1` },
      },
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const sseEvent = (type: string, more: object = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const unnamedEvent = (type: string, more: object = {}): string => `data: ${JSON.stringify({ type, ...more })}\n\n`;
const response = { id: 'resp_1', object: 'response', model: 'm', status: 'completed', usage: { input_tokens: 1, output_tokens: 2 } };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 3, output_tokens: 1 } };
const body = { model: 'm', stream: true };

interface Case {
  readonly path: string;
  readonly provider: string;
  readonly body: object;
  readonly start: string;
  readonly end: string;
}

const cases: readonly Case[] = [
  {
    path: 'responses',
    provider: 'openai',
    body: { ...body, input: 'x' },
    start: sseEvent('response.output_text.delta', { delta: 'a' }),
    end: sseEvent('response.completed', { response }),
  },
  {
    path: 'images/generations',
    provider: 'openai',
    body: { ...body, prompt: 'x', partial_images: 1 },
    start: sseEvent('image_generation.partial_image', { b64_json: 'AAAA' }),
    end: sseEvent('image_generation.completed', { b64_json: 'BBBB' }),
  },
  {
    path: 'audio/speech',
    provider: 'openai',
    body: { model: 'm', input: 'x', voice: 'alloy', stream_format: 'sse' },
    start: unnamedEvent('speech.audio.delta', { audio: 'AAAA' }),
    end: unnamedEvent('speech.audio.done', { usage: { input_tokens: 1, output_tokens: 2 } }),
  },
  {
    path: 'messages',
    provider: 'claude',
    body: { ...body, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
    start:
      sseEvent('message_start', { message }) +
      sseEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'a' } }) +
      sseEvent('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
    end: sseEvent('message_stop'),
  },
];

async function send({ path, provider, body }: Case) {
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-provider': `@${provider}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const record = await gateway.record(response.headers.get('x-request-id') ?? response.headers.get('request-id'));
  return { text, record };
}

describe.each(cases)('POST /v1/$path with a truncated last event', (each) => {
  const { path, start, end } = each;
  const data = end.indexOf('data: ') + 'data: '.length;

  it.each([
    ['before its data', data],
    ['in its type', data + 12],
    ['before its last brace', end.length - 3],
  ])('ends with stream_interrupted if it is truncated %s', async (_, at) => {
    stream = start + end.slice(0, at);
    const { text, record } = await send(each);
    expect(text.slice(0, start.length)).toBe(start);
    const isNamed = path === 'responses' || path === 'messages';
    expect(text.slice(start.length).startsWith('event: error\ndata: {"type":"error"')).toBe(isNamed);
    expect(text.slice(start.length)).toMatch(/^(?:event: error\n)?data: \{.*Provider \\"\w+\\" closed the stream before its end.*\}\n\n$/);
    expect(record).toMatchObject({ end: 'fault', error: { code: 'stream_interrupted' } });
  });

  it.each([1, 2])('is completed if only the last %i of its line ends are missing', async (missing) => {
    stream = start + end.slice(0, -missing);
    const { text, record } = await send(each);
    expect(text).toBe(start + end);
    expect(record).toMatchObject({ end: 'whole', error: null });
  });
});

const chat: Case = {
  path: 'chat/completions',
  provider: 'openai',
  body: { ...body, messages: [{ role: 'user', content: 'x' }] },
  start: 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
  end: 'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
};
const error = { type: 'overloaded_error', message: 'Too busy.' };

describe.each<[Case, string]>([
  [chat, `data: ${JSON.stringify({ error })}\n\n`],
  ...cases
    .filter(({ path }) => path === 'responses' || path === 'messages')
    .map((each) => [each, sseEvent('error', { error })] satisfies [Case, string]),
])('a stream of POST /v1/$path with an error', (each, errorEvent) => {
  it.each([
    ['the end of a complete response', each.start + each.end],
    ['nothing', ''],
  ])('ends with the error if %s follows', async (_, rest) => {
    stream = each.start + errorEvent + rest;
    const { text, record } = await send(each);
    expect(text).toBe(each.start + errorEvent);
    expect(record).toMatchObject({ end: 'fault', error: { message: expect.stringContaining('Too busy.') } });
  });

  it('ends with the error if its line ends are missing', async () => {
    stream = each.start + errorEvent.trimEnd();
    expect((await send(each)).text).toBe(each.start + errorEvent);
  });
});
