import { JsonBody } from '../../src/core/json/body.ts';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import openai from '../../plugins/providers/openai/index.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { callOf } from '../contract/call.ts';
import type { Json } from '../contract/gemini-oracle.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Clients of the Messages API with providers that do not support it, with and without streaming and library. */

let gateway: TestGateway;
let service: ScriptedUpstream;

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gpt-x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usage = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 4 },
};
const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } };

const chatWhole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-x',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Let me look.', reasoning_content: 'Hm.', tool_calls: [call] },
      finish_reason: 'tool_calls',
    },
  ],
  usage,
};
const chatStream = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'H' }),
  chunk({ reasoning_content: 'm.' }),
  chunk({ content: 'Let me' }),
  chunk({ content: ' look.' }),
  chunk({ tool_calls: [{ index: 0, ...call, function: { name: 'get_weather', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
  chunk({}, 'tool_calls'),
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gpt-x', choices: [], usage })}\n\n`,
  'data: [DONE]\n\n',
];
const contents = {
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { text: 'Let me look.' },
          { functionCall: { name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'U0lHTkVE' },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, thoughtsTokenCount: 4, totalTokenCount: 29, cachedContentTokenCount: 8 },
  modelVersion: 'gpt-x',
  responseId: 'c1',
};

let gemini: object = contents;

/** A text and an image. */
const painted = JSON.stringify({
  candidates: [{ content: { parts: [{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }, finishReason: 'STOP' }],
});

beforeAll(async () => {
  service = await startUpstream((response, { url, body }) => {
    if (url.includes('/fails/')) return json(response, 529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    if (url.includes('/refuses/'))
      return json(response, 400, { error: { message: 'Bad field', type: 'invalid_request_error', param: 'x', code: null } });
    if (url.includes('/breaks/'))
      return sse(response, [...chatStream.slice(0, 5), 'data: {"error":{"message":"Lost","type":"server_error"}}\n\n']);
    if (url.includes('/uncounted/')) return json(response, 200, {});
    if (url.endsWith('/responses/input_tokens')) return json(response, 200, { object: 'response.input_tokens', input_tokens: 42 });
    if (url.startsWith('/painter/'))
      return url.includes(':stream') ? sse(response, [`data: ${painted}\r\n\r\n`]) : json(response, 200, JSON.parse(painted));
    if (url.includes(':countTokens')) return json(response, 200, { totalTokens: 43 });
    if (url.includes(':generateContent')) return json(response, 200, gemini);
    if (url.includes(':streamGenerateContent')) return sse(response, [`data: ${JSON.stringify(gemini)}\r\n\r\n`]);
    return (JSON.parse(body.toString()) as Json)['stream'] === true ? sse(response, chatStream) : json(response, 200, chatWhole);
  });
  const { url } = service;
  gateway = await startTestGateway(`
version: 1
providers:
  openai: {type: openai, api_key: k, custom_host: "${url}/v1"}
  groq: {type: groq, api_key: k, custom_host: "${url}/v1"}
  azure: {type: azure-openai, api_key: k, custom_host: "${url}", api_version: v1}
  painter: {type: gemini, api_key: k, custom_host: "${url}/painter"}
  gemini: {type: gemini, api_key: k, custom_host: "${url}/v1beta"}
  uncounted-openai: {type: openai, api_key: k, custom_host: "${url}/uncounted/v1"}
  uncounted-gemini: {type: gemini, api_key: k, custom_host: "${url}/uncounted/v1beta"}
  claude: {type: anthropic, api_key: k, custom_host: "${url}/fails/v1"}
  refuses: {type: openai, api_key: k, custom_host: "${url}/refuses/v1"}
  breaks: {type: openai, api_key: k, custom_host: "${url}/breaks/v1"}
configs:
  mixed:
    strategy: {mode: fallback}
    targets: [{provider: claude}, {provider: openai, override_params: {model: gpt-x}}]
`);
});
afterAll(async () => {
  await gateway?.close();
  await service?.close();
});

const anthropic = (headers: Record<string, string> = {}): Anthropic =>
  new Anthropic({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0, defaultHeaders: headers });

const request = {
  max_tokens: 100,
  system: [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } }],
  messages: [{ role: 'user' as const, content: 'What is the weather in Oslo?' }],
  tools: [
    { name: 'get_weather', description: 'Weather', input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } } },
  ],
  stop_sequences: ['END'],
  top_k: 5,
};

const message = {
  id: 'c1',
  type: 'message',
  role: 'assistant',
  model: 'gpt-x',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'gateway:unsigned' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', name: 'get_weather', input: { city: 'Oslo' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
};

const lastBody = (): Json => JSON.parse(service.requests.at(-1)?.body.toString() ?? '') as Json;

describe.each([['openai'], ['groq'], ['azure'], ['gemini']])('/v1/messages on %s', (slug) => {
  const model = `@${slug}/gpt-x`;
  const [thinking, text, toolUse] = message.content;
  // The signature of Gemini's call.
  const kept = slug === 'gemini' ? [{ type: 'redacted_thinking', data: 'gateway:next:U0lHTkVE' }] : [];
  const expected = { ...message, content: [thinking, text, ...kept, toolUse] };

  it('returns a message without streaming', async () => {
    const { data, response } = await anthropic()
      .messages.create({ model, ...request })
      .withResponse();
    expect(data).toMatchObject(expected);
    expect(response.headers.get('x-gateway-dropped-params')).toContain('cache_control');
    if (slug !== 'gemini') expect(lastBody()).not.toHaveProperty('top_k');
  });

  it('returns a message with streaming', async () => {
    const stream = anthropic().messages.stream({ model, ...request });
    expect(await stream.finalMessage()).toMatchObject(expected);
  });

  it('records usage', async () => {
    const { response } = await anthropic()
      .messages.create({ model, ...request })
      .withResponse();
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record.usage).toMatchObject({ prompt: 20, completion: 9, cached: 8 });
  });
});

it('/v1/messages sends chat completions without extensions', async () => {
  await anthropic().messages.create({ model: '@openai/gpt-4.1', ...request, metadata: { user_id: 'u'.repeat(100) } });
  expect(lastBody()).toEqual({
    model: 'gpt-4.1',
    max_completion_tokens: 100,
    stop: ['END'],
    user: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
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

it('/v1/messages falls back from Anthropic to another provider', async () => {
  const headers = { 'x-gateway-config': 'mixed' };
  const history: Anthropic.MessageParam[] = [
    ...request.messages,
    {
      role: 'assistant',
      content: message.content.map((block) => (block.type === 'tool_use' ? { id: 'call_1', ...block } : block)) as never,
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'call_1',
          content: [
            { type: 'text', text: 'Rain' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          ],
        },
      ],
    },
  ];
  expect(await anthropic(headers).messages.create({ model: 'claude-x', ...request, messages: history })).toMatchObject({
    stop_reason: 'tool_use',
  });
  const [native, chat] = service.requests.slice(-2).map(({ body }) => JSON.parse(body.toString()) as Json);
  // Reasoning of another provider is not sent to Anthropic: it would reject the turn.
  expect(JSON.stringify(native)).not.toContain('gateway:');
  expect(native).toMatchObject({ messages: [{}, { content: [{ type: 'text' }, { type: 'tool_use' }] }, {}] });
  expect(chat?.['messages']).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is the weather in Oslo?' },
    { role: 'assistant', content: 'Let me look.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'From the result of call_1:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
    },
  ]);
});

it('/v1/messages returns errors in the format of the Messages API', async () => {
  const error = await anthropic()
    .messages.create({ model: '@refuses/gpt-x', ...request })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  expect((error as { error: unknown }).error).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: 'openai error: Bad field' },
  });
});

