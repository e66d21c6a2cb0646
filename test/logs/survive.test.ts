import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { LogReader } from '../../src/core/logs/reader.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';

/** Failures of the request log must not affect requests. */

const yaml = 'version: 1\nproviders:\n  mock: {type: mock}\n';
const gateways: TestGateway[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(stateDir: string, text = yaml): Promise<TestGateway & { readonly logs: LogReader }> {
  const gateway = await startTestGateway(text, { stateDir });
  gateways.push(gateway);
  const { logs } = gateway.gateway;
  if (logs === undefined) throw new Error('the gateway keeps no request log');
  return { ...gateway, logs };
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'survive-'));
  folders.push(dir);
  return dir;
}

async function send(url: string): Promise<{ readonly id: string; readonly status: number }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await response.arrayBuffer();
  return { id: response.headers.get('x-request-id') ?? '', status: response.status };
}

const notesOf = async (url: string): Promise<string> => (await fetch(`${url}/readyz`)).text();

it.each([
  ['not a database', 'this is no database '.repeat(1000)],
  ['damaged in the middle', undefined],
])('renames a damaged file, creates a new one and reports it: %s', async (_name, text) => {
  const dir = folder();
  const path = join(dir, 'log.sqlite');
  if (text === undefined) {
    const before = await start(dir);
    for (let i = 0; i < 5; i += 1) await send(before.url);
    await gateways.pop()?.close();
    writeFileSync(path, readFileSync(path).fill(0xff, 4096, 60_000));
  } else writeFileSync(path, text);
  const { url, logs } = await start(dir);
  const { id, status } = await send(url);
  expect(status).toBe(200);
  const problems = await until(async () => ((await logs.get(id)) === undefined ? undefined : (await logs.state()).problems), 'the record');
  expect(problems.join()).toContain(`it was renamed to ${path}.corrupt-`);
  expect(readdirSync(dir).filter((name) => name.startsWith('log.sqlite.corrupt-')).length).toBeGreaterThan(0);
});

it('keeps records in the spool while the store cannot be opened, reports it, and stores them afterwards', async () => {
  const dir = folder();
  const path = join(dir, 'log.sqlite');
  mkdirSync(path);
  const { url, logs } = await start(dir);
  const { id, status } = await send(url);
  expect(status).toBe(200);
  const state = await until(async () => {
    const now = await logs.state();
    return now.problems.length > 0 ? now : undefined;
  }, 'the problem');
  expect(state.problems.join()).toContain('Records wait in the spool: ');
  expect(state.spool.bytes).toBeGreaterThan(0);
  await until(async () => (await notesOf(url)).includes('Records wait in the spool') || undefined, 'the note');
  rmSync(path, { recursive: true });
  await until(async () => (await logs.get(id).catch(() => undefined)) ?? undefined, 'the record');
  await until(async () => ((await logs.state()).problems.length === 0 ? true : undefined), 'the end of the problem');
});

it('continues in a new file if the database file is deleted', async () => {
  const dir = folder();
  const { url, logs } = await start(dir);
  const before = await send(url);
  expect((await logs.get(before.id))?.record.id).toBe(before.id);
  for (const name of readdirSync(dir)) if (name.startsWith('log.sqlite')) rmSync(join(dir, name));
  await until(() => existsSync(join(dir, 'log.sqlite')) || undefined, 'the new file');
  const { id } = await send(url);
  await until(async () => (await logs.get(id)) ?? undefined, 'the record');
  expect((await logs.state()).problems).toEqual([expect.stringContaining('was deleted or replaced')]);
});

it('keeps records in memory if the state directory is not writable', async () => {
  if (process.getuid?.() === 0) {
    // Root may write everywhere: a file instead of the folder has the same effect.
    const dir = join(folder(), 'state');
    writeFileSync(dir, '');
    const { url, logs } = await start(dir);
    const { id } = await send(url);
    expect((await logs.get(id))?.record.id).toBe(id);
    expect(await logs.state()).toMatchObject({ kind: 'memory', problems: [expect.stringContaining("can't be used")] });
    return;
  }
  const dir = folder();
  chmodSync(dir, 0o500);
  const { url, logs } = await start(dir);
  const { id } = await send(url);
  expect((await logs.get(id))?.record.id).toBe(id);
  expect((await logs.state()).kind).toBe('memory');
});

it('keeps the newest records with memory_rows', async () => {
  const { url, logs } = await start('memory', `${yaml}logging: {requests: {memory_rows: 100}}\n`);
  const ids: string[] = [];
  for (let i = 0; i < 300; i += 1) ids.push((await send(url)).id);
  expect((await logs.get(ids.at(-1) ?? ''))?.record.id).toBe(ids.at(-1));
});
