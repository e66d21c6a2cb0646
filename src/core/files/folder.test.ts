import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipping } from '../../../test/support/skipping.ts';
import { makeFolder } from './folder.ts';
import { checkRegularFile, readRegularFile, readRegularFileAsync } from './regular-file.ts';

const missingProc = existsSync('/proc/self/status') ? undefined : 'this system has no /proc';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'folder-'));
  writeFileSync(join(dir, 'file'), 'x'.repeat(100));
  writeFileSync(join(dir, 'large'), 'y'.repeat(200_000));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('makeFolder', () => {
  it('creates the folder and its parents for the owner only, and accepts an existing one', () => {
    for (let times = 0; times < 2; times += 1) makeFolder(join(dir, 'a/b/c'));
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(dir, path)).mode & 0o777).toBe(0o700);
  });

  it('succeeds if several threads create the same folder at the same time', async () => {
    const sharedGate = new SharedArrayBuffer(4);
    const workerCode = `
      const { workerData: { dir, gate, module } } = require('node:worker_threads');
      const turn = new Int32Array(gate);
      void import(module).then(({ makeFolder }) => {
        for (let i = 0; i < 200; i += 1) {
          Atomics.add(turn, 0, 1);
          while (Atomics.load(turn, 0) < 2 * (i + 1));
          makeFolder(dir + '/shared' + i + '/a/b/c');
        }
      });`;
    const module = new URL('./folder.ts', import.meta.url).href;
    const runs = [0, 1].map(() => new Worker(workerCode, { eval: true, workerData: { dir, gate: sharedGate, module } }));
    const ends = runs.map((run) => new Promise((resolve, reject) => run.once('error', reject).once('exit', resolve)));
    try {
      await expect(Promise.all(ends)).resolves.toEqual([0, 0]);
    } finally {
      await Promise.all(runs.map((run) => run.terminate()));
    }
  });

  it.each([
    ['file', 'EEXIST'],
    ['file/below', 'ENOTDIR'],
    ['file/far/below', 'ENOTDIR'],
  ])('does not create %s', (path, code) => {
    expect(() => makeFolder(join(dir, path))).toThrow(expect.objectContaining({ code }));
  });

  it.skipIf(skipping(missingProc))('throws ENOENT if the system creates no folder there', () => {
    expect(() => makeFolder('/proc/none/such')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});

describe('readRegularFile', () => {
  it.each([
    ['file', 100, 100],
    ['file', 1000, 100],
    ['large', 200_000, 200_000],
  ])('reads %s up to %d bytes', async (name, maxBytes, size) => {
    const path = join(dir, name);
    checkRegularFile(path, maxBytes);
    const now = readRegularFile(path, maxBytes);
    expect(now.length).toBe(size);
    expect(await readRegularFileAsync(path, maxBytes)).toEqual(now);
  });

  it.each([
    ['file', 99, 'EFBIG', 'EFBIG: it is too large'],
    ['.', 99, 'EISDIR', 'EISDIR: it is a directory'],
    ['/dev/null', 99, 'ENOTREG', 'ENOTREG: it is not a regular file'],
    ['none', 99, 'ENOENT', ''],
  ])('does not read %s up to %d bytes: %s', async (name, maxBytes, code, message) => {
    const path = name.startsWith('/') ? name : join(dir, name);
    const fault = expect.objectContaining({ code, message: expect.stringContaining(message) as string });
    expect(() => checkRegularFile(path, maxBytes)).toThrow(fault);
    expect(() => readRegularFile(path, maxBytes)).toThrow(fault);
    await expect(readRegularFileAsync(path, maxBytes)).rejects.toEqual(fault);
  });

  it.skipIf(skipping(missingProc))('limits the bytes read from a file that reports no size', async () => {
    const path = '/proc/self/status';
    expect(readRegularFile(path, 100_000).toString()).toMatch(/^Name:/);
    const fault = expect.objectContaining({ code: 'EFBIG' });
    expect(() => readRegularFile(path, 10)).toThrow(fault);
    await expect(readRegularFileAsync(path, 10)).rejects.toEqual(fault);
  });
});
