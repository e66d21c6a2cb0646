import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startProcess, type Running } from '../cli/process.ts';
import { startTestGateway } from '../support/gateway.ts';
import { type Account, startAccount } from './account.ts';
import { sendAs, upload, yamlFor } from './rig.ts';

/** The owners of objects are durable, however the process ends. */

let cwd: string;
let account: Account;
let started: Running[];

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'isolation-'));
  account = await startAccount();
  started = [];
  writeFileSync(join(cwd, 'gateway.yaml'), `${yamlFor(account)}\nserver: {state_dir_shared: true}\n`);
});

afterEach(async () => {
  for (const one of started) one.child.kill('SIGKILL');
  await Promise.all(started.map((one) => one.ended));
  await account.close();
  rmSync(cwd, { recursive: true, force: true });
});

async function start(): Promise<{ running: Running; url: string }> {
  const running = startProcess(['start', '--listen', '127.0.0.1:0', '--log-format', 'pretty'], cwd, {});
  started.push(running);
  const [, url = ''] = await running.waitForOutput(/listening {2}(\S+)\/v1[^]*ready in/);
  return { running, url };
}

it('the owner of an object is known after the process was killed right after returning its ID', async () => {
  const first = await start();
  const created = await sendAs(first.url, 'anna', 'POST', '/v1/files', upload('{}\n'));
  first.running.child.kill('SIGKILL');
  await first.running.ended;
  const path = `/v1/files/${String(created.json['id'])}`;
  const second = await start();
  // A second process with the same directory, as in a rolling restart, sees the same owners, and shares its own.
  const third = await start();
  for (const { url } of [second, third]) {
    expect((await sendAs(url, 'anna', 'GET', path)).status).toBe(200);
    expect((await sendAs(url, 'ben', 'GET', path)).status).toBe(404);
  }
  const other = await sendAs(third.url, 'ben', 'POST', '/v1/responses', { model: 'm', input: 'x' });
  expect((await sendAs(second.url, 'ben', 'GET', `/v1/responses/${String(other.json['id'])}`)).status).toBe(200);
  expect((await sendAs(second.url, 'anna', 'GET', `/v1/responses/${String(other.json['id'])}`)).status).toBe(404);
  const files = readdirSync(join(cwd, '.gateway')).filter((name) => name.startsWith('objects.db'));
  for (const name of files) expect(statSync(join(cwd, '.gateway', name)).mode & 0o777, name).toBe(0o600);
});

it.each([
  ['memory', (): string => 'memory', 'isolate: true without a state directory'],
  [
    'a table that cannot be opened',
    (dir: string): string => {
      mkdirSync(join(dir, 'objects.db'));
      return dir;
    },
    'objects.db in the state directory cannot be opened',
  ],
])('with %s, owners are stored in memory, and this is logged', async (_, prepare, line) => {
  const gateway = await startTestGateway(yamlFor(account), { stateDir: prepare(cwd) });
  try {
    const created = await sendAs(gateway.url, 'anna', 'POST', '/v1/files', upload('{}\n'));
    const path = `/v1/files/${String(created.json['id'])}`;
    expect((await sendAs(gateway.url, 'anna', 'GET', path)).status).toBe(200);
    expect((await sendAs(gateway.url, 'ben', 'GET', path)).status).toBe(404);
    expect(gateway.lines.join('')).toContain(line);
  } finally {
    await gateway.close();
  }
});

it('a damaged table is renamed, and a new durable one is created', async () => {
  const invalidDatabase = 'not a database, and long enough to be seen as one'.repeat(100);
  writeFileSync(join(cwd, 'objects.db'), invalidDatabase);
  const ids: string[] = [];
  for (const _ of [1, 2]) {
    const gateway = await startTestGateway(yamlFor(account), { stateDir: cwd });
    try {
      ids.push(String((await sendAs(gateway.url, 'anna', 'POST', '/v1/files', upload('{}\n'))).json['id']));
      for (const id of ids) {
        expect((await sendAs(gateway.url, 'anna', 'GET', `/v1/files/${id}`)).status).toBe(200);
        expect((await sendAs(gateway.url, 'ben', 'GET', `/v1/files/${id}`)).status).toBe(404);
      }
      expect(gateway.lines.join('').includes('objects.db was damaged and was renamed')).toBe(ids.length === 1);
    } finally {
      await gateway.close();
    }
  }
  const aside = readdirSync(cwd).filter((name) => name.startsWith('objects.db.corrupt-'));
  expect(aside.map((name) => readFileSync(join(cwd, name), 'utf8'))).toEqual([invalidDatabase]);
});

it('isolation that a reload enables is in effect afterwards', async () => {
  const gateway = await startTestGateway(yamlFor(account).replace(', isolate: true', ''));
  try {
    const before = await sendAs(gateway.url, 'anna', 'POST', '/v1/files', upload('{}\n'));
    expect((await sendAs(gateway.url, 'ben', 'GET', `/v1/files/${String(before.json['id'])}`)).status).toBe(200);
    expect(readdirSync(join(gateway.dir, '.gateway'))).not.toContain('objects.db');
    await gateway.write(yamlFor(account));
    expect(await gateway.gateway.reload()).toMatchObject({ type: 'reloaded' });
    const after = await sendAs(gateway.url, 'anna', 'POST', '/v1/files', upload('{}\n'));
    for (const created of [before, after])
      expect((await sendAs(gateway.url, 'ben', 'GET', `/v1/files/${String(created.json['id'])}`)).status).toBe(404);
    expect((await sendAs(gateway.url, 'anna', 'GET', `/v1/files/${String(after.json['id'])}`)).status).toBe(200);
  } finally {
    await gateway.close();
  }
});
