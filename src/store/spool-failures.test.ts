import { fstatSync, mkdtempSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeRecord } from './encode.ts';
import type { LossReport } from './frame.ts';
import { readSpool } from './fixtures/read-spool.ts';
import { sampleRecord } from './fixtures/sample.ts';
import { listSegments, openSpool, type SpoolOptions } from './spool.ts';

const mib = 1024 * 1024;
let dir: string;
let lossReports: LossReport[];

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'spool-')), 'spool');
  lossReports = [];
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));

const open = (options: Partial<SpoolOptions> = {}) =>
  openSpool({ dir, maxTotal: 100 * mib, onDrop: (drop) => lossReports.push(drop), ...options });
const frame = (id: string, body = '') => encodeRecord(sampleRecord({ id }), { request: [Buffer.from(body)] });
const storedIds = () => readSpool(dir).map((entry) => (entry.kind === 'record' ? entry.record.id : `+${entry.id}`));

describe('spool on a failing disk', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

  it('drops and counts only records that could not be written, and continues later', async () => {
    let freeBytes = 5000;
    const spool = open({
      write: (fd, bytes, offset, length) => {
        if (freeBytes <= 0) throw full;
        const written = writeSync(fd, bytes, offset, Math.min(length, freeBytes));
        freeBytes -= written;
        return written;
      },
    });
    for (const id of ['a', 'b', 'c', 'd']) spool.append([frame(id, 'x'.repeat(500))]);
    freeBytes = mib;
    spool.append([frame('e')]);
    spool.close();
    const stored = storedIds();
    expect(stored[0]).toBe('a');
    expect(stored.at(-1)).toBe('e');
    expect(spool.stats.dropped).toBe(5 - stored.length);
    expect(lossReports).toEqual(Array.from({ length: 5 - stored.length }, () => ({ why: 'write', frames: 1, error: full })));
  });

  it.each([
    ['EFBIG', 2, ['a', 'c']],
    ['ENOSPC', 1, ['a']],
  ])('after %s in a segment, the records are in %i segments', (code, segments, stored) => {
    const inodes = new Set<number>();
    const limited = Object.assign(new Error(code), { code });
    const spool = open({
      write: (fd, bytes, offset, length) => {
        const { ino, size } = fstatSync(fd);
        inodes.add(ino);
        if (size > 0) throw limited;
        return writeSync(fd, bytes, offset, length);
      },
    });
    for (const id of ['a', 'b', 'c']) spool.append([frame(id)]);
    spool.close();
    expect([inodes.size, storedIds()]).toEqual([segments, stored]);
    expect(spool.stats.dropped).toBe(3 - stored.length);
  });

  it('keeps a new segment that fails too', () => {
    const spool = open({
      write: () => {
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      },
    });
    for (const id of ['a', 'b', 'c']) spool.append([frame(id)]);
    spool.close();
    expect(listSegments(dir)).toHaveLength(1);
  });

  it('does not throw if the folder cannot be recreated or the spool is closed', () => {
    const closed = open();
    closed.close();
    closed.append([frame('c')]);
    expect([closed.stats.dropped, listSegments(dir)]).toEqual([1, []]);
    const spool = open();
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'a file now');
    spool.append([frame('a'), frame('b')]);
    expect(spool.stats.dropped).toBe(2);
  });
});
