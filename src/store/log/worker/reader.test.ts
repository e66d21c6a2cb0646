import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import type { RpcHandlers } from '../rpc/protocol.ts';
import { createReader } from './reader.ts';
import { asUnavailable } from './unavailable.ts';

const dir = mkdtempSync(join(tmpdir(), 'reader-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const searchWith = (handlers: RpcHandlers): Promise<unknown> =>
  (handlers['search'] as (argument: unknown) => Promise<unknown>)({ of: { query: '', limit: 1 } });

it('rejects a search with log_unavailable if the file is damaged, empty or missing', async () => {
  const path = (name: string): string => join(dir, name);
  writeFileSync(path('damaged'), 'SQLite format 3\0'.padEnd(9000, 'x'));
  new DatabaseSync(path('empty')).close();
  writeFileSync(path('bare'), '');
  for (const name of ['damaged', 'empty', 'bare', 'missing'])
    await expect(searchWith(createReader({ kind: 'sqlite', path: path(name) }, () => 0))).rejects.toMatchObject({
      code: 'log_unavailable',
    });
});

it('reports a damaged file once', async () => {
  const path = join(dir, 'broken');
  writeFileSync(path, 'no database'.repeat(1000));
  const reports: (readonly string[])[] = [];
  const reader = createReader(
    { kind: 'sqlite', path },
    () => 0,
    (problems) => void reports.push(problems),
  );
  for (let i = 0; i < 2; i += 1) await expect(searchWith(reader)).rejects.toMatchObject({ code: 'log_unavailable' });
  expect(reports).toEqual([[expect.stringMatching(/^A query found the request log damaged: file is not a database\. .*Rename it/)]]);
});

it.each([
  [5, /Another process locks the file/],
  [267, /Rename it and its -wal file/],
  [13, /Free some space/],
  [1, undefined],
])('asUnavailable() shows what to do about SQLite error %s: %s', (errcode, hint) => {
  const thrown = Object.assign(new Error('x'), { errcode });
  const unavailable = asUnavailable(thrown);
  if (hint === undefined) expect(unavailable).toBe(thrown);
  else expect(unavailable).toMatchObject({ code: 'log_unavailable', hint: expect.stringMatching(hint) as string });
});

it.each([
  ['55P03', 'cannot be read: x'],
  ['42P01', 'cannot be read: x'],
  ['42501', 'cannot be read: x'],
  ['XX001', 'cannot be read: x'],
  ['log_unavailable', 'cannot be read: x'],
  ['42601', undefined],
  ['22P02', undefined],
  ['ERR_X', undefined],
])('asUnavailable() maps Postgres error code %s to: %s', (code, message) => {
  const thrown = Object.assign(new Error('x'), { code });
  const unavailable = asUnavailable(thrown);
  if (message === undefined) expect(unavailable).toBe(thrown);
  else expect(unavailable).toMatchObject({ code: 'log_unavailable', message: expect.stringContaining(message) as string });
});
