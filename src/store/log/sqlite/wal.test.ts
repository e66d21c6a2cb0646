import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hasLostTransactions } from '../../damage/wal.ts';
import { openSqliteStore } from './store.ts';

const position = (offset: number) => ({ records: [], amendments: [], positions: [{ segment: 's', offset }], deletedSegments: [] });

/** The files of a process that was killed after ten transactions. */
async function killedLog(before?: (db: ReturnType<typeof openSqliteStore>['db']) => void): Promise<{ path: string; wal: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'wal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const running = openSqliteStore(join(dir, 'log.sqlite'));
  before?.(running.db);
  for (let n = 1; n <= 10; n += 1) await running.write(position(n));
  const path = join(dir, 'copy.sqlite');
  for (const suffix of ['', '-wal']) cpSync(join(dir, `log.sqlite${suffix}`), path + suffix);
  await running.close();
  return { path, wal: `${path}-wal` };
}

function damage(path: string, at: number): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, Buffer.alloc(5000, 7), 0, 5000, at);
  closeSync(fd);
}

async function reopened(path: string): Promise<[warning: string | undefined, position: number | undefined]> {
  const store = openSqliteStore(path);
  const found = (await store.positions()).get('s');
  await store.close();
  return [store.warning, found];
}

it('reports transactions that cannot be recovered behind a damaged page, once', async () => {
  const { path, wal } = await killedLog();
  damage(wal, statSync(wal).size - 60_000);
  const [warning, found] = await reopened(path);
  expect(found).toBeLessThan(9);
  expect(warning).toBe(`The write-ahead log of ${path} was damaged: records that were stored in its last transactions may be missing.`);
  expect(await reopened(path)).toEqual([undefined, found]);
});

it('reports transactions that cannot be recovered without the beginning of the log', async () => {
  const { path, wal } = await killedLog();
  damage(wal, 0);
  expect(await reopened(path)).toEqual([expect.stringContaining('damaged'), undefined]);
});

it('reports a loss once, also if the process is killed after it', async () => {
  const { path, wal } = await killedLog();
  damage(wal, statSync(wal).size - 60_000);
  const store = openSqliteStore(path);
  expect(store.warning).toBeDefined();
  await store.write(position(11));
  for (const suffix of ['', '-wal']) cpSync(path + suffix, `${path}-2${suffix}`);
  await store.close();
  expect(await reopened(`${path}-2`)).toEqual([undefined, 11]);
});

/** Bytes of a page in the log, after those of its header. */
const pageBytes = 24 + 8192;

/** A log that was begun again over the pages of an earlier one, and where the new pages end. */
async function repeatedLog(): Promise<{ old: Buffer; repeated: Buffer; end: number; path: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'wal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'log.sqlite');
  const store = openSqliteStore(path);
  for (let n = 1; n <= 20; n += 1) await store.write(position(n));
  store.db.exec('PRAGMA wal_checkpoint(FULL)');
  const old = readFileSync(`${path}-wal`);
  for (let n = 21; n <= 30; n += 1) await store.write(position(n));
  const repeated = readFileSync(`${path}-wal`);
  await store.close();
  const isNew = (at: number): boolean => repeated.subarray(at + 8, at + 16).equals(repeated.subarray(16, 24));
  let end = 32;
  while (end < repeated.length && isNew(end)) end += pageBytes;
  return { old, repeated, end, path };
}

it('reports nothing wherever a process is killed between two writes', async () => {
  const { old, repeated, end, path } = await repeatedLog();
  expect(end).toBeGreaterThan(10 * pageBytes);
  expect(end).toBeLessThan(old.length);
  for (let at = 32; at <= end; at += pageBytes) {
    for (const written of [at, at + 24]) {
      writeFileSync(`${path}-wal`, Buffer.concat([repeated.subarray(0, written), old.subarray(written)]));
      expect(hasLostTransactions(path), `killed after ${written} bytes`).toBe(false);
    }
  }
});

it('reports nothing after a killed process, a torn transaction, or a log that was begun again', async () => {
  expect(await reopened((await killedLog()).path)).toEqual([undefined, 10]);
  const torn = await killedLog();
  truncateSync(torn.wal, statSync(torn.wal).size - 100);
  expect(await reopened(torn.path)).toEqual([undefined, 9]);
  const repeated = await killedLog((db) => {
    db.exec('CREATE TABLE more (bytes); INSERT INTO more VALUES (zeroblob(4000000)); PRAGMA wal_checkpoint(FULL);');
  });
  expect(statSync(repeated.wal).size).toBeGreaterThan(4_000_000);
  expect(await reopened(repeated.path)).toEqual([undefined, 10]);
});
