import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigFiles, EffectiveConfig, ReloadVerdict, RevisionView, Status } from '../../src/admin/api-types.ts';
import { statusText } from '../../src/cli/admin/status.ts';
import { runHere } from '../cli/in-process.ts';
import { startProcess } from '../cli/process.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { adminUrl, call } from './client.ts';

const secret = 'sk-written-in-the-file-0123456789';
const yaml = (...providers: readonly string[]): string =>
  `version: 1\nproviders:\n  mock: {type: mock}\n${providers.map((name) => `  ${name}: {type: openai, api_key: "\${file:key.txt}"}\n`).join('')}`;

let gateway: TestGateway;
let token: string;
beforeEach(async () => {
  gateway = await startTestGateway(yaml(), { admin: true, watch: true, files: { 'key.txt': 'first-key-of-the-file\n' } });
  token = readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim();
});
afterEach(() => gateway.close());

const post = async (path: string, body: object = {}): Promise<ReloadVerdict> =>
  (await call(adminUrl(gateway), path, { method: 'POST', token, body })).json as ReloadVerdict;
const get = async <T>(path: string): Promise<T> => (await call(adminUrl(gateway), path, { token })).json as T;
const status = (): Promise<Status> => get<Status>('/api/status');
const slugs = (): string[] => [...gateway.gateway.snapshot().providers.keys()];
const revision = (): string => gateway.gateway.snapshot().revision;

/** What `/readyz` shows of the configuration. */
const readyConfig = async (): Promise<unknown> => ((await (await fetch(`${gateway.url}/readyz`)).json()) as { config: unknown }).config;

/** Saves the file and waits until it serves. */
async function save(text: string): Promise<void> {
  const before = revision();
  await gateway.write(text);
  await until(() => revision() !== before, 'the new revision');
}

describe('POST /api/reload', () => {
  it('reports whether the configuration was applied, rejected with diagnostics, or unchanged', async () => {
    await gateway.write(yaml('one'));
    const applied = await post('/api/reload');
    expect(applied).toMatchObject({ revision: revision(), diagnostics: [], reason: null });
    expect(['applied', 'unchanged']).toContain(applied.result);
    await gateway.write('version: 1\nproviderss: {}\n');
    const rejected = await post('/api/reload');
    expect(rejected).toMatchObject({ result: 'rejected', revision: revision() });
    expect(rejected.diagnostics[0]).toMatchObject({ code: 'unknown-key', line: 2, level: 'error' });
    expect((await status()).last_reload).toMatchObject({ result: 'rejected', revision: revision(), diagnostics: [{ line: 2 }] });
    await gateway.write(yaml('one'));
    expect(await post('/api/reload')).toMatchObject({ result: 'unchanged', diagnostics: [] });
    expect((await status()).last_reload).toMatchObject({ result: 'unchanged' });
    await gateway.write(`${yaml('one')}server: {workers: 2}\n`);
    await post('/api/reload');
    expect(await post('/api/reload')).toMatchObject({ result: 'unchanged', restart_needed: ['server.workers'] });
  });
});

it('/api/status shows a part of many providers and problems, and their numbers', async () => {
  const names = Array.from({ length: 150 }, (_, i) => `p${i}`);
  await save(`${yaml('one')}${names.map((name) => `  ${name}: {type: mock}\n`).join('')}`);
  await gateway.write(`${yaml('one')}${names.map((name) => `  ${name}: {type: mock, ${name}: 1}\n`).join('')}`);
  expect(await post('/api/reload')).toMatchObject({ result: 'rejected', errors: 150 });
  const found = await status();
  expect([found.providers.length, found.providers_total]).toEqual([100, 152]);
  expect([found.last_reload?.diagnostics.length, found.last_reload?.errors]).toEqual([50, 150]);
  const lines = statusText(found, { config: 'a.yaml' }, Date.now()).split('\n');
  expect(lines.filter((line) => line.includes('more'))).toEqual([
    '            … and 100 more: gateway check -c a.yaml',
    '… and 52 more: gateway providers list -c a.yaml',
  ]);
});

it('/api/config shows the current text and lines of the files after an edit that changes no value', async () => {
  const lineOf = async () => (await get<EffectiveConfig>('/api/config')).values.find(({ path }) => path === 'providers.mock.type')?.origin;
  expect(await lineOf()).toMatchObject({ line: 3 });
  await gateway.write(`# a remark\n${yaml()}`);
  expect(await post('/api/reload')).toMatchObject({ result: 'unchanged' });
  expect(await lineOf()).toMatchObject({ line: 4 });
  expect((await get<ConfigFiles>('/api/config/files?text_of=all')).files[0]?.text).toContain('# a remark');
});

