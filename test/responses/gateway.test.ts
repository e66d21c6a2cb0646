import OpenAI from 'openai';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../contract/gemini-oracle.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';
import { chatStream, chatWhole, contentsWhole, messageStream, messageWhole } from './upstream-responses.ts';

/** Clients of the responses API with providers that do not support it, with and without streaming. */

let gateway: TestGateway;
let service: ScriptedUpstream;
let gemini: object = contentsWhole;

const isStream = (body: Buffer): boolean => (JSON.parse(body.toString()) as Json)['stream'] === true;

beforeAll(async () => {
  service = await startUpstream((response, { url, body }) => {
    if (url.includes('/fails/')) return json(response, 503, { error: { message: 'Overloaded', type: 'server_error' } });
    if (url.includes('/refuses/'))
      return json(response, 400, { error: { message: 'Bad field', type: 'invalid_request_error', param: 'x' } });
    if (url.includes('/breaks/'))
      return sse(response, [...chatStream.slice(0, 5), 'data: {"error":{"message":"Lost","type":"server_error"}}\n\n']);
    if (url.endsWith('/responses')) return json(response, 200, { id: 'resp_1', object: 'response', status: 'completed', output: [] });
    if (url.includes(':generateContent')) return json(response, 200, gemini);
    if (url.includes(':streamGenerateContent')) return sse(response, [`data: ${JSON.stringify(gemini)}\r\n\r\n`]);
    if (url.endsWith('/messages')) return isStream(body) ? sse(response, messageStream) : json(response, 200, messageWhole);
    return isStream(body) ? sse(response, chatStream) : json(response, 200, chatWhole);
  });
  const { url } = service;
  gateway = await startTestGateway(`
version: 1
providers:
  cerebras: {type: cerebras, api_key: k, custom_host: "${url}/v1"}
  claude: {type: anthropic, api_key: k, custom_host: "${url}/v1"}
  gemini: {type: gemini, api_key: k, custom_host: "${url}/v1beta"}
  openai: {type: openai, api_key: k, custom_host: "${url}/v1"}
  fails: {type: cerebras, api_key: k, custom_host: "${url}/fails/v1"}
  refuses: {type: cerebras, api_key: k, custom_host: "${url}/refuses/v1"}
  breaks: {type: cerebras, api_key: k, custom_host: "${url}/breaks/v1"}
configs:
  mixed:
    strategy: {mode: fallback}
    targets: [{provider: fails}, {provider: openai, override_params: {model: gpt-x}}]
  balanced:
    strategy: {mode: loadbalance}
    targets: [{provider: claude, weight: 1000000}, {provider: openai}]
`);
});
afterAll(async () => {
  await gateway?.close();
  await service?.close();
});

const client = (headers: Record<string, string> = {}): OpenAI =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0, defaultHeaders: headers });

const request = {
  instructions: 'Be brief.',
  input: 'What is the weather in Oslo?',
  tools: [
    {
      type: 'function' as const,
      name: 'get_weather',
      description: 'Weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      strict: false,
    },
  ],
  max_output_tokens: 4000,
  metadata: { run: '7' },
};

const expected = {
  object: 'response',
  status: 'completed',
  model: 'model-x',
  instructions: 'Be brief.',
  metadata: { run: '7' },
  tools: request.tools,
  store: false,
  output: [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }] },
    { type: 'function_call', status: 'completed', name: 'get_weather' },
  ],
  output_text: 'Let me look.',
  usage: { input_tokens: 20, input_tokens_details: { cached_tokens: 8 }, output_tokens: 9, total_tokens: 29 },
};

const lastBody = (): Json => JSON.parse(service.requests.at(-1)?.body.toString() ?? '') as Json;

/** Gemini signs its calls: the signature is in an item of reasoning before the call, which says nothing. */
const said = <T extends { output: readonly { type: string }[] }>(response: T): T => ({
  ...response,
  output: response.output.filter((item) => item.type !== 'reasoning' || (item as unknown as { summary: unknown[] }).summary.length > 0),
});

/** The answer of the model together with what comes of its call, as clients send it back. */
const continued = (output: readonly unknown[]): ResponseInput => [
  { role: 'user', content: request.input },
  ...(output as ResponseInput),
  {
    type: 'function_call_output',
    call_id: String((output.at(-1) as { call_id?: unknown }).call_id),
    output: 'Rain',
  },
];

