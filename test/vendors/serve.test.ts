import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const look = { name: 'look', arguments: '{}' };
const calling = {
  index: 0,
  message: { role: 'assistant', content: '', tool_calls: [{ id: 'abcdefghi', type: 'function', function: look }] },
  finish_reason: 'tool_calls',
};

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response, request) =>
    request.url === '/together/v1/models'
      ? json(response, 200, [{ id: 'a/b', object: 'model' }])
      : request.url?.startsWith('/functions/') === true
        ? json(response, 200, { id: '1', object: 'chat.completion', model: 'm', choices: [calling] })
        : json(response, 200, { id: '1', object: 'chat.completion', model: 'm', choices: [] }),
  );
  const host = upstream.url.replace('http://', '');
  gateway = await startTestGateway(`
version: 1
server: {egress: {allow: ["${host.split(':')[0]}"]}}
providers:
  fast: {type: groq, api_key: sk-catalog-0123456789, custom_host: ${upstream.url}/openai/v1}
  cerebras: {type: cerebras, api_key: sk-catalog-0123456789, custom_host: ${upstream.url}/v1}
  many: {type: together, api_key: sk-catalog-0123456789, custom_host: ${upstream.url}/together/v1}
  chat: {type: mistral, api_key: sk-catalog-0123456789, custom_host: ${upstream.url}/functions/v1}
  gpu: {type: vllm, custom_host: ${upstream.url}/v1}
`);
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const messages = [{ role: 'user', content: 'Hi' }];
const last = () => upstream.requests.at(-1);

describe('a vendor defined by a row', () => {
  it('is called with its address and key, and rejected parameters are dropped and reported', async () => {
    const response = await post('chat/completions', { model: '@fast/llama', messages, logprobs: true, labels: { a: 'b' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-gateway-dropped-params')).toMatch(/labels.*logprobs/);
    expect(last()).toMatchObject({ url: '/openai/v1/chat/completions', headers: { authorization: 'Bearer sk-catalog-0123456789' } });
    expect(JSON.parse(last()?.body.toString() ?? '')).toEqual({ model: 'llama', messages });
  });

  it('gets functions as tools if it has no functions, and its calls are returned in function_call', async () => {
    const response = await post('chat/completions', {
      model: '@chat/small',
      messages,
      functions: [{ name: 'look' }],
      function_call: 'auto',
    });
    expect(response.headers.get('x-gateway-dropped-params')).toBeNull();
    expect(JSON.parse(last()?.body.toString() ?? '')).toEqual({
      model: 'small',
      messages,
      tools: [{ type: 'function', function: { name: 'look' } }],
      tool_choice: 'auto',
    });
    expect(await response.json()).toMatchObject({ choices: [{ message: { function_call: look }, finish_reason: 'function_call' }] });
  });

  it('returns the model list in the OpenAI format', async () => {
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { 'x-gateway-provider': '@many' } });
    expect([response.status, await response.json()]).toEqual([200, { object: 'list', data: [{ id: 'a/b', object: 'model' }] }]);
  });

  it('gets unknown fields unchanged', async () => {
    await post('chat/completions', { model: '@gpu/qwen', messages, top_k: 5, chat_template_kwargs: { a: 1 } });
    expect(JSON.parse(last()?.body.toString() ?? '')).toEqual({ model: 'qwen', messages, top_k: 5, chat_template_kwargs: { a: 1 } });
    expect(last()?.headers.authorization).toBeUndefined();
  });

  it('rejects routes that its row omits, and relays unknown paths', async () => {
    const rejection = await post('embeddings', { model: '@cerebras/m', input: 'a' });
    expect([rejection.status, ((await rejection.json()) as { error: { code: string } }).error.code]).toEqual([400, 'unsupported_endpoint']);
    await post('fim/completions', { model: 'm' }, { 'x-gateway-provider': '@cerebras' });
    expect(last()?.url).toBe('/v1/fim/completions');
  });
});

it('a transcription that vLLM streams reaches the client as it is made, and its usage the record', async () => {
  const script = upstream.script;
  const { promise: received, resolve: onReceived } = Promise.withResolvers<void>();
  const chunk = (choices: object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: 'trsc-1', object: 'transcription.chunk', created: 1, model: 'whisper', choices, ...more })}\n\n`;
  upstream.script = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk([{ delta: { content: 'Hello' } }]));
    await received;
    response.write(chunk([{ delta: { content: ' you' }, finish_reason: 'stop' }]));
    response.end(`${chunk([], { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } })}data: [DONE]\n\n`);
  };
  const form = new FormData();
  form.set('model', '@gpu/whisper');
  form.set('stream', 'true');
  form.set('file', new Blob(['RIFF']), 'a.wav');
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', body: form });
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    if (text.includes('Hello')) onReceived();
  }
  upstream.script = script;
  expect(text).toMatch(/Hello[\s\S]* you[\s\S]*\[DONE\]/);
  const record = await gateway.record(response.headers.get('x-request-id'));
  expect(record).toMatchObject({ end: 'whole', status: 200, model: { answered: 'whisper' }, usage: { prompt: 7, completion: 2 } });
});

describe('a vendor named by its type in a request', () => {
  it('gets the key of the client at an allowed host', async () => {
    const headers = {
      authorization: 'Bearer sk-callers-0123456789',
      'x-gateway-provider': 'mistral',
      'x-gateway-custom-host': `${upstream.url}/v1`,
    };
    const response = await post('chat/completions', { model: 'm', messages, seed: 1 }, headers);
    expect(response.status).toBe(200);
    expect(last()?.headers.authorization).toBe('Bearer sk-callers-0123456789');
    expect(JSON.parse(last()?.body.toString() ?? '')).toEqual({ model: 'm', messages, random_seed: 1 });
  });

  it('cannot be on this machine unless the operator allows it', async () => {
    const other = await startTestGateway('version: 1\nproviders: {mock: {type: mock}}\n');
    const response = await fetch(`${other.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-provider': 'ollama', authorization: 'Bearer sk-callers-0123456789' },
      body: JSON.stringify({ model: 'm', messages }),
    });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    await other.close();
    expect([response.status, error.code]).toEqual([403, 'not_allowed']);
    expect(error.message).toContain('127.0.0.1');
  });
});
