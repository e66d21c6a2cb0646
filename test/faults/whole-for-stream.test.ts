import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const toolCalls = [
  { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
  { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
];
const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 5,
  model: 'm-1',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Größe', tool_calls: toolCalls }, logprobs: null, finish_reason: 'tool_calls' },
  ],
  usage,
};
const textCompletion = {
  id: 'cmpl-1',
  object: 'text_completion',
  created: 5,
  model: 'm-1',
  choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }],
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm-1',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'S' },
    {
      type: 'text',
      text: 'Hi',
      citations: [
        { type: 'char_location', cited_text: 'x', document_index: 0, document_title: null, start_char_index: 0, end_char_index: 1 },
      ],
    },
    { type: 'tool_use', id: 't1', name: 'f', input: { a: [1, 2] } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4 },
};
const answer = {
  id: 'resp_1',
  object: 'response',
  created_at: 5,
  status: 'completed',
  model: 'm-1',
  output: [
    { id: 'm1', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
    { id: 'f1', type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}', status: 'completed' },
  ],
  usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
};

const pictures = { created: 5, data: [{ b64_json: 'AAAA' }, { b64_json: 'BBBB' }], size: '8x8', usage: { total_tokens: 7 } };

const wholeBodies: Readonly<Record<string, unknown>> = {
  '/v1/chat/completions': completion,
  '/v1/completions': textCompletion,
  '/v1/messages': message,
  '/v1/responses': answer,
  '/v1/audio/transcriptions': { text: 'Grüße', usage: { type: 'duration', seconds: 2 } },
  '/v1/images/generations': pictures,
  '/v1/images/edits': pictures,
};

const invalidBodies: readonly [text: string, type: string, says: RegExp][] = [
  ['{"result":1}', 'application/json', /could not be converted to a stream/],
  ['{"choices":[]}', 'application/json', /could not be converted to a stream/],
  ['{"choices":[{}]}', 'application/json', /could not be converted to a stream/],
  ['{"choices":[{}]}', 'text/plain', /returned "text\/plain" although a stream was requested/],
  ['{"choices":[{"a": nope}]}', 'application/json', /^502 The response of provider "o" is not a JSON object/],
  ['{"choices":[{"a": nope}]}', 'text/plain', /returned "text\/plain" although a stream was requested/],
  ['[]', 'application/json', /is not a JSON object/],
  ['', 'application/json', /returned 200 with an empty body/],
  ['<html></html>', 'application/json', /is not complete JSON/],
  ['<html></html>', 'text/html', /returned "text\/html" although a stream was requested/],
];
/** The model whose response is one of them. */
const invalidModel = (text: string, type: string): string => `invalid ${type} ${text}`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;
const asIs = (response: Parameters<ScriptedUpstream['script']>[0], { url, body }: SeenRequest): void => {
  const invalid = invalidBodies.find(([text, type]) => body.includes(JSON.stringify(invalidModel(text, type))));
  if (invalid === undefined) json(response, 200, wholeBodies[url] ?? {});
  else response.writeHead(200, { 'content-type': invalid[1] }).end(invalid[0]);
};

beforeAll(async () => {
  upstream = await startUpstream(asIs);
  const custom_host = `${upstream.url}/v1`;
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory' },
      providers: {
        o: { type: 'openai', api_key: 'sk-key-of-provider-o-0123', custom_host },
        a: { type: 'anthropic', api_key: 'sk-ant-api03-0123456789', custom_host },
      },
      configs: {
        o: { provider: 'o', retry: { attempts: 3, on_status_codes: [500, 502] } },
        a: { provider: 'a', retry: { attempts: 3, on_status_codes: [500, 502] } },
      },
    }),
  );
  const client = { baseURL: `${gateway.url}/v1`, apiKey: 'none-needed-0123456789', defaultHeaders: { 'x-gateway-config': 'o' } };
  openai = new OpenAI(client);
  anthropic = new Anthropic({ ...client, baseURL: gateway.url, defaultHeaders: { 'x-gateway-config': 'a' } });
});
beforeEach(() => {
  upstream.requests.length = 0;
  upstream.script = asIs;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

describe('a complete response to a request with "stream": true', () => {
  const messages = [{ role: 'user' as const, content: 'Hi' }];

  it('is returned as a chat stream of one chunk', async () => {
    const pending = openai.chat.completions.create({ model: 'm-1', messages, stream: true, stream_options: { include_usage: true } });
    const { data: stream, response } = await pending.withResponse();
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('x-gateway-warnings')).toContain('"o" ignored "stream" and sent');
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks).toMatchObject([
      {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        choices: [
          {
            delta: { role: 'assistant', content: 'Größe', tool_calls: toolCalls.map((call, index) => ({ index, ...call })) },
            finish_reason: 'tool_calls',
          },
        ],
      },
      { choices: [], usage },
    ]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is returned as a chat stream that the SDK reads', async () => {
    const final = await openai.chat.completions.stream({ model: 'm-1', messages }).finalChatCompletion();
    expect(final.choices[0]).toMatchObject({ message: { content: 'Größe', tool_calls: toolCalls }, finish_reason: 'tool_calls' });
  });

  it('is returned as a chat stream, also if it is large', async () => {
    const content = 'x'.repeat(2_000_000);
    upstream.script = (response) =>
      json(response, 200, { ...completion, choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] });
    const final = await openai.chat.completions.stream({ model: 'm-1', messages }).finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe(content);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is returned as a stream of legacy completion text', async () => {
    const stream = await openai.completions.create({ model: 'm-1', prompt: 'Hi', stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.text;
    expect([text, upstream.requests.length]).toEqual(['Hi', 1]);
  });

  it('is returned as the events of a message', async () => {
    const final = await anthropic.messages.stream({ model: 'm-1', max_tokens: 9, messages }).finalMessage();
    expect(final).toMatchObject(message);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is returned as the events of a response', async () => {
    const stream = openai.responses.stream({ model: 'm-1', input: 'Hi' });
    const deltas: string[] = [];
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
    const final = await stream.finalResponse();
    expect(final).toMatchObject(answer);
    expect([deltas, upstream.requests.length]).toEqual([['Hi'], 1]);
  });

  it('is returned as chunks of a converted chat completion', async () => {
    const config = { headers: { 'x-gateway-config': 'a' } };
    const final = await openai.chat.completions.stream({ model: 'm-1', messages }, config).finalChatCompletion();
    expect(final.choices[0]).toMatchObject({
      message: { content: 'Hi', tool_calls: [{ id: 't1', function: { name: 'f', arguments: '{"a":[1,2]}' } }] },
      finish_reason: 'tool_calls',
    });
    expect(upstream.requests).toHaveLength(1);
  });

  const form = (fields: Readonly<Record<string, string>>): FormData => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    data.append('file', new File(['RIFF'], 'a.wav', { type: 'audio/wav' }));
    return data;
  };
  let warning: string | null = null;
  const asIt = async (path: string, body: FormData | string) => {
    const headers = { 'x-gateway-config': 'o', ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}) };
    const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
    warning = response.headers.get('x-gateway-warnings');
    return [response.status, response.headers.get('content-type'), await response.text()] as const;
  };

  it.each(['/v1/audio/transcriptions', '/v1/audio/translations'])('is returned unchanged if it is a transcript of %s', async (path) => {
    const transcript = JSON.stringify({ text: 'Grüße' });
    upstream.script = (response) => void response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(transcript);
    for (const response_format of ['json', 'verbose_json']) {
      upstream.requests.length = 0;
      const response = await asIt(path, form({ model: 'whisper-1', response_format, stream: 'true' }));
      expect([...response, upstream.requests.length]).toEqual([200, 'application/json; charset=utf-8', transcript, 1]);
    }
  });

  it('is returned as a stream in which numbers keep their digits', async () => {
    const text = JSON.stringify(message).replace('[1,2]', '9007199254740993');
    upstream.script = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-config': 'a' },
      body: JSON.stringify({ model: 'm-1', max_tokens: 9, stream: true, messages }),
    });
    expect(await response.text()).toContain(String.raw`"partial_json":"{\"a\":9007199254740993}"`);
  });

  it('is returned unchanged if it is text', async () => {
    upstream.script = (response) =>
      void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('1\n00:00 --> 00:01\nGrüße\n');
    const response = await asIt('/v1/audio/transcriptions', form({ model: 'whisper-1', response_format: 'srt', stream: 'true' }));
    expect([...response, upstream.requests.length]).toEqual([200, 'text/plain; charset=utf-8', '1\n00:00 --> 00:01\nGrüße\n', 1]);
  });

  it.each([
    ['/v1/images/generations', 'image_generation'],
    ['/v1/images/edits', 'image_edit'],
  ])('is returned as the last events of an image stream of %s', async (path, kind) => {
    const response = await asIt(path, JSON.stringify({ model: 'm-1', prompt: 'p', stream: true }));
    const event = (image: object) => {
      const type = `${kind}.completed`;
      return `event: ${type}\ndata: ${JSON.stringify({ type, created_at: 5, size: '8x8', ...image })}\n\n`;
    };
    const text = event({ b64_json: 'AAAA' }) + event({ b64_json: 'BBBB', usage: { total_tokens: 7 } });
    expect([...response, upstream.requests.length]).toEqual([200, 'text/event-stream; charset=utf-8', text, 1]);
    expect(warning).toContain('"o" ignored "stream" and sent');
  });

  it('is returned unchanged if it is audio', async () => {
    upstream.script = (response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('ID3');
    const response = await asIt('/v1/audio/speech', JSON.stringify({ model: 'm-1', input: 'Hi', voice: 'v', stream_format: 'sse' }));
    expect([...response, upstream.requests.length]).toEqual([200, 'audio/mpeg', 'ID3', 1]);
  });

  // Each waits for its retries.
  it.concurrent.each(invalidBodies)('returns an error that names the cause if it is not valid: %s as %s', async (text, type, says) => {
    const model = invalidModel(text, type);
    const pending = openai.chat.completions.create({ model, messages, stream: true }, { maxRetries: 0 });
    await expect(pending).rejects.toThrow(says);
  });
});