describe.each([['cerebras'], ['claude'], ['gemini']])('/v1/responses on %s', (slug) => {
  const model = `@${slug}/model-x`;

  it('returns a response without streaming', async () => {
    const response = await client().responses.create({ model, ...request });
    expect(said(response)).toMatchObject(expected);
    expect(JSON.parse((response.output.at(-1) as { arguments: string }).arguments)).toEqual({ city: 'Oslo' });
  });

  it('returns a response with streaming', async () => {
    const stream = client().responses.stream({ model, ...request });
    expect(said(await stream.finalResponse())).toMatchObject(expected);
  });

  it('records usage', async () => {
    const { response } = await client()
      .responses.create({ model, ...request })
      .withResponse();
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record.usage).toMatchObject({ prompt: 20, completion: 9, cached: 8 });
  });

  it('accepts its output as input of the next request', async () => {
    const { output } = await client().responses.create({ model, ...request });
    await client().responses.create({ model, ...request, input: continued(output) });
    const sent = JSON.stringify(lastBody());
    expect(sent).toContain('Let me look.');
    expect(sent).toContain('Rain');
    expect(sent).not.toContain('gateway:');
    if (slug === 'claude') expect(sent).toContain('"signature":"RXFzQg');
    if (slug === 'gemini') expect(sent).toContain('"thoughtSignature":"U0lHTkVE"');
  });
});

it.each([
  [[{ text: 'Hi', thoughtSignature: 'U0lHTkVE' }]],
  [[{ text: 'Hi' }, { text: '', thoughtSignature: 'U0lHTkVE' }]],
  [[{ text: 'Hi, ' }, { text: 'you', thoughtSignature: 'U0lHTkVE' }, { text: '.' }]],
])('/v1/responses returns and takes back the signature of a text of Gemini: %j', async (parts) => {
  gemini = { ...contentsWhole, candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] };
  const model = '@gemini/model-x';
  const whole = await client().responses.create({ model, ...request });
  const streamed = await client()
    .responses.stream({ model, ...request })
    .finalResponse();
  gemini = contentsWhole;
  expect(whole.output_text).toBe(parts.map(({ text }) => text).join(''));
  for (const { output } of [whole, streamed]) {
    const input = [{ role: 'user' as const, content: 'Hi' }, ...(output as ResponseInput), { role: 'user' as const, content: 'And?' }];
    await client().responses.create({ model, ...request, input });
    expect(lastBody()['contents']).toMatchObject([{ role: 'user' }, { role: 'model', parts }, { role: 'user' }]);
  }
});

it('/v1/responses sends chat completions', async () => {
  await client().responses.create({ model: '@cerebras/model-x', ...request });
  expect(lastBody()).toEqual({
    model: 'model-x',
    max_tokens: 4000,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is the weather in Oslo?' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    ],
  });
});

it('/v1/responses falls back to a provider with this API, without the reasoning of the other one', async () => {
  const { output } = await client().responses.create({ model: '@cerebras/model-x', ...request });
  await client({ 'x-gateway-config': 'mixed' }).responses.create({ model: 'm', ...request, input: continued(output) });
  const sent = lastBody();
  expect(service.requests.at(-1)?.url).toBe('/v1/responses');
  expect((sent['input'] as Json[]).map(({ type }) => type)).toEqual([undefined, 'message', 'function_call', 'function_call_output']);
});

it('/v1/responses ends a broken stream with an error event', async () => {
  const stream = client().responses.stream({ model: '@breaks/model-x', ...request });
  await expect(stream.finalResponse()).rejects.toThrow('Lost');
});

it('/v1/responses returns errors in the format of the API', async () => {
  const refused = client().responses.create({ model: '@refuses/model-x', ...request });
  await expect(refused).rejects.toMatchObject({ status: 400, type: 'invalid_request_error', param: 'x' });
});

it.each([
  ['previous_response_id', { previous_response_id: 'resp_1' }],
  ['background', { background: true }],
  ['input[0]', { input: [{ type: 'item_reference' as const, id: 'msg_1' }] }],
])('/v1/responses rejects what needs stored responses: %s', async (param, change) => {
  const before = service.requests.length;
  const refused = client().responses.create({ model: '@claude/model-x', ...request, ...change });
  await expect(refused).rejects.toMatchObject({ status: 400, code: 'unsupported_endpoint', param });
  expect(service.requests.length).toBe(before);
});

it('/v1/responses sends a follow-up to the target that stores responses', async () => {
  const { status } = await client({ 'x-gateway-config': 'balanced' }).responses.create({
    model: 'm',
    ...request,
    previous_response_id: 'resp_1',
  });
  expect([status, service.requests.at(-1)?.url]).toEqual(['completed', '/v1/responses']);
});

it('/v1/responses/input_tokens is an estimate where the provider cannot count', async () => {
  const { model, ...counted } = {
    model: '@cerebras/model-x',
    instructions: request.instructions,
    input: request.input,
    tools: request.tools,
  };
  const { data, response } = await client()
    .responses.inputTokens.count({ model, ...counted })
    .withResponse();
  expect(data).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) as unknown });
  expect(data.input_tokens).toBeGreaterThan(20);
  expect(response.headers.get('x-gateway-warnings')).toBe('input_tokens is an estimate: this provider counts no tokens');
});