describe('POST /api/rollback', () => {
  it('restores the previous revision until the configuration changes', async () => {
    const first = revision();
    await save(yaml('one'));
    const verdict = await post('/api/rollback');
    expect(verdict).toMatchObject({ result: 'applied', revision: first });
    expect(slugs()).toEqual(['mock']);
    const written = (await get<RevisionView[]>('/api/revisions')).map(({ files }) => files[0]?.modified_at);
    expect([written[0] === written[2], written[0] === written[1]]).toEqual([true, false]);
    expect(await status()).toMatchObject({ revision: first, rolled_back_to: first });
    expect(await readyConfig()).toMatchObject({ state: 'ok', revision: first });
    // Rotating a secret of the current files does not end the rollback.
    await writeFile(join(gateway.dir, 'key.txt'), 'second-key-of-the-file\n');
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(slugs()).toEqual(['mock']);
    await save(yaml('one', 'two'));
    expect(slugs()).toEqual(['mock', 'one', 'two']);
    expect(await status()).toMatchObject({ rolled_back_to: null, revision: revision() });
  });

  it('applies a rotated secret of the restored revision and stays in effect', async () => {
    await save(yaml('one'));
    const before = revision();
    await save(yaml('one', 'two'));
    await post('/api/rollback');
    expect(revision()).toBe(before);
    await writeFile(join(gateway.dir, 'key.txt'), 'second-key-of-the-file\n');
    await until(() => revision() !== before, 'the new secret');
    expect(slugs()).toEqual(['mock', 'one']);
    await until(async () => (await status()).rolled_back_to === revision(), 'the status of the rollback');
  });

  it('clears the state of a failed reload', async () => {
    const first = revision();
    await save(yaml('one'));
    await gateway.write('version: 1\nproviderss: {}\n');
    await post('/api/reload');
    expect(await readyConfig()).toMatchObject({ state: 'failed' });
    await post('/api/rollback');
    expect(await readyConfig()).toMatchObject({ state: 'ok', revision: first });
  });

  it('reports no rollback if the files already have that revision', async () => {
    await save(yaml('one'));
    const isStored = async () => (await get<RevisionView[]>('/api/revisions')).some((one) => one.serves);
    await until(isStored, 'the revision among those that are kept');
    expect(await post('/api/rollback', { revision: revision() })).toMatchObject({ result: 'unchanged', revision: revision() });
    expect(await status()).toMatchObject({ revision: revision(), rolled_back_to: null });
    // With an invalid file, it is a rollback.
    await gateway.write('version: 1\nproviderss: {}\n');
    await post('/api/reload');
    await post('/api/rollback', { revision: revision() });
    expect(await status()).toMatchObject({ rolled_back_to: revision() });
    await post('/api/rollback', { revision: revision() });
    expect(await status()).toMatchObject({ rolled_back_to: revision() });
  });

  it('is undone by a reload', async () => {
    await save(yaml('one'));
    const second = revision();
    await post('/api/rollback');
    expect(await post('/api/reload')).toMatchObject({ result: 'applied', revision: second });
    expect(await status()).toMatchObject({ rolled_back_to: null });
  });

  it('is not shown as a failed reload if it is rejected', async () => {
    await writeFile(join(gateway.dir, 'old.txt'), 'a-key-of-the-past\n');
    await save(yaml('old').replace('key.txt', 'old.txt'));
    await save(yaml('one'));
    await rm(join(gateway.dir, 'old.txt'));
    const verdict = await post('/api/rollback');
    expect(verdict).toMatchObject({ result: 'rejected', revision: revision(), diagnostics: [{ code: 'unreadable-file' }] });
    expect(await status()).toMatchObject({ last_reload: { result: 'applied', revision: revision() }, rolled_back_to: null });
  });

  it('restores a revision by its id and returns 404 for an unknown id', async () => {
    const first = revision();
    await save(yaml('one'));
    const second = revision();
    await save(yaml('one', 'two'));
    expect(await post('/api/rollback', { revision: first.slice(0, 5) })).toMatchObject({ result: 'applied', revision: first });
    expect(await post('/api/rollback', { revision: second })).toMatchObject({ result: 'applied', revision: second });
    const none = await call(adminUrl(gateway), '/api/rollback', { method: 'POST', token, body: { revision: 'fffffff' } });
    expect([none.status, none.code]).toEqual([404, 'revision_not_found']);
  });

  it('does not store plain secrets with the revisions', async () => {
    await save(`version: 1\nproviders:\n  plain: {type: openai, api_key: ${secret}}\n`);
    const plain = revision();
    await save(yaml('one'));
    const kept = await until(
      () => readdirSync(join(gateway.dir, '.gateway')).find((name) => name.startsWith('revisions-')),
      'the folder of revisions',
    );
    const folder = join(gateway.dir, '.gateway', kept);
    // A file that is still being written has another name.
    const names = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.json'));
    await until(() => names().length === 3, 'three revisions');
    for (const name of names()) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain(secret);
    }
    const revisions = await get<RevisionView[]>('/api/revisions');
    expect(revisions.map(({ serves }) => serves)).toEqual([true, false, false]);
    expect(revisions[0]?.changes).toEqual(['-providers.plain', '+providers.mock', '+providers.one']);
    expect(revisions[0]?.diff).toContain('+  one: {type: openai, api_key: "${file:key.txt}"}');
    expect(JSON.stringify(revisions)).not.toContain(secret);
    // This process still has the text in memory; after a restart it would be missing.
    expect(await post('/api/rollback', { revision: plain })).toMatchObject({ result: 'applied', revision: plain });
  });

  it('restores a revision from before a restart', async () => {
    const first = revision();
    await save(yaml('one'));
    await gateway.gateway.close();
    const running = startProcess(
      ['start', '-c', gateway.file, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', '--log-format', 'json'],
      gateway.dir,
    );
    const [, url = ''] = await running.waitForOutput(/"dashboard":"([^"]+)"/);
    const rolled = await runHere(['rollback', '--admin', url, '-c', gateway.file], gateway.dir);
    expect(rolled).toMatchObject({
      code: 0,
      out: expect.stringContaining(`rolled back, until the file changes · revision ${first}`) as string,
    });
    const drained = await runHere(['drain', '--admin', url, '-c', gateway.file], gateway.dir);
    expect(drained).toMatchObject({ code: 0, out: 'draining: 0 requests in progress\n' });
    expect((await running.ended).code).toBe(0);
  });
});

