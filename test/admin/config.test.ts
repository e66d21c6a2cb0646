import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  CheckResult,
  ConfigFiles,
  ConfigPage,
  ConfigView,
  EffectiveConfig,
  PlanResult,
  RevisionView,
} from '../../src/admin/api-types.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminUrl, call } from './client.ts';

const plain = 'sk-written-in-the-file-0123456789';
const fromEnv = 'value-of-the-variable-1';
const token = 'token-of-the-admin-12';
const commented = 'the-key-of-last-year-0123456789';
const main = `version: 1
include: [configs/*.yaml]
providers:
  mock: {type: mock}
  other: {type: openai, api_key: "\${env:KEY}"}
  plain: {type: openai, api_key: ${plain}}
  # api_key: ${commented}
server: {admin: {token: "\${env:ADMIN_TOKEN}"}, max_body: 2MB}
`;
const support = `configs:
  support:
    strategy: {mode: fallback, on_status_codes: [429, 503]}
    targets:
      - provider: mock
        override_params: {model: echo}
      - provider: other
  split:
    strategy: {mode: loadbalance}
    targets: [{provider: mock, weight: 3}, {provider: other, weight: 1}]
  outer:
    targets: [{config: support}]
`;

let gateway: TestGateway;
beforeAll(async () => {
  const env = { KEY: fromEnv, ADMIN_TOKEN: token };
  gateway = await startTestGateway(main, { admin: true, env, files: { 'configs/support.yaml': support } });
});
afterAll(() => gateway.close());

const get = async <T>(path: string): Promise<T> => (await call(adminUrl(gateway), path, { token })).json as T;
const post = async <T>(path: string, body: object): Promise<T> =>
  (await call(adminUrl(gateway), path, { method: 'POST', token, body })).json as T;

describe('GET /api/config', () => {
  it('lists each value with its origin, with defaults and with references for secrets', async () => {
    const config = await get<EffectiveConfig>('/api/config');
    const at = (path: string) => config.values.find((value) => value.path === path);
    expect(at('configs.support.targets[0].override_params.model')).toEqual({
      path: 'configs.support.targets[0].override_params.model',
      value: 'echo',
      origin: { file: 'configs/support.yaml', line: 6 },
    });
    expect(at('providers.other.api_key')?.value).toBe('${env:KEY}');
    expect(at('server.max_body')).toMatchObject({ value: '2MB', origin: { line: 8 } });
    expect(at('server.max_answer')).toMatchObject({ value: '256MB', origin: 'default' });
    const { files, diagnostics } = await get<ConfigFiles>('/api/config/files');
    expect(files).toEqual(['gateway.yaml', 'configs/support.yaml'].map((path) => ({ path, text: null })));
    expect(diagnostics.some(({ code }) => code === 'plain-secret')).toBe(true);
  });

  it.each([
    ['q=override_params%20echo', ['configs.support.targets[0].override_params.model'], 1],
    ['q=max_answer', ['server.max_answer'], 1],
    ['q=max_answer&defaults=false', [], 0],
    ['q=support.yaml:6&limit=0', [], 1],
  ])('returns a part of the values: %s', async (query, paths, total) => {
    const config = await get<EffectiveConfig>(`/api/config?${query}`);
    expect([config.values.map(({ path }) => path), config.total]).toEqual([paths, total]);
  });

  it.each([
    ['text_of=all', [true, true]],
    ['text_of=configs/support.yaml', [false, true]],
  ])('/api/config/files returns texts: %s', async (query, haveTexts) => {
    const { files } = await get<ConfigFiles>(`/api/config/files?${query}`);
    expect(files.map(({ text }) => text !== null)).toEqual(haveTexts);
  });

  it('shows the same path of a file everywhere, also outside of the working directory', async () => {
    const other = await startTestGateway('version: 1\nproviders: {mock: {type: mock}}\nserver: {admin: {open: true}}\n', {
      admin: true,
      cwd: join(tmpdir(), 'elsewhere'),
    });
    const read = async <T>(path: string): Promise<T> => (await call(adminUrl(other), path)).json as T;
    const config = await read<EffectiveConfig>('/api/config');
    const { files: shown } = await read<ConfigFiles>('/api/config/files');
    expect(shown.map(({ path }) => path)).toEqual([other.file]);
    expect(config.values.find(({ path }) => path === 'version')?.origin).toEqual({ file: other.file, line: 1 });
    const [revision] = await read<RevisionView[]>('/api/revisions');
    expect(revision?.files.map(({ path }) => path)).toEqual([other.file]);
    const files = { [other.file]: 'version: 1\nproviders: {}\n' };
    const plan = (await call(adminUrl(other), '/api/plan', { method: 'POST', body: { files } })).json as PlanResult;
    expect(plan.diff).toContain(`+++ ${other.file}`);
    await other.close();
  });

  it('contains no secret, nor do the other views of the configuration', async () => {
    const shown = await Promise.all(
      ['/api/config', '/api/config/files?text_of=all', '/api/configs', '/api/configs/support', '/api/revisions', '/api/status'].map(
        (path) => call(adminUrl(gateway), path, { token }),
      ),
    );
    for (const { text, status } of shown) {
      expect(status).toBe(200);
      for (const secret of [plain, fromEnv, token, commented]) expect(text).not.toContain(secret);
    }
  });
});

