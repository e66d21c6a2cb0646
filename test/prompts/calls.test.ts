import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { appKey, boundKey, lastBody, narrowKey, startChat, startPrompts } from './catalog.ts';

let upstream: ScriptedUpstream;
let open: TestGateway;
let keyed: TestGateway;
beforeAll(async () => {
  upstream = await startChat();
  open = await startPrompts(upstream);
  keyed = await startPrompts(upstream, true);
});
afterAll(async () => {
  await open?.close();
  await keyed?.close();
  await upstream?.close();
});

type Headers = Readonly<Record<string, string>>;
interface ReceivedResponse {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  readonly body: { readonly error?: Record<string, unknown>; readonly [key: string]: unknown };
}

async function post(path: string, body: unknown, headers: Headers = {}, gateway = open): Promise<ReceivedResponse> {
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? (JSON.parse(text) as ReceivedResponse['body']) : {},
  };
}

const variables = { product: 'Kite', question: 'How "do" I\n{{start}}? ü' };
const messages = [
  { role: 'system', content: 'You greet customers of Kite in a friendly tone.' },
  { role: 'user', content: 'How "do" I\n{{start}}? ü' },
];

describe('POST /v1/prompts/{id}/completions', () => {
  it('sends the messages with the variables and the saved parameters', async () => {
    const { status, body, headers } = await post('prompts/welcome/completions', { variables });
    expect([status, body['object']]).toEqual([200, 'chat.completion']);
    expect(lastBody(upstream)).toEqual({
      model: 'gpt-4o-mini',
      messages,
      temperature: 0.3,
      max_tokens: 300,
      response_format: { type: 'text' },
    });
    expect(headers.get('x-gateway-prompt')).toBe('welcome@1');
    expect((await post('prompts/welcome/completions', { variables, model: null })).status).toBe(200);
    expect(lastBody(upstream)).toMatchObject({ model: 'gpt-4o-mini', messages });
    expect(headers.get('x-gateway-config')).toMatch(/^support@/);
  });

  it('streams if the request sets stream, with the saved stream options', async () => {
    const { text, headers } = await post('prompts/welcome/completions', { variables, stream: true });
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(text).toMatch(/"content":"Grü".*"content":"ße".*data: \[DONE\]\n\n$/s);
    expect(lastBody(upstream)).toMatchObject({ stream: true, stream_options: { include_usage: true }, messages });
  });

  it.each([
    ['another value', { temperature: 1 }, { temperature: 1, max_tokens: 300 }],
    ['null', { temperature: null }, { temperature: null }],
    ['a complete object', { response_format: { type: 'json_schema' } }, { response_format: { type: 'json_schema' } }],
    ['a field that was not saved', { seed: 7, metadata: { a: 'b' } }, { seed: 7, metadata: { a: 'b' }, temperature: 0.3 }],
    ['the model', { model: 'gpt-4o' }, { model: 'gpt-4o' }],
    ['the model with a slug', { model: '@second/gpt-4o' }, { model: 'gpt-4o' }],
  ])('uses %s of the request', async (_, override, sent) => {
    expect(await post('prompts/welcome/completions', { variables, ...override })).toMatchObject({ status: 200 });
    expect(lastBody(upstream)).toMatchObject(sent);
  });

  it('preserves the bytes of fields that the request overrides', async () => {
    await post('prompts/welcome/completions', '{"seed": 9007199254740993, "variables": {"product": "Kite"}, "top_p": 1.0}');
    const sent = upstream.requests.at(-1)?.body.toString() ?? '';
    expect(sent).toMatch(/"seed":\s?9007199254740993.*"top_p":\s?1\.0/s);
  });

  it('preserves the digits of numbers in variables', async () => {
    const product = '{"id":9007199254740993,"price":1.5}';
    await post('prompts/welcome@2/completions', `{"variables":{"product":${product}}}`);
    expect(lastBody(upstream)).toMatchObject({ messages: [{ content: `Second of ${product}` }] });
    await post('prompts/needy/completions', '{"model":"@main/m","variables":{"secret_word":9007199254740993}}');
    expect(lastBody(upstream)).toMatchObject({ messages: [{ content: '9007199254740993' }] });
    const wrong = '{"variables":{"product":9007199254740993}}';
    expect(await post('prompts/welcome/completions', wrong)).toMatchObject({
      status: 400,
      body: { error: { param: 'variables.product' } },
    });
    const counted = '{"variables":{"product":"Kite","count":9007199254740993}}';
    expect(await post('prompts/welcome/completions', counted)).toMatchObject({ status: 200 });
  });

  it('records the request of the client and the prompt version that was run', async () => {
    const { headers } = await post('prompts/welcome@canary/completions', { variables: { product: 'Kite', colour: 'red' } });
    const record = await open.record(headers.get('x-request-id'));
    expect(record).toMatchObject({
      endpoint: 'prompts/{id}/completions',
      path: '/v1/prompts/welcome@canary/completions',
      prompt: { id: 'welcome', version: 2, label: 'canary' },
      model: { asked: '@second/gpt-4o', sent: 'gpt-4o' },
      provider: 'second',
      usage: { prompt: 3, completion: 2 },
      warnings: ['variable "colour" is not used by prompt "welcome@2"'],
      upstream: { body: { same_as: null } },
    });
    expect(headers.get('x-gateway-warnings')).toContain('"colour"');
    const first = await open.record((await post('prompts/welcome/completions', { variables })).headers.get('x-request-id'));
    expect(first.metadata).toEqual({ prompt_team: 'hello' });
    const chat = await post('chat/completions', { model: '@main/x', messages: [] });
    expect((await open.record(chat.headers.get('x-request-id'))).prompt).toBeNull();
  });

  it('records the complete request body', async () => {
    const { headers } = await post('prompts/needy/completions', { variables: { secret_word: 'x' }, model: '@main/m' });
    const record = await open.record(headers.get('x-request-id'));
    expect(record.request.body?.size).toBe(JSON.stringify({ variables: { secret_word: 'x' }, model: '@main/m' }).length);
  });

  it.each([
    ['welcome', 'welcome@1'],
    ['welcome@1', 'welcome@1'],
    ['welcome@2', 'welcome@2'],
    ['welcome%402', 'welcome@2'],
    ['welcome@latest', 'welcome@2'],
    ['welcome@canary', 'welcome@2'],
    ['welcome@production', 'welcome@1'],
    ['other@staging', 'other@1'],
  ])('runs %s as %s', async (name, version) => {
    const { headers } = await post(`prompts/${name}/render`, { variables });
    expect(headers.get('x-gateway-prompt') ?? '').toBe(version);
  });

  it.each([
    ['an unknown prompt', 'welcom', { variables }, 404, 'prompt_not_found', undefined, /Did you mean "welcome"\?/],
    ['an unknown version', 'welcome@9', { variables }, 404, 'prompt_not_found', undefined, /has no version 9/],
    ['an unknown label', 'welcome@canry', { variables }, 404, 'prompt_not_found', undefined, /Did you mean "canary"\?/],
    ['a missing variable', 'welcome', { variables: {} }, 400, 'missing_required_parameter', 'variables.product', /"product"/],
    [
      'a variable that is null',
      'welcome',
      { variables: { product: null } },
      400,
      'missing_required_parameter',
      'variables.product',
      /"product"/,
    ],
    ['no variables at all', 'needy', {}, 400, 'missing_required_parameter', 'variables.secret_word', /needs the variable "secret_word"/],
    [
      'a variable of another type',
      'welcome',
      { variables: { product: 5 } },
      400,
      'invalid_type',
      'variables.product',
      /is a number, not a string/,
    ],
    ['variables that are an array', 'welcome', { variables: [1] }, 400, 'invalid_type', 'variables', /is an array, not an object/],
    ['messages', 'welcome', { variables, messages: [] }, 400, 'unsupported_parameter', 'messages', /cannot be overridden/],
  ])('rejects %s', async (...[, name, body, status, code, param, message]) => {
    const count = upstream.requests.length;
    for (const what of ['completions', 'render']) {
      const response = await post(`prompts/${name}/${what}`, body);
      expect(response).toMatchObject({
        status,
        body: { error: { code, param: param ?? null, message: expect.stringMatching(message) as string } },
      });
    }
    expect(upstream.requests).toHaveLength(count);
  });

  it('rejects a body that is not an object with invalid_json', async () => {
    expect((await post('prompts/welcome/completions', '[]')).body.error).toMatchObject({ code: 'invalid_json' });
  });

  it('treats ${env:…} in a variable as text', async () => {
    await post('prompts/welcome/completions', { variables: { product: '${env:PATH} ${file:/etc/passwd}' } });
    expect(JSON.stringify(lastBody(upstream))).toContain('customers of ${env:PATH} ${file:/etc/passwd} in');
  });
});