it('/v1/messages ends a broken stream with an error event', async () => {
  const stream = anthropic().messages.stream({ model: '@breaks/gpt-x', ...request });
  await expect(stream.finalMessage()).rejects.toThrow('Lost');
});

it.each([
  ['openai', 42, null],
  ['gemini', 43, null],
  ['groq', 42, 'input_tokens is an estimate: this provider counts no tokens'],
])('/v1/messages/count_tokens counts tokens on %s', async (slug, tokens, warning) => {
  const { data, response } = await anthropic()
    .messages.countTokens({ model: `@${slug}/gpt-x`, system: request.system, messages: request.messages, tools: request.tools })
    .withResponse();
  if (warning === null) expect(data).toEqual({ input_tokens: tokens });
  else expect(data.input_tokens).toBeGreaterThan(20);
  expect(response.headers.get('x-gateway-warnings')).toBe(warning);
});

it.each(['uncounted-openai', 'uncounted-gemini'])('/v1/messages/count_tokens reports a missing count: %s', async (slug) => {
  const counted = anthropic().messages.countTokens({ model: `@${slug}/gpt-x`, messages: request.messages });
  await expect(counted).rejects.toThrow('contains no token count');
});

it('/v1/messages reports an image that it leaves out: in a header, and of a stream in the record', async () => {
  const warnings = ['Left out of the response, because this API cannot return it: image/png'];
  const asked = { model: '@painter/gemini-3-pro-image', max_tokens: 99, messages: request.messages };
  const { data, response } = await anthropic().messages.create(asked).withResponse();
  expect(data.content).toMatchObject([{ type: 'text', text: 'Here.' }]);
  expect(response.headers.get('x-gateway-warnings')).toBe(warnings[0]);
  const stream = await anthropic()
    .messages.create({ ...asked, stream: true })
    .withResponse();
  for await (const event of stream.data) expect(event.type).not.toBe('error');
  expect(await gateway.record(stream.response.headers.get('request-id'))).toMatchObject({ warnings });
});

const thought = { text: 'Hm.', thought: true };
const signed = { thoughtSignature: 'U0lHTkVE' };
const madeCall = { functionCall: { name: 'get_weather', args: { city: 'Oslo' } } };

