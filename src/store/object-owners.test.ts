import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { openOrReplaceOwners, openOwners, withMemoryFallback } from './object-owners.ts';

const folder = mkdtempSync(join(tmpdir(), 'owners-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('keeps the first owner of an id in every process and after reopening', () => {
  const path = join(folder, 'law.db');
  const expectedOwners = new Map<string, string>();
  const id = fc.oneof(
    fc.string({ minLength: 1, maxLength: 8, unit: 'binary' }),
    fc.constantFrom('file-1', "'; DROP TABLE lasting", '__proto__'),
  );
  const step = fc.record({
    account: fc.constantFrom('a', 'b'),
    ids: fc.array(id, { maxLength: 4 }),
    owner: fc.constantFrom('x', 'y'),
    isTemporary: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const tables = [openOwners(path), openOwners(path)];
      for (const [i, { account, ids, owner, isTemporary }] of steps.entries()) {
        tables[i % 2]?.bind(account, ids, owner, isTemporary);
        for (const id of ids) expectedOwners.set(`${account} ${id}`, expectedOwners.get(`${account} ${id}`) ?? owner);
      }
      for (const { account, ids } of steps)
        for (const id of ids) for (const table of tables) expect(table.ownerOf(account, id)).toBe(expectedOwners.get(`${account} ${id}`));
      for (const table of tables) table.close();
    }),
    { numRuns: 30 },
  );
});

it('deletes the oldest ids beyond the limit, short-lived ones separately from lasting ones', () => {
  const owners = openOwners(':memory:', 1000);
  owners.bind('a', ['file-1'], 'x', false);
  for (let i = 0; i < 5000; i += 1) owners.bind('a', [`resp-${i}`], 'x', true);
  expect(owners.ownerOf('a', 'file-1')).toBe('x');
  expect(owners.ownerOf('a', 'resp-0')).toBeUndefined();
  expect(owners.ownerOf('a', 'resp-3000')).toBeUndefined();
  for (let i = 4000; i < 5000; i += 1) expect(owners.ownerOf('a', `resp-${i}`)).toBe('x');
  owners.close();
});

it('keeps an owner in memory if the file cannot store it', () => {
  const file = openOwners(':memory:');
  const faults: unknown[] = [];
  const full = {
    ...file,
    ownerOf: file.ownerOf.bind(file),
    close: file.close.bind(file),
    bind: () => {
      throw new Error('disk full');
    },
  };
  const owners = withMemoryFallback(full, (error) => faults.push(error));
  owners.bind('a', ['file-1'], 'x', false);
  expect(owners.ownerOf('a', 'file-1')).toBe('x');
  expect(faults).toHaveLength(1);
  owners.close();
});

it('keeps owners in memory and reports each if its file was removed', () => {
  const path = join(folder, 'removed.db');
  const faults: unknown[] = [];
  const owners = withMemoryFallback(openOwners(path), (error) => faults.push(error));
  owners.bind('a', ['file-1'], 'x', false);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix);
  owners.bind('a', ['file-2'], 'y', false);
  expect(['file-1', 'file-2'].map((id) => owners.ownerOf('a', id))).toEqual(['x', 'y']);
  expect(faults).toEqual([new Error('the file was removed or replaced')]);
  owners.close();
});

it('reports owners that cannot be recovered behind a damaged page, once', () => {
  const path = join(folder, 'damaged.db');
  const running = openOwners(join(folder, 'running.db'));
  for (let n = 0; n < 20; n += 1) running.bind('a', [`file-${n}`], 'x', false);
  for (const suffix of ['', '-wal']) cpSync(join(folder, `running.db${suffix}`), path + suffix);
  running.close();
  const wal = readFileSync(`${path}-wal`);
  writeFileSync(`${path}-wal`, wal.fill(7, wal.length - 40_000, wal.length - 38_000));

  const losses: string[] = [];
  const open = () =>
    openOrReplaceOwners(path, Date.now, { replaced: () => losses.push('replaced'), incomplete: () => losses.push('incomplete') });
  const tables = [open(), open()];
  expect(tables[0]?.ownerOf('a', 'file-19')).toBeUndefined();
  expect(losses).toEqual(['incomplete']);
  for (const table of tables) table.close();
});