describe('POST /v1/prompts/{id}/render', () => {
  it('returns the body that would be sent, and sends nothing', async () => {
    const count = upstream.requests.length;
    const { status, body, headers } = await post('prompts/welcome/render', { variables, temperature: 2 });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body).toEqual({
      success: true,
      data: { model: 'gpt-4o-mini', messages, temperature: 2, max_tokens: 300, response_format: { type: 'text' } },
    });
    expect(upstream.requests).toHaveLength(count);
    const record = await open.record(headers.get('x-request-id'));
    expect(record).toMatchObject({
      endpoint: 'prompts/{id}/render',
      status: 200,
      end: 'whole',
      attempts: [],
      prompt: { id: 'welcome', version: 1 },
    });
  });
});

describe('target of a prompt', () => {
  it.each([
    ['is the config of the prompt', 'welcome', {}, {}, 'support', 'main'],
    ['is a config named by the request', 'welcome', { 'x-gateway-config': 'else' }, {}, 'else', 'second'],
    ['is an inline config of the request', 'welcome', { 'x-gateway-config': '{"provider":"@second"}' }, {}, 'inline', 'second'],
    ['is a provider named by the request', 'welcome', { 'x-gateway-provider': '@second' }, {}, '-', 'second'],
    ['is the slug in the model of the request', 'welcome', {}, { model: '@second/m' }, '-', 'second'],
    ['is the slug saved in the prompt', 'welcome@2', {}, {}, '-', 'second'],
    ['is the slug saved in the prompt if the request sets only a model', 'welcome@2', {}, { model: 'm' }, '-', 'second'],
    ['is a provider named by the request before the saved slug', 'welcome@2', { 'x-gateway-provider': '@main' }, {}, '-', 'main'],
    ['is the saved slug if the config has no provider', 'welcome@2', { 'x-gateway-config': 'open' }, {}, 'open', 'second'],
  ])('%s', async (...[, name, headers, more, config, provider]) => {
    const response = await post(`prompts/${name}/completions`, { variables, ...more }, headers as Headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-gateway-config')?.split('@')[0]).toBe(config);
    expect(response.headers.get('x-gateway-provider')).toBe(provider);
  });

  it('uses the model of the request and the provider of the prompt', async () => {
    await post('prompts/welcome@2/completions', { variables, model: 'm' });
    expect(lastBody(upstream)).toMatchObject({ model: 'm' });
    const { body } = await post('prompts/welcome@2/render', { variables, model: 'm' });
    expect(body['data']).toMatchObject({ model: '@second/m' });
    await post('prompts/welcome@2/completions', { variables, model: 'm' }, { 'x-gateway-provider': '@main' });
    expect(lastBody(upstream)).toMatchObject({ model: 'm' });
  });

  it('is rejected with no_target if the prompt has neither a config nor a slug', async () => {
    expect((await post('prompts/other/completions', { variables })).body.error).toMatchObject({
      code: 'no_target',
      message: 'Neither the request nor the prompt "other" names a provider.',
    });
  });

  it('is the default config of the key if nothing else is set', async () => {
    const key = { 'x-gateway-api-key': appKey };
    const config = async (name: string): Promise<string | undefined> =>
      (await post(`prompts/${name}/completions`, { variables }, key, keyed)).headers.get('x-gateway-config')?.split('@')[0];
    expect([await config('welcome'), await config('other'), await config('welcome@2')]).toEqual(['support', 'else', '-']);
  });
});

describe('targets with their own prompt', () => {
  const two = { 'x-gateway-config': 'two' };

  it('merge parameters: the config overrides the request, which overrides the prompt', async () => {
    const { headers } = await post('prompts/welcome/completions', { variables, top_p: 0.9 }, two);
    expect(lastBody(upstream)).toEqual({
      model: 'm-other',
      messages: [{ role: 'user', content: 'Other Kite' }],
      temperature: 0,
      top_p: 0.9,
    });
    expect(headers.get('x-gateway-prompt')).toBe('other@1');
  });

  it('warn about unused variables of their own prompt, not of the prompt in the URL', async () => {
    const only = { 'x-gateway-config': '{"provider":"@main","prompt_id":"needy"}' };
    const { headers } = await post('prompts/other/completions', { variables: { secret_word: 'x', product: 'y' } }, only);
    expect(headers.get('x-gateway-warnings')).toBe('variable "product" is not used by prompt "needy@1"');
    const { headers: ownHeaders } = await post('prompts/other/render', { variables: { colour: 'red', product: 'y' } });
    expect(ownHeaders.get('x-gateway-warnings')).toBe('variable "colour" is not used by prompt "other@1"');
  });

  it('fall back to a target that runs the prompt of the URL', async () => {
    const { headers, status } = await post('prompts/welcome/completions', { variables, user: 'fail' }, two);
    expect([status, headers.get('x-gateway-prompt'), headers.get('x-gateway-provider')]).toEqual([200, 'welcome@1', 'second']);
    expect(lastBody(upstream)).toMatchObject({ model: 'gpt-4o-mini', messages, temperature: 0.3 });
    const record = await open.record(headers.get('x-request-id'));
    expect(record.prompt).toEqual({ id: 'welcome', version: 1, label: null });
    expect(record.attempts.map(({ model, status: code }) => [model, code])).toEqual([
      ['m-other', 500],
      ['gpt-4o-mini', 200],
    ]);
  });

  it.each([
    ['in a named config', 'two'],
    ['in an inline config', '{"provider":"@main","prompt_id":"other"}'],
    ['in camelCase', '{"targets":[{"provider":"@main","promptId":"other@latest"}]}'],
  ])('are rejected with invalid_config on other routes: %s', async (_, config) => {
    for (const [path, body] of [
      ['chat/completions', { model: 'x', messages: [] }],
      ['embeddings', { model: 'x', input: 'x' }],
    ] as const) {
      const { status, body: response } = await post(path, body, { 'x-gateway-config': config });
      expect([status, response.error?.['code']]).toEqual([400, 'invalid_config']);
      expect(response.error?.['message']).toMatch(/has targets with a prompt_id, but POST \/v1\/.* does not run stored prompts/);
    }
  });

  it('are rejected with prompt_not_found if an inline config names an unknown prompt', async () => {
    const config = JSON.stringify({ targets: [{ provider: '@main', prompt_id: 'othr' }] });
    const { status, body } = await post('prompts/welcome/completions', { variables }, { 'x-gateway-config': config });
    expect([status, body.error?.['code'], body.error?.['param']]).toEqual([404, 'prompt_not_found', 'config.targets[0].prompt_id']);
  });
});

describe('permissions of the API key', () => {
  const narrow = { 'x-gateway-api-key': narrowKey };
  it.each([
    ['a prompt', 'other', {}, {}, /may not use prompt "other"/],
    [
      'a prompt of the config in the request, whatever its version',
      'welcome',
      { 'x-gateway-config': '{"provider":"@main","prompt_id":"needy@99"}' },
      {},
      /may not use prompt "needy"/,
    ],
    ['another prompt', 'needy', {}, {}, /may not use prompt "needy"/],
    ['the config of the prompt', 'welcome', {}, {}, /may not use config "support"/],
    ['the model saved in the prompt', 'welcome', { 'x-gateway-provider': '@main' }, {}, /may not use model "gpt-4o-mini"/],
    ['the model of the request', 'welcome@2', {}, { model: '@main/m' }, /may not use model "m"/],
    ['the prompt of a target of the config', 'welcome', { 'x-gateway-config': 'two' }, {}, /may not use prompt "other"/],
  ])('reject %s with 403', async (...[, name, headers, more, message]) => {
    const response = await post(`prompts/${name}/completions`, { variables: { product: 'x' }, ...more }, { ...narrow, ...headers }, keyed);
    expect(response).toMatchObject({
      status: 403,
      body: { error: { code: 'not_allowed', message: expect.stringMatching(message) as string } },
    });
  });

  it('apply to /render, too', async () => {
    expect((await post('prompts/other/render', { variables }, narrow, keyed)).status).toBe(403);
    expect((await post('prompts/welcome/render', { variables }, narrow, keyed)).status).toBe(200);
    expect((await post('prompts/welcome/render', { variables }, {}, keyed)).status).toBe(401);
  });

  it('allow what they list', async () => {
    expect((await post('prompts/welcome@2/completions', { variables }, narrow, keyed)).status).toBe(200);
  });

  it('enforce the config of a key', async () => {
    const bound = { 'x-gateway-api-key': boundKey };
    expect((await post('prompts/welcome/completions', { variables }, bound, keyed)).status).toBe(200);
    expect((await post('prompts/welcome@2/completions', { variables }, bound, keyed)).status).toBe(403);
    expect((await post('prompts/welcome/completions', { variables }, { ...bound, 'x-gateway-config': 'else' }, keyed)).status).toBe(403);
  });
});

describe('environment values in a prompt', () => {
  it('are sent to the provider, but masked in the response of /render', async () => {
    const yaml = `version: 1
server: {state_dir: memory}
providers: {main: {type: openai, api_key: "\${env:KEY}", custom_host: "${upstream.url}/v1"}}
prompts: {house: {model: "@main/m", messages: [{role: user, content: "word: \${env:WORD} {{x}}"}]}}
`;
    const gateway = await startTestGateway(yaml, { env: { KEY: 'sk-upstream-0123456789abcdefgh', WORD: 'open-sesame' } });
    try {
      await post('prompts/house/completions', { variables: { x: 1 } }, {}, gateway);
      expect(lastBody(upstream)['messages']).toEqual([{ role: 'user', content: 'word: open-sesame 1' }]);
      const { text } = await post('prompts/house/render', { variables: { x: 1 } }, {}, gateway);
      expect(text).not.toContain('open-sesame');
      expect(JSON.parse(text)).toMatchObject({ data: { messages: [{ content: expect.stringMatching(/^word: \*+ 1$/) as string }] } });
    } finally {
      await gateway.close();
    }
  });
});