describe('admin commands', () => {
  it('status, reload and dashboard reach the gateway by address or GATEWAY_ADMIN', async () => {
    const url = adminUrl(gateway);
    const shown = await runHere(['status', '--admin', url], gateway.dir);
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toMatch(/^gateway {5}\d+\.\d+\.\d+ · node /);
    expect(shown.out).toContain(`revision ${revision()}`);
    const json = await runHere(['status', '--admin', url, '--json'], gateway.dir);
    expect(JSON.parse(json.out)).toMatchObject({ revision: revision() });
    const byVariable = await runHere(['reload'], gateway.dir, { env: { GATEWAY_ADMIN: url } });
    expect(byVariable).toMatchObject({ code: 0, out: `config unchanged · revision ${revision()}\n` });
    const { out } = await runHere(['dashboard', '--admin', url], gateway.dir);
    const [, link] = /^http:\/\/127\.0\.0\.1:\d+\/#t=(\S+)\n$/.exec(out) ?? [];
    expect((await call(url, '/api/session', { method: 'POST', body: { link } })).status).toBe(200);
  });

  it('reload exits with 3 and status with 1 if the configuration is rejected', async () => {
    await gateway.write('version: 1\nproviderss: {}\n');
    const url = adminUrl(gateway);
    const reloaded = await runHere(['reload', '--admin', url], gateway.dir);
    expect(reloaded).toMatchObject({ code: 3, out: '' });
    expect(reloaded.err).toContain('config NOT reloaded');
    expect(reloaded.err).toContain('2:1 error: unknown key "providerss"');
    const status = await runHere(['status', '--admin', url], gateway.dir);
    expect(status.code).toBe(1);
    expect(status.out).toMatch(/\nreload +FAILED .*\n +\S+:2:1 error: unknown key "providerss".*\n(?: {12}\S+ .*\n)*serving /);
  });

  it('rollback exits with 3 and prints the reason if the revision is rejected', async () => {
    await save(yaml('one'));
    const before = revision();
    await save(`${yaml('one', 'two')}api_keys: {app: {hash: "sha256:${'0'.repeat(64)}"}}\n`);
    const result = await runHere(['rollback', before, '--admin', adminUrl(gateway)], gateway.dir);
    expect(result).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(/^NOT rolled back, revision \w+ keeps serving: .*last API key/),
    });
    // The log does not blame the files of the gateway either.
    expect(gateway.events.at(-1)).toMatchObject({ type: 'rejected', isRollback: true });
  });

  it('exit with 4 if no gateway is listening and with 5 if the token is wrong or missing', async () => {
    const none = await runHere(['status', '--admin', '127.0.0.1:1'], gateway.dir);
    expect(none).toMatchObject({ code: 4, out: '' });
    expect(none.err).toContain('no gateway at http://127.0.0.1:1: nothing listens there');
    const wrong = await runHere(['reload', '--admin', adminUrl(gateway)], gateway.dir, {
      env: { GATEWAY_ADMIN_TOKEN: 'wrong-token-of-mine' },
    });
    expect(wrong).toMatchObject({ code: 5, out: '' });
    const nothing = await runHere(['status', '--admin', adminUrl(gateway)], '/');
    expect(nothing).toMatchObject({ code: 5 });
    expect(nothing.err).toContain('$GATEWAY_ADMIN_TOKEN');
    expect(await runHere(['status', '--admin', 'http://a:b@c/'], gateway.dir)).toMatchObject({ code: 2 });
  });

  it('reach a gateway on a Unix socket', async () => {
    const ownGateway = await startTestGateway(
      'version: 1\nproviders: {mock: {type: mock}}\nserver: {admin: {listen: {unix: admin.sock, mode: "0600"}}}\n',
      {
        admin: true,
        adminListen: undefined,
        prepare: (dir) => Promise.resolve(process.chdir(dir)),
      },
    ).finally(() => process.chdir('/'));
    const path = join(ownGateway.dir, 'admin.sock');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await runHere(['status', '--admin', `unix:${path}`], ownGateway.dir)).toMatchObject({ code: 0 });
    await ownGateway.close();
  });
});