it.each([
  ['of a call', [thought, { text: 'Let me look.' }, { ...madeCall, ...signed }]],
  ['of a call behind its thought', [thought, { ...madeCall, ...signed }]],
  ['of two calls', [thought, { ...madeCall, ...signed }, madeCall, { text: 'Two.' }]],
  ['of a text', [thought, { text: 'Hi', ...signed }, { ...madeCall, ...signed }]],
  ['of a text behind a call', [thought, { ...madeCall, ...signed }, { text: 'Hi', ...signed }]],
  ['behind a text', [thought, { text: 'Hi' }, { text: '', ...signed }, { ...madeCall, ...signed }]],
  ['of a piece of a text', [thought, { text: 'Hi, ' }, { text: 'you', ...signed }, { text: '.' }, { ...madeCall, ...signed }]],
])('/v1/messages returns and takes back a signature of Gemini: %s', async (_name, parts) => {
  const model = '@gemini/gemini-3-pro-preview';
  gemini = { ...contents, candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] };
  const whole = await anthropic().messages.create({ model, ...request });
  const streamed = await anthropic()
    .messages.stream({ model, ...request })
    .finalMessage();
  gemini = contents;
  for (const { content } of [whole, streamed]) {
    const results = content.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'Rain' }] : [],
    );
    const messages: Anthropic.MessageParam[] = [
      ...request.messages,
      { role: 'assistant', content },
      { role: 'user', content: [...results, { type: 'text', text: 'And?' }] },
    ];
    // A gateway has notes of signatures only for the same model.
    await anthropic().messages.create({ model: '@gemini/gemini-3-flash-preview', ...request, messages });
    expect(lastBody()['contents']).toMatchObject([{ role: 'user' }, { role: 'model', parts: parts.slice(1) }, { role: 'user' }]);
    for (const slug of ['openai', 'groq', 'azure']) {
      await anthropic().messages.create({ model: `@${slug}/gpt-x`, ...request, messages });
      expect(JSON.stringify(lastBody())).not.toMatch(/U0lHTkVE|gateway:/);
    }
  }
});

it.each([
  ['a signed text', [{ text: 'Hi', ...signed }]],
  ['a text in front of a signature', [{ text: 'Hi' }, { text: '', ...signed }]],
  ['a text with a signed piece', [{ text: 'H', ...signed }, { text: 'i' }]],
])('/v1/messages ends with the text if the response is %s, as clients expect', async (_name, parts) => {
  gemini = { ...contents, candidates: [{ index: 0, content: { role: 'model', parts: [thought, ...parts] }, finishReason: 'STOP' }] };
  onTestFinished(() => void (gemini = contents));
  const model = '@gemini/gemini-3-pro-preview';
  const whole = await anthropic().messages.create({ model, ...request });
  const streamed = await anthropic()
    .messages.stream({ model, ...request })
    .finalMessage();
  for (const { content } of [whole, streamed]) expect(content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: 'Hi' }]);
});

it('/v1/messages sends the thought signature of a tool call back to Gemini from its notes', async () => {
  const model = '@gemini/gemini-3-pro-preview';
  gemini = {
    ...contents,
    candidates: [{ index: 0, content: { role: 'model', parts: [{ ...madeCall, ...signed }] }, finishReason: 'STOP' }],
  };
  onTestFinished(() => void (gemini = contents));
  for (const stream of [false, true]) {
    const { content } = await (stream
      ? anthropic()
          .messages.stream({ model, ...request })
          .finalMessage()
      : anthropic().messages.create({ model, ...request }));
    // Without thoughts, the client did not ask for blocks of reasoning.
    expect(content.map(({ type }) => type)).toEqual(['tool_use']);
    const id = content.find((block) => block.type === 'tool_use')?.id ?? '';
    const messages: Anthropic.MessageParam[] = [
      ...request.messages,
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Rain' }] },
    ];
    await anthropic().messages.create({ model, ...request, messages });
    expect(JSON.stringify(lastBody()['contents'])).toContain('"thoughtSignature":"U0lHTkVE"');
  }
});

describe('documents with a URL', () => {
  const messages = (url: string): Anthropic.MessageParam[] => [
    { role: 'user', content: [{ type: 'document', source: { type: 'url', url }, title: 'a.pdf' }] },
  ];

  it('are downloaded and sent inline if the provider does not fetch URLs', () => {
    const url = 'https://files.example/a.pdf';
    const body = JsonBody.of({ model: 'gpt-x', max_tokens: 9, messages: messages(url) });
    const { messages: operation } = throughHub(openai).operations;
    const needs = operation?.media?.(body, callOf({ endpoint: 'messages' }));
    expect(needs).toMatchObject([{ url }]);
    const media = new Map([[url, { mimeType: 'application/pdf', base64: 'JVBERi0xLjQ=' }]]);
    const request = operation?.begin(body, callOf({ endpoint: 'messages', media })).request;
    expect(request?.body.kind === 'json' ? request.body.value('messages') : undefined).toEqual([
      { role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' } }] },
    ]);
  });

  it('are subject to the egress rules', async () => {
    const rejected = anthropic().messages.create({ model: '@openai/gpt-x', max_tokens: 9, messages: messages(`${service.url}/a.pdf`) });
    await expect(rejected).rejects.toMatchObject({ status: 403, type: 'permission_error' });
  });
});