it('GET /api/configs returns a page of the names with their figures', async () => {
  const live = { share: null, requests: 0, errors: 0, left_out: 0, p95: null };
  const page = (names: readonly string[], total: number, offset = 0): ConfigPage => ({
    configs: names.map((name) => ({ name, live })),
    total,
    offset,
  });
  expect(await get('/api/configs')).toEqual(page(['support', 'split', 'outer'], 3));
  expect(await get('/api/configs?offset=1&limit=1')).toEqual(page(['split'], 3, 1));
  expect(await get('/api/configs?q=T%20u')).toEqual(page(['support', 'outer'], 2));
  expect(await get('/api/configs?q=none')).toEqual(page([], 0));
  expect(await call(adminUrl(gateway), '/api/configs?limit=501', { token })).toMatchObject({ status: 400, code: 'invalid_value' });
});

it('GET /api/configs/{name} returns the tree and the lines of a config', async () => {
  const configOf = (name: string): Promise<ConfigView> => get<ConfigView>(`/api/configs/${name}`);
  const [first, second, third] = await Promise.all(['support', 'split', 'outer'].map(configOf));
  expect(first).toMatchObject({
    at: { file: 'configs/support.yaml', line: 2 },
    yaml: support
      .split('\n')
      .slice(1, 7)
      .map((line) => line.slice(2))
      .join('\n'),
    root: {
      path: 'configs.support',
      strategy: 'fallback',
      targets: [
        { path: 'configs.support.targets[0]', provider: 'mock', model: 'echo', when: 'first', at: { line: 5 }, live: { share: null } },
        { path: 'configs.support.targets[1]', provider: 'other', model: null, when: 'on 429, 503' },
      ],
    },
  });
  expect(second?.root.targets.map(({ when, weight }) => [when, weight])).toEqual([
    ['75 %', 3],
    ['25 %', 1],
  ]);
  expect(third?.root.targets).toMatchObject([
    {
      path: 'configs.outer.targets[0]',
      strategy: 'fallback',
      at: { line: 12 },
      targets: [
        { path: 'configs.outer.targets[0].targets[0]', when: 'first', at: { line: 5 } },
        { path: 'configs.outer.targets[0].targets[1]', when: 'on 429, 503', at: { line: 7 } },
      ],
    },
  ]);
  expect(await call(adminUrl(gateway), '/api/configs/suport', { token })).toMatchObject({
    status: 404,
    code: 'config_not_found',
    json: { error: { gateway: { hint: expect.stringContaining('Did you mean "support"?') as string } } },
  });
});

describe('edited configuration files', () => {
  it('are validated by /api/check without being applied', async () => {
    const good = await post<CheckResult>('/api/check', { files: {} });
    expect(good).toMatchObject({ ok: true, revision: gateway.gateway.snapshot().revision });
    const bad = await post<CheckResult>('/api/check', {
      files: { 'configs/support.yaml': support.replace('mode: fallback', 'mode: fallbak') },
    });
    expect(bad.ok).toBe(false);
    expect(bad.diagnostics[0]).toMatchObject({ level: 'error', file: 'configs/support.yaml', line: 3 });
    expect(gateway.gateway.snapshot().configs.has('support')).toBe(true);
  });

  it('are accepted by /api/plan with masked secrets', async () => {
    const { files } = await get<ConfigFiles>('/api/config/files?text_of=all');
    const fileText = files.find(({ path }) => path === 'gateway.yaml')?.text ?? '';
    expect(fileText).not.toContain(plain);
    const plan = (text: string) => post<PlanResult>('/api/plan', { files: { 'gateway.yaml': text } });
    expect(await plan(fileText)).toMatchObject({ ok: true, values: [], diff: '' });
    expect(await plan(`# a note\n${fileText}`)).toMatchObject({ ok: true, values: [] });
    const edited = await plan(fileText.replace('plain: {type: openai', 'plain: {type: openai, name: Mine'));
    expect(edited).toMatchObject({ ok: true, values: [{ path: 'providers.plain.name', before: null, after: 'Mine' }] });
    expect(JSON.stringify(edited)).not.toContain(plain);
  });

  it('are compared with the running configuration by /api/plan', async () => {
    const text = main
      .replace('max_body: 2MB', 'max_body: 3MB, listen: "127.0.0.1:9999", probe_listen: "127.0.0.1:9998"')
      .replace('  mock: {type: mock}\n', '  mock: {type: mock}\n  more: {type: mock}\n');
    const plan = await post<PlanResult>('/api/plan', { files: { 'gateway.yaml': text } });
    expect(plan).toMatchObject({ ok: true, restart_needed: ['server.probe_listen'] });
    expect(plan.values).toEqual([
      { path: 'providers.more', before: null, after: '{"type":"mock"}' },
      { path: 'server.max_body', before: '2MB', after: '3MB' },
      { path: 'server.listen', before: null, after: '127.0.0.1:9999' },
      { path: 'server.probe_listen', before: null, after: '127.0.0.1:9998' },
    ]);
    expect(plan.diff).toContain('+  more: {type: mock}\n');
    expect(plan.diff).not.toContain(plain);
    expect((await post<PlanResult>('/api/plan', { files: {} })).diff).toBe('');
  });

  it.each([
    [{}, 'missing_required_parameter'],
    [{ files: { '../other.yaml': '' } }, 'invalid_value'],
    [{ files: { 'gateway.yaml': 7 } }, 'invalid_type'],
    [{ files: { 'gateway.yaml': '' }, entry: 'other.yaml' }, 'invalid_value'],
    [{ files: { 'gateway.yaml': '' }, entry: 7 }, 'invalid_value'],
  ])('are rejected by /api/plan: %j', async (body, code) => {
    expect((await call(adminUrl(gateway), '/api/plan', { method: 'POST', token, body })).code).toBe(code);
  });
});
