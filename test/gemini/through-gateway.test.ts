import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { findPython } from '../support/python.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';
import { lacking } from '../support/skipping.ts';

const python = findPython();
let upstream: ScriptedUpstream;
let gateway: TestGateway;

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

beforeAll(async () => {
  upstream = await startUpstream(() => undefined);
  const account = {
    type: 'service_account',
    project_id: 'acme-ml',
    client_email: 'gateway@acme',
    private_key: privateKey,
    private_key_id: 'k1',
    token_uri: `${upstream.url}/token`,
  };
  gateway = await startTestGateway(
    `version: 1
server: {egress: {allow: ["127.0.0.1"]}}
providers:
  vertex-eu: {type: cloud-provider-a, region: europe-west1, service_account: "\${file:account.json}", custom_host: "${upstream.url}"}
  vertex-own: {type: vertex-ai, region: global, project: p2, custom_host: "${upstream.url}", auth: {mode: caller}}
  google: {type: google, api_key: AIza-secret-key, custom_host: "${upstream.url}"}
`,
    { files: { 'account.json': JSON.stringify(account) } },
  );
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** Serves token requests and an image; the script handles everything else. */
function respondWith(script: ScriptedUpstream['script']): void {
  upstream.requests.length = 0;
  upstream.script = (response, request, count) => {
    if (request.url === '/token') json(response, 200, { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' });
    else if (request.url === '/cat') response.writeHead(200, { 'content-type': 'image/png' }).end('PNG');
    else return script(response, request, count);
    return undefined;
  };
}

const client = (headers: Record<string, string> = {}) =>
  new OpenAI({ apiKey: 'unused', baseURL: `${gateway.url}/v1`, defaultHeaders: headers, maxRetries: 0 });
const models = () => upstream.requests.filter(({ url }) => url !== '/token' && url !== '/cat');
const frame = (value: object): string => `data: ${JSON.stringify(value)}\r\n\r\n`;
const bodyOf = (index: number) =>
  JSON.parse(models()[index]?.body.toString() ?? '{}') as { contents: { role: string; parts: Record<string, unknown>[] }[] };

const post = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const hi = [{ role: 'user' as const, content: 'hi' }];

/** Two tool calls with one signature, then a text. */
function respondWithToolLoop(): void {
  let requestCount = 0;
  respondWith((response) => {
    requestCount += 1;
    if (requestCount > 1)
      sse(response, [
        frame({
          candidates: [{ content: { parts: [{ text: '4 °C' }] }, finishReason: 'STOP' }],
          modelVersion: 'gemini-3-flash',
          responseId: 'r2',
        }),
      ]);
    else {
      const parts = [
        { functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'CsYB+/9v' },
        { functionCall: { name: 'weather', args: { city: 'Bergen' } } },
      ];
      sse(response, [
        ...parts.map((part) => frame({ candidates: [{ content: { role: 'model', parts: [part] } }], responseId: 'r1' })),
        frame({ candidates: [{ finishReason: 'STOP' }] }),
      ]);
    }
  });
}

/** The second turn contained what the first one returned, in order. */
function expectToolLoop(): void {
  expect(bodyOf(1).contents.slice(1)).toEqual([
    {
      role: 'model',
      parts: [
        { functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'CsYB+/9v' },
        { functionCall: { name: 'weather', args: { city: 'Bergen' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'weather', response: { output: '0' } } },
        { functionResponse: { name: 'weather', response: { output: '1' } } },
      ],
    },
  ]);
  expect(models().map(({ url, headers }) => [url, headers.authorization])).toEqual(
    [1, 2].map(() => [
      '/v1/projects/acme-ml/locations/europe-west1/publishers/google/models/gemini-3-flash:streamGenerateContent?alt=sse',
      'Bearer ya29.token',
    ]),
  );
}

describe('Vertex AI through the gateway', () => {
  it('completes a tool loop with signatures, authenticated by a token of the service account', async () => {
    respondWithToolLoop();
    const openai = client({ 'x-gateway-strict-compliance': 'false' });
    const body = {
      model: '@vertex-eu/gemini-3-flash',
      tools: [
        {
          type: 'function' as const,
          function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
        },
      ],
    };
    const first = await openai.chat.completions.stream({ ...body, messages: hi }).finalChatCompletion();
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const calls = choice?.message.tool_calls ?? [];
    expect(calls.map((call) => (call.type === 'function' ? call.function.arguments : ''))).toEqual([
      '{"city":"Oslo"}',
      '{"city":"Bergen"}',
    ]);
    const results = calls.map((call, index) => ({ role: 'tool' as const, tool_call_id: call.id, content: `${index}` }));
    const message = choice?.message as OpenAI.ChatCompletionMessageParam;
    const second = await openai.chat.completions
      .stream({ ...body, messages: [...hi, message, ...results.toReversed()] })
      .finalChatCompletion();
    expect(second.choices[0]?.message.content).toBe('4 °C');
    expectToolLoop();
    expect(upstream.requests.filter(({ url }) => url === '/token')).toHaveLength(1);
  });

  it.skipIf(lacking(python))('completes a tool loop with the Python library (skipped if Python or the library is missing)', async () => {
    respondWithToolLoop();
    const program = 'python' in python ? python.python : '';
    const { stdout } = await promisify(execFile)(program, [join(import.meta.dirname, 'two-turns.py'), `${gateway.url}/v1`]);
    expect(JSON.parse(stdout)).toEqual({ text: '4 °C', calls: ['{"city":"Oslo"}', '{"city":"Bergen"}'] });
    expectToolLoop();
  });

  it('forwards chat completions of an open model unchanged in both directions', async () => {
    const unsupported = [
      'data: {"id":"a","odd": 1.0,"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n',
      'data: {"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
      'data: [DONE]\n\n',
    ];
    respondWith((response) => sse(response, unsupported));
    const response = await post({ model: '@vertex-eu/vendorB.llama-4', messages: hi, stream: true });
    expect(await response.text()).toBe(unsupported.join(''));
    expect(models()[0]?.url).toBe('/v1/projects/acme-ml/locations/europe-west1/endpoints/openapi/chat/completions');
    expect(JSON.parse(models()[0]?.body.toString() ?? '')).toEqual({ model: 'meta/llama-4', messages: hi, stream: true });
  });

  it('sends functions as tools to open models, and their calls as function_call', async () => {
    const call = { name: 'look', arguments: '{}' };
    const fn = { name: 'look', parameters: { type: 'object', properties: {} } };
    const body = {
      functions: [fn],
      function_call: { name: 'look' },
      messages: [...hi, { role: 'assistant', content: null, function_call: call }, { role: 'function', name: 'look', content: 'seen' }],
    };
    const toolCalls = [{ index: 0, id: 'c1', type: 'function', function: call }];
    const choices = (name: string) => [
      { index: 0, [name]: { role: 'assistant', content: null, tool_calls: toolCalls }, finish_reason: 'tool_calls' },
    ];
    for (const model of ['meta.llama-4', 'mistralai.mistral-small-2503']) {
      respondWith((response, { body: sent }) => {
        if (JSON.parse(sent.toString()).stream !== true) json(response, 200, { id: 'a', choices: choices('message') });
        else sse(response, [`data: ${JSON.stringify({ id: 'a', choices: choices('delta') })}\n\n`, 'data: [DONE]\n\n']);
      });
      const whole = await post({ model: `@vertex-eu/${model}`, ...body });
      expect(await whole.json()).toMatchObject({ choices: [{ message: { function_call: call }, finish_reason: 'function_call' }] });
      expect(whole.headers.get('x-gateway-dropped-params')).toBeNull();
      const sent = JSON.parse(models()[0]?.body.toString() ?? '') as Record<string, unknown> & { messages: Record<string, unknown>[] };
      const [, assistant, result] = sent.messages as [unknown, { tool_calls: { id: string }[] }, unknown];
      expect(sent).toMatchObject({
        tools: [{ type: 'function', function: fn }],
        tool_choice: { type: 'function', function: { name: 'look' } },
      });
      expect([sent['functions'], sent['function_call']]).toEqual([undefined, undefined]);
      expect(assistant).toEqual({
        role: 'assistant',
        content: null,
        tool_calls: [{ id: expect.any(String), type: 'function', function: call }],
      });
      expect(result).toEqual({ role: 'tool', tool_call_id: assistant.tool_calls[0]?.id, content: 'seen' });
      const streamed = await (await post({ model: `@vertex-eu/${model}`, ...body, stream: true })).text();
      expect(streamed).toContain('"function_call":{"name":"look"');
      expect(streamed).toContain('"finish_reason":"function_call"');
      expect(streamed).not.toContain('tool_calls');
    }
  });

  it('converts chat completions for Anthropic and forwards the Messages API', async () => {
    const event = (value: { type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
    const events = [
      'event: vertex_event\ndata: {}\n\n',
      event({
        type: 'message_start',
        message: {
          id: 'msg_vrtx_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-1',
          content: [],
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      } as never),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } } as never),
      event({ type: 'content_block_stop', index: 0 } as never),
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } } as never),
      event({ type: 'message_stop' }),
    ];
    respondWith((response) => sse(response, events));
    const chat = await client().chat.completions.stream({ model: '@vertex-eu/vendorA.claude-1', messages: hi }).finalChatCompletion();
    expect(chat.choices[0]).toMatchObject({ message: { content: 'a' }, finish_reason: 'stop' });
    const messages = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@vertex-eu/anthropic.claude-1', max_tokens: 5, messages: hi, stream: true }),
    });
    expect(await messages.text()).toBe(events.join(''));
    expect(models().map(({ url }) => url)).toEqual(
      [1, 2].map(() => '/v1/projects/acme-ml/locations/europe-west1/publishers/anthropic/models/claude-1:streamRawPredict'),
    );
    expect(models().map(({ body }) => JSON.parse(body.toString()) as object)).toEqual([
      expect.objectContaining({ anthropic_version: 'vertex-2023-10-16', stream: true }),
      { max_tokens: 5, messages: hi, stream: true, anthropic_version: 'vertex-2023-10-16' },
    ]);
  });

  it('sends the token of the client if the provider has none, and returns 401 without one', async () => {
    respondWith((response) => json(response, 200, { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] }));
    const body = { model: '@vertex-own/gemini-2.5-flash', messages: hi };
    expect((await post(body, { authorization: 'Bearer ya29.mine' })).status).toBe(200);
    expect(models()[0]?.headers.authorization).toBe('Bearer ya29.mine');
    const rejection = await post(body);
    expect([rejection.status, await rejection.json()]).toMatchObject([401, { error: { code: 'missing_credential' } }]);
    expect(models()).toHaveLength(1);
  });

  it('returns the error message for a missing permission, with a hint', async () => {
    const message =
      "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p2' (or it may not exist).";
    respondWith((response) => json(response, 403, [{ error: { code: 403, message, status: 'PERMISSION_DENIED' } }]));
    for (const [model, status] of [
      ['@vertex-own/gemini-2.5-flash', 403],
      ['@vertex-eu/endpoints.42', 502],
    ] as const) {
      const response = await post({ model, messages: hi }, { authorization: 'Bearer ya29.mine' });
      const body = JSON.stringify(await response.json());
      expect(response.status).toBe(status);
      expect(body).toContain('aiplatform.endpoints.predict');
      expect(body).toContain('Vertex AI User');
    }
  });

  it('returns an error event in the middle of a stream', async () => {
    respondWith((response) =>
      sse(response, [
        frame({ candidates: [{ content: { parts: [{ text: 'a' }] } }] }),
        frame({ error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }),
      ]),
    );
    const text = await (await post({ model: '@vertex-eu/gemini-2.5-flash', messages: hi, stream: true })).text();
    expect(text).toContain('"content":"a"');
    expect(text).toContain('Overloaded.');
    expect(text).not.toContain('"finish_reason":"stop"');
  });

  it.each([
    [
      'a region that contains a host',
      { 'x-gateway-provider': 'vertex-ai', 'x-gateway-vertex-region': 'evil.example/', 'x-gateway-vertex-project-id': 'p' },
      400,
    ],
    ['no region', { 'x-gateway-provider': 'provider-a', 'x-gateway-vertex-project-id': 'p' }, 400],
    ['a region with the credential of the operator', { 'x-gateway-provider': '@vertex-eu', 'x-gateway-vertex-region': 'us-central1' }, 403],
  ])('rejects %s', async (_name, headers, status) => {
    respondWith((response) => json(response, 200, {}));
    const response = await post({ model: 'gemini-2.5-flash', messages: hi }, { authorization: 'Bearer ya29.mine', ...headers });
    expect(response.status).toBe(status);
    expect(upstream.requests).toEqual([]);
  });
});

