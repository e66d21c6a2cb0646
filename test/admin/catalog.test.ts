import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  KeyChange,
  KeyPage,
  PromptRender,
  PromptTry,
  PromptView,
  ProviderPage,
  ProviderTest,
  ProviderView,
} from '../../src/admin/api-types.ts';
import type { Explanation } from '../../src/core/logs/explanation.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminUrl, call } from './client.ts';

const token = 'token-of-the-admin-12';
const key = 'value-of-the-provider-key-1';
const yaml = `version: 1
include: [keys.d/*.yaml]
providers:
  mock: {type: mock, name: Mock, description: For tests}
  closed: {type: openai, api_key: "\${env:KEY}", custom_host: "http://127.0.0.1:1/v1"}
  off: {type: openai, api_key: "\${env:KEY}", enabled: false}
  nested: {type: openai, auth: {mode: api_key, api_key: "\${env:KEY}"}, custom_host: "http://127.0.0.1:1/v1"}
server: {admin: {token: "\${env:ADMIN_TOKEN}"}}
configs: {support: {provider: mock}}
prompts:
  welcome:
    description: First response
    model: "@mock/echo"
    variables: {product: {required: true}, tone: {default: friendly}}
    messages: [{role: user, content: "Greet {{product}} {{tone}} {{name}}"}]
`;
const first = `api_keys:
  first: {hash: sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, prefix: gw_live_9f2c, allow: {configs: [support]}}
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(yaml, { admin: true, env: { KEY: key, ADMIN_TOKEN: token }, files: { 'keys.d/first.yaml': first } });
});
afterAll(() => gateway.close());

const get = async <T>(path: string): Promise<T> => {
  const { json, text } = await call(adminUrl(gateway), path, { token });
  for (const secret of [key, token]) expect(text).not.toContain(secret);
  return json as T;
};
const post = async <T>(path: string, body: object = {}): Promise<T> =>
  (await call(adminUrl(gateway), path, { method: 'POST', token, body })).json as T;

describe('/api/providers', () => {
  it('lists each provider with its state and its credential as a reference', async () => {
    const { providers, total } = await get<ProviderPage>('/api/providers');
    const [mock, closed, off, nested] = providers;
    expect(total).toBe(4);
    expect(mock).toMatchObject({
      slug: 'mock',
      type: 'mock',
      name: 'Mock',
      description: 'For tests',
      at: { file: 'gateway.yaml', line: 4 },
      credential: 'none',
    });
    expect(closed).toMatchObject({
      host: '127.0.0.1:1',
      credential: '${env:KEY}',
      enabled: true,
      problem: null,
      health: { state: 'idle' },
    });
    expect(nested?.credential).toBe('${env:KEY}');
    expect(off).toMatchObject({ enabled: false, problem: 'enabled: false', health: { state: 'off' } });
  });

  it.each([
    ['limit=2', ['mock', 'closed'], 4],
    ['limit=2&offset=3&usage=false', ['nested'], 4, 3],
    ['limit=1&around=off', ['off'], 4, 2],
    ['limit=3&around=closed&offset=3', ['mock', 'closed', 'off'], 4, 0],
    ['limit=1&around=closed&q=off', ['off'], 1, 0],
    ['q=OPENAI%20idle', ['closed', 'nested'], 2],
    ['q=off', ['off'], 1],
    ['q=none', [], 0],
  ])('returns a page of those that match: %s', async (query, slugs, total, offset = 0) => {
    const page = await get<ProviderPage>(`/api/providers?${query}`);
    expect([page.providers.map(({ slug }) => slug), page.total, page.offset]).toEqual([slugs, total, offset]);
  });

  it('returns one by its name', async () => {
    const [, closed] = (await get<ProviderPage>('/api/providers')).providers;
    expect(await get<ProviderView>('/api/providers/closed')).toEqual(closed);
    expect(await call(adminUrl(gateway), '/api/providers/none', { token })).toMatchObject({ status: 404, code: 'provider_not_found' });
  });

  it('tests a provider with the configured credential', async () => {
    const test = await post<ProviderTest>('/api/providers/closed/test');
    expect(test).toMatchObject({ ok: false, hint: expect.stringContaining('check host') as string });
    expect(await call(adminUrl(gateway), '/api/providers/none/test', { method: 'POST', token })).toMatchObject({
      status: 404,
      code: 'provider_not_found',
    });
  });
});

describe('/api/prompts', () => {
  it('returns a page of the prompts, and one with its versions and variables', async () => {
    expect(await get('/api/prompts?q=WEL')).toEqual({ prompts: [{ id: 'welcome', version_count: 1 }], total: 1, offset: 0 });
    expect(await get('/api/prompts?offset=1')).toEqual({ prompts: [], total: 1, offset: 1 });
    expect(await get('/api/prompts?q=none')).toEqual({ prompts: [], total: 0, offset: 0 });
    expect(await get<PromptView>('/api/prompts/welcome')).toMatchObject({
      id: 'welcome',
      description: 'First response',
      at: { file: 'gateway.yaml', line: 11 },
      versions: [{ number: 1, published: true }],
      variables: [
        { name: 'product', required: true },
        { name: 'tone', default: 'friendly' },
        { name: 'name', required: false },
      ],
      model: '@mock/echo',
    });
    expect(await call(adminUrl(gateway), '/api/prompts/none', { token })).toMatchObject({ status: 404, code: 'prompt_not_found' });
  });

  it('renders a prompt without sending it', async () => {
    const rendered = await post<PromptRender>('/api/prompts/welcome/render', { variables: { product: 'Kite' } });
    expect(rendered.name).toBe('welcome@1');
    expect(JSON.parse(rendered.body)).toEqual({ model: '@mock/echo', messages: [{ role: 'user', content: 'Greet Kite friendly ' }] });
    expect(rendered.warnings).toEqual(['variable "name" of prompt "welcome@1" was not given']);
    const missing = await call(adminUrl(gateway), '/api/prompts/welcome/render', { method: 'POST', token, body: {} });
    expect([missing.status, missing.code]).toEqual([400, 'missing_required_parameter']);
  });
});

it.each([
  ['/api/prompts/welcome/try', { key: 'a\r\nx-other: b' }, 'key'],
  ['/api/prompts/welcome/try', { key: 'ключ' }, 'key'],
  ['/api/prompts/welcome/try', { key: 7 }, 'key'],
  ['/api/replay', { id: 'none', api_key: 'a\nb' }, 'api_key'],
])('%s rejects %j because the key is not a valid header value', async (path, body, param) => {
  const sent = await call(adminUrl(gateway), path, { method: 'POST', token, body });
  expect([sent.status, sent.json]).toMatchObject([400, { error: { param } }]);
  expect(sent.text).not.toContain('a\\');
});

describe('/api/keys', () => {
  it('lists keys without their secrets', async () => {
    // Waits until the position of each key is known.
    await get('/api/config');
    expect((await get<KeyPage>('/api/keys')).keys).toMatchObject([
      {
        name: 'first',
        at: { file: 'keys.d/first.yaml' },
        configs: ['support'],
        providers: null,
        secrets: [{ id: '01234567', prefix: 'gw_live_9f2c', last_used: null }],
        revoked: null,
      },
    ]);
  });

  const chat = (secret: string | null) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': secret ?? '' },
      body: '{"model":"@mock/echo","messages":[{"role":"user","content":"hi"}]}',
    }).then(({ status }) => status);

  it('shows the last use of each secret of a key', async () => {
    const pair = await post<KeyChange>('/api/keys', { name: 'pair' });
    const next = await post<KeyChange>('/api/keys/pair/rotate', { overlap: '1h' });
    const last = await post<KeyChange>('/api/keys/pair/rotate', { overlap: '1h' });
    expect([await chat(pair.secret), await chat(last.secret)]).toEqual([200, 200]);
    const listed = (await get<KeyPage>('/api/keys')).keys.find(({ name }) => name === 'pair');
    const used = [last, next, pair].map(({ secret }) => listed?.secrets.find(({ prefix }) => secret?.startsWith(prefix ?? '-'))?.last_used);
    expect(used).toEqual([expect.any(Number), null, expect.any(Number)]);
    expect(listed?.requests_today).toBe(2);
  });

  it('issues, rotates and revokes a key with immediate effect', async () => {
    const created = await post<KeyChange>('/api/keys', { name: 'app', providers: ['mock'], metadata: { team: 'web' }, expires: '90d' });
    expect(created).toMatchObject({
      written_to: join('keys.d', 'app.yaml'),
      secret: expect.stringMatching(/^gw_live_\w{24}_\w{4}$/) as string,
    });
    expect(readFileSync(join(gateway.dir, 'keys.d/app.yaml'), 'utf8')).toBe(created.yaml);
    expect(created.yaml).not.toContain(created.secret);
    expect(await chat(created.secret)).toBe(200);
    const tryResult = await post<PromptTry>('/api/prompts/welcome/try', { variables: { product: 'Kite' }, key: created.secret });
    expect(tryResult).toMatchObject({
      status: 200,
      id: expect.stringMatching(/^req_/) as string,
      cost_usd: '0',
      body: expect.stringContaining('Greet Kite') as string,
    });
    const next = await post<KeyChange>('/api/keys/app/rotate', { overlap: '0s' });
    expect([await chat(created.secret), await chat(next.secret)]).toEqual([401, 200]);
    const revoked = await post<KeyChange>('/api/keys/app/revoke');
    expect(revoked).toMatchObject({ secret: null, written_to: join('keys.d', 'app.yaml') });
    expect(await chat(next.secret)).toBe(401);
    const listed = (await get<KeyPage>('/api/keys')).keys;
    expect(listed.find(({ name }) => name === 'app')?.revoked).toBeGreaterThan(0);
  });

  it('issues a key with limits, which explanations show', async () => {
    const limits = { rate: '60/min', tokens: null, budget: '50USD/month', concurrency: 20 };
    const created = await post<KeyChange>('/api/keys', { name: 'limited', limits });
    expect(created.yaml).toContain('\n    limits: {rate: 60/min, budget: 50USD/month, concurrency: 20}\n');
    const explained = await post<Explanation>('/api/explain', { key: 'limited', body: { model: '@mock/echo', messages: [] } });
    expect(explained.limits).toMatchObject({
      rate: { max: 60, unit: 'minute' },
      tokens: null,
      budget: { usd: '50', period: 'month' },
      concurrency: 20,
      at: { file: join('keys.d', 'limited.yaml') },
    });
  });

  it('shows what a key has used of its limits, without the requests that they rejected', async () => {
    const limits = { rate: '2/day', tokens: '1M/day', budget: '5USD/month' };
    const { secret } = await post<KeyChange>('/api/keys', { name: 'counted', limits });
    expect([await chat(secret), await chat(secret), await chat(secret)]).toEqual([200, 200, 429]);
    const shown = async () => (await get<KeyPage>('/api/keys')).keys.find(({ name }) => name === 'counted');
    await expect.poll(async () => (await shown())?.requests_today).toBe(3);
    const { limits: used } = (await shown()) ?? {};
    expect(used).toMatchObject({
      rate: { max: 2, unit: 'day', used: 2 },
      tokens: { max: 1_000_000, unit: 'day' },
      budget: { usd: '5', period: 'month', spent_usd: '0' },
      concurrency: null,
    });
    expect(used?.tokens?.used).toBeGreaterThan(0);
    expect(new Date(used?.budget?.renews ?? 0).toISOString()).toMatch(/-01T00:00:00\.000Z$/);
  });

  it.each([
    [{ name: 'bad name' }, 'name'],
    [{ expires: 'soon' }, 'expires'],
    [{ limits: '60/min' }, 'limits'],
    [{ limits: { rat: '60/min' } }, 'rat'],
    [{ limits: { rate: 60 } }, 'limits.rate'],
    [{ limits: { rate: '0/min' } }, 'limits.rate'],
    [{ limits: { tokens: ['200k/min'] } }, 'limits.tokens'],
    [{ limits: { budget: '$50/month' } }, 'limits.budget'],
    [{ limits: { concurrency: 1.5 } }, 'limits.concurrency'],
    [{ limits: { concurrency: 1_000_001 } }, 'limits.concurrency'],
  ])('names the member of a new key that is wrong: %j', async (body, param) => {
    const sent = await call(adminUrl(gateway), '/api/keys', { method: 'POST', token, body: { name: 'x', ...body } });
    expect([sent.status, sent.json]).toMatchObject([400, { error: { param } }]);
  });

  it('reports that a change of a key is not in effect while the configuration is rejected', async () => {
    const created = await post<KeyChange>('/api/keys', { name: 'kept' });
    expect([created.rejected, await chat(created.secret)]).toEqual([null, 200]);
    await gateway.write(yaml.replace('configs:', 'configss:'));
    const revoked = await post<KeyChange>('/api/keys/kept/revoke');
    expect(revoked).toMatchObject({ written_to: join('keys.d', 'kept.yaml'), rejected: expect.stringContaining('configss') as string });
    expect(await chat(created.secret)).toBe(200);
    await gateway.write(yaml);
    await gateway.gateway.reload();
    expect(await chat(created.secret)).toBe(401);
  });

  it('returns the YAML of a new key if its file cannot be written', async () => {
    if (process.getuid?.() === 0) return;
    chmodSync(join(gateway.dir, 'keys.d'), 0o500);
    const created = await post<KeyChange>('/api/keys', { name: 'pasted' });
    chmodSync(join(gateway.dir, 'keys.d'), 0o700);
    expect(created).toMatchObject({ written_to: null });
  });

  it.each([
    ['/api/keys', {}, 'missing_required_parameter'],
    ['/api/keys', { name: 'bad name' }, 'invalid_value'],
    ['/api/keys', { name: 'first' }, 'invalid_value'],
    ['/api/keys', { name: 'x1', configs: ['none'] }, 'invalid_value'],
    ['/api/keys', { name: 'x2', configs: 'support' }, 'invalid_type'],
    ['/api/keys', { name: 'x3', expires: 'soon' }, 'invalid_value'],
    ['/api/keys', { name: 'x4', config: ['support'] }, 'invalid_value'],
    ['/api/keys', { name: 'x5', enforce_config: 'yes' }, 'invalid_type'],
    ['/api/keys/none/revoke', {}, 'invalid_value'],
    ['/api/keys/first/revoke', { dry_run: true }, 'invalid_value'],
    ['/api/rollback', { revison: 'x' }, 'invalid_value'],
    ['/api/drain', { timeout: 1 }, 'invalid_value'],
    ['/api/providers/mock/test', { deep: 1 }, 'invalid_type'],
    ['/api/keys/first/rotate', { overlap: 'long' }, 'invalid_value'],
  ])('POST %s rejects %j with 400', async (path, body, code) => {
    const before = gateway.gateway.snapshot().revision;
    expect(await call(adminUrl(gateway), path, { method: 'POST', token, body })).toMatchObject({ status: 400, code });
    expect(gateway.gateway.snapshot().revision).toBe(before);
  });
});