describe('Gemini with an API key through the gateway', () => {
  it('sends the key in its header and returns the OpenAI format', async () => {
    respondWith((response) =>
      json(response, 200, {
        candidates: [{ content: { parts: [{ text: 'T', thought: true }, { text: 'a' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 1, thoughtsTokenCount: 3, totalTokenCount: 6 },
        responseId: 'r',
      }),
    );
    const response = await post({ model: '@google/gemini-2.5-flash', messages: hi });
    expect(await response.json()).toMatchObject({
      id: 'r',
      provider: 'gemini',
      choices: [{ message: { content: 'a' }, finish_reason: 'stop' }],
      usage: { total_tokens: 6 },
    });
    expect(models()[0]).toMatchObject({
      url: '/v1beta/models/gemini-2.5-flash:generateContent',
      headers: { 'x-goog-api-key': 'AIza-secret-key' },
    });
    expect(models()[0]?.headers.authorization).toBeUndefined();
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record).toMatchObject({ usage: { prompt: 2, completion: 4, reasoning: 3 }, finish: ['STOP'] });
  });

  it('sends files inline that the service does not fetch', async () => {
    respondWith((response) => json(response, 200, { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] }));
    const content = [{ type: 'image_url', image_url: { url: `${upstream.url}/cat` } }];
    const response = await post({ model: '@google/gemini-2.5-flash', messages: [{ role: 'user', content }] });
    expect(response.status).toBe(200);
    expect(bodyOf(0).contents[0]?.parts[0]).toEqual({ inlineData: { mimeType: 'image/png', data: Buffer.from('PNG').toString('base64') } });
  });

  it('counts the tokens of files that the service does not fetch', async () => {
    const image_url = `${upstream.url}/cat`;
    const data = { inlineData: { mimeType: 'image/png', data: Buffer.from('PNG').toString('base64') } };
    const send = async (path: string, body: object) => {
      upstream.requests.length = 0;
      respondWith((response) => json(response, 200, { totalTokens: 7 }));
      const headers = { 'content-type': 'application/json', 'x-gateway-provider': '@google' };
      const response = await fetch(`${gateway.url}/v1/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'gemini-2.5-flash', ...body }),
      });
      const { generateContentRequest: sent } = JSON.parse(models()[0]?.body.toString() ?? '{}') as {
        generateContentRequest?: { contents: { parts: unknown[] }[] };
      };
      return [response.status, sent?.contents[0]?.parts[0]];
    };
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];
    expect(await send('responses/input_tokens', { input })).toEqual([200, data]);
    const messages = [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: image_url } }] }];
    expect(await send('messages/count_tokens', { messages })).toEqual([200, data]);
  });

  it('stops downloading files when the client disconnects', async () => {
    const abortController = new AbortController();
    const waiting: (() => void)[] = [];
    respondWith((response) => {
      waiting.push(() => response.writeHead(200, { 'content-type': 'image/png' }).end('PNG'));
      abortController.abort();
    });
    const content = Array.from({ length: 40 }, (_, i) => ({ type: 'image_url', image_url: { url: `${upstream.url}/slow-${i}` } }));
    const pending = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@google/gemini-2.5-flash', messages: [{ role: 'user', content }] }),
      signal: abortController.signal,
    });
    await expect(pending).rejects.toThrow(/abort/i);
    const remaining = await until(() => {
      for (const go of waiting.splice(0)) go();
      return gateway.records.find(({ end }) => end === 'client_gone');
    }, 'the end');
    expect([remaining.end, remaining.attempts.map(({ outcome }) => outcome)]).toEqual(['client_gone', ['cancelled']]);
    // Downloads in progress, and only a few of the others.
    expect(models().length).toBeLessThan(40);
  });

  it('returns embeddings in the encoding that the OpenAI library requests', async () => {
    respondWith((response) => json(response, 200, { embeddings: [{ values: [0.5, -2] }] }));
    const { data } = await client().embeddings.create({ model: '@google/gemini-embedding-2', input: 'a' });
    expect([...(data[0]?.embedding ?? [])]).toEqual([0.5, -2]);
  });
});

describe('audio of Gemini', () => {
  const samples = Buffer.from([1, 2, 3, 4]);
  const audioResponse = (finish: object) => ({
    candidates: [
      { content: { parts: [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: samples.toString('base64') } }] }, ...finish },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
  });
  const body = (format: string, more: object = {}) => ({
    model: 'gemini-2.5-flash-preview-tts',
    messages: hi,
    modalities: ['audio'],
    audio: { voice: 'Kore', format },
    ...more,
  });
  const rows: readonly [format: string, isFile: boolean, dropped: string | null][] = [
    ['pcm16', false, null],
    ['wav', true, null],
    ['mp3', true, 'audio.format'],
  ];

  it.each(rows.flatMap((row) => ['@vertex-eu', '@google'].map((provider) => [...row, provider] as const)))(
    'in the format %s is returned as samples or as a WAV file',
    async (format, isFile, dropped, provider) => {
      respondWith((response, { url }) =>
        url?.includes('stream') === true
          ? sse(response, [frame(audioResponse({ finishReason: 'STOP' }))])
          : json(response, 200, audioResponse({ finishReason: 'STOP' })),
      );
      const headers = { 'x-gateway-provider': provider };
      const response = await post(body(format), headers);
      expect(response.headers.get('x-gateway-dropped-params')).toBe(dropped);
      const { choices } = (await response.json()) as { choices: { message: { audio: { data: string } } }[] };
      const bytes = Buffer.from(choices[0]?.message.audio.data ?? '', 'base64');
      expect([bytes.subarray(0, 4).toString('latin1') === 'RIFF', bytes.subarray(isFile ? 44 : 0)]).toEqual([isFile, samples]);
      const streamed = await post(body(format, { stream: true }), headers);
      const deltas = (await streamed.text()).matchAll(/"audio":\{[^}]*"data":"([^"]*)"/g);
      const text = Array.from(deltas, ([, data]) => data).join('');
      expect(Buffer.from(text, 'base64').subarray(isFile ? 44 : 0)).toEqual(samples);
    },
  );
});
