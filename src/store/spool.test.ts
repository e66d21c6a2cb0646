import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMask } from '../core/secrets/mask.ts';
import { encodeAmendment, encodeRecord } from './encode.ts';
import type { LossReport, SpoolEntry } from './frame.ts';
import { sampleRecord } from './fixtures/sample.ts';
import { SegmentWindow } from './log/drain/segment-window.ts';
import { readSpool } from './fixtures/read-spool.ts';
import { listSegments, openSpool, type SpoolOptions } from './spool.ts';

let dir: string;
let lossReports: LossReport[];

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'spool-')), 'spool');
  lossReports = [];
});

afterEach(() => {
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

const mib = 1024 * 1024;
const open = (options: Partial<SpoolOptions> = {}) =>
  openSpool({ dir, maxTotal: 100 * mib, onDrop: (drop) => lossReports.push(drop), ...options });
const frame = (id: string, body = '') => encodeRecord(sampleRecord({ id }), { request: [Buffer.from(body)] });

const readEntries = () => readSpool(dir);
const ids = (entries: readonly SpoolEntry[]) => entries.map((entry) => (entry.kind === 'record' ? entry.record.id : `+${entry.id}`));

describe('spool', () => {
  it('reads records, bodies and amendments as they were written', async () => {
    const spool = open();
    const record = sampleRecord({ metadata: { note: 'Grüße\n"parts":[] 🎉' } });
    const binary = Buffer.from([0x7b, 0x0a, 0x00, 0xff, 0x0a, 0x0a]);
    spool.append([
      encodeRecord(record, { request: [Buffer.from('{"a":'), Buffer.from('1}\n')], response: [binary] }),
      encodeRecord(sampleRecord({ id: 'bare' }), {}),
      encodeAmendment('bare', { end: 'client_gone', total: 12.5, out: 7 }),
    ]);
    spool.append([]);
    spool.close();
    const entries = readEntries();
    expect(entries).toEqual([
      { kind: 'record', record, bodies: { request: Buffer.from('{"a":1}\n'), response: binary } },
      { kind: 'record', record: sampleRecord({ id: 'bare' }), bodies: {} },
      { kind: 'amendment', id: 'bare', end: { end: 'client_gone', total: 12.5, out: 7 } },
    ]);
    expect(spool.stats).toMatchObject({ frames: 3, dropped: 0 });
  });

  it('reads records of an older version without notes', async () => {
    const { notes: _, ...oldRecord } = sampleRecord({ id: 'old' });
    const spool = open();
    spool.append([encodeRecord({ ...oldRecord, plugins: [{ name: 'auth', moment: 'admit', ms: 1, note: null }] } as never, {})]);
    spool.close();
    expect(readEntries()).toMatchObject([{ kind: 'record', record: { id: 'old', notes: {}, metadata: { team: 'web' } } }]);
  });

  it('writes all frames of one call with one write', () => {
    let writes = 0;
    const spool = open({
      write: (fd, bytes, offset, length) => {
        writes += 1;
        return writeSync(fd, bytes, offset, length);
      },
    });
    spool.append(Array.from({ length: 500 }, (_, i) => frame(`r${i}`, 'body')));
    expect(writes).toBe(1);
    spool.close();
  });

  it('stores frames that are larger than its block', async () => {
    const spool = open();
    const body = 'x'.repeat(3 * mib);
    spool.append([frame('a'), frame('big', body), frame('z')]);
    spool.close();
    const entries = readEntries();
    expect(ids(entries)).toEqual(['a', 'big', 'z']);
    const largeEntry = entries[1];
    expect(largeEntry?.kind === 'record' && largeEntry.bodies.request?.toString() === body).toBe(true);
  });

  it('creates the folder with mode 700 and files with mode 600', () => {
    const spool = open();
    spool.append([frame('a')]);
    spool.close();
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    const [name] = readdirSync(dir);
    expect(name).toMatch(new RegExp(`^\\d+-${process.pid}-000001\\.log$`));
    expect(statSync(join(dir, name ?? '')).mode & 0o777).toBe(0o600);
  });

  it('masks each frame with its own mask and leaves the passed buffers unchanged', async () => {
    const spool = open();
    const piece = Buffer.from('the key is first-secret, not second-secret');
    const maskOf = (secret: string) => createMask([secret]);
    const first = maskOf('first-secret');
    const encode = (id: string, mask: ReturnType<typeof createMask>) =>
      encodeRecord(sampleRecord({ id, warnings: ['second-secret'] }), { request: [piece] }, mask);
    spool.append([encode('a', first), encode('b', first), encode('c', maskOf('second-secret'))]);
    spool.close();
    const warningAndBody = readEntries().map((entry) =>
      entry.kind === 'record' ? [entry.record.warnings[0], entry.bodies.request?.toString()] : [],
    );
    expect(warningAndBody).toEqual([
      ['second-secret', 'the key is ************, not second-secret'],
      ['second-secret', 'the key is ************, not second-secret'],
      ['*************', 'the key is first-secret, not *************'],
    ]);
    expect(piece.toString()).toContain('first-secret');
  });

  it('starts a new segment when one is full, and drops the oldest ones beyond the total limit', async () => {
    const spool = open({ maxSegment: 10_000, maxTotal: 40_000 });
    for (let i = 0; i < 60; i += 1) spool.append([frame(`r${i}`, 'x'.repeat(1000))]);
    spool.close();
    const sizes = readdirSync(dir).map((name) => statSync(join(dir, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(43_000);
    const storedIds = ids(readEntries());
    expect(storedIds.at(-1)).toBe('r59');
    expect(storedIds).toEqual(Array.from({ length: storedIds.length }, (_, i) => `r${60 - storedIds.length + i}`));
    expect([spool.stats.evicted, spool.stats.dropped]).toEqual([lossReports.length, 60 - storedIds.length]);
    expect(lossReports.every((drop) => drop.why === 'room')).toBe(true);
    expect(lossReports.length).toBeGreaterThan(2);
  });

  it('does not count records as dropped that were stored before their segment was evicted', () => {
    const spool = open({ maxSegment: 10_000, maxTotal: 40_000 });
    for (let i = 0; i < 60; i += 1) spool.append([frame(`r${i}`, 'x'.repeat(1000))]);
    const { dropped } = spool.stats;
    const [first, second] = lossReports.flatMap((drop) => (drop.why === 'room' ? [drop.segment] : []));
    spool.reportStored?.({ [first ?? '']: 2 });
    spool.reportStored?.({ [first ?? '']: 3, [second ?? '']: 1, 'another.log': 7 });
    expect(spool.stats.dropped).toBe(dropped - 4);
    spool.reportStored?.({ [first ?? '']: 1e9 });
    spool.reportStored?.({ [first ?? '']: 1e9 });
    expect(spool.stats.dropped).toBeGreaterThan(0);
    spool.close();
  });

  it('counts records evicted from another writer, and keeps the segment it is writing', async () => {
    const bounds = { maxSegment: 10_000, maxTotal: 80_000, writers: 2 };
    // Records of a process that has ended are not counted as dropped.
    const ended = open({ ...bounds, pid: 2 ** 30, startedAt: 500 });
    ended.append([frame('left', 'x'.repeat(1000))]);
    ended.close();
    // The test runs below another process.
    const otherSpool = open({ ...bounds, pid: process.ppid, startedAt: 1000 });
    for (let i = 0; i < 21; i += 1)
      otherSpool.append([frame(`a${i}`, 'x'.repeat(1000)), encodeAmendment(`a${i}`, { end: 'whole', total: 1, out: 1 })]);
    const newest = listSegments(dir).at(-1) ?? '';
    const ownSpool = open({ ...bounds, pid: process.pid, startedAt: 2000 });
    for (let i = 0; i < 60; i += 1) ownSpool.append([frame(`b${i}`, 'x'.repeat(1000))]);
    ownSpool.close();
    expect(listSegments(dir)).toContain(newest);
    // The limit includes a full segment for the other writer.
    const reservedBytes = listSegments(dir).map((name) => (name === newest ? bounds.maxSegment : statSync(join(dir, name)).size));
    expect(reservedBytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(80_000);
    otherSpool.append([frame('last')]);
    otherSpool.close();
    const names = listSegments(dir);
    expect(names.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)).toBeLessThanOrEqual(80_000);
    const storedIds = ids(readEntries());
    expect(storedIds).toEqual(expect.arrayContaining(['last', 'b59']));
    expect(ownSpool.stats.dropped + otherSpool.stats.dropped).toBe(21 * 2 + 60 + 1 - storedIds.length);
    const droppedOfOther = lossReports.flatMap((drop) => (drop.why === 'room' && drop.segment.startsWith('1000-') ? [drop.segment] : []));
    expect(droppedOfOther.length).toBeGreaterThan(0);
    const { dropped } = ownSpool.stats;
    ownSpool.reportStored?.({ [droppedOfOther[0] ?? '']: 3 });
    expect(ownSpool.stats.dropped).toBe(dropped - 3);
  });

  it('reads segments of earlier processes first and counts them towards the limit', async () => {
    const earlierSpool = open({ startedAt: 999, pid: 77 });
    earlierSpool.append([frame('old')]);
    earlierSpool.close();
    const spool = open({ startedAt: 1000, pid: 5 });
    spool.append([frame('new')]);
    spool.close();
    expect(listSegments(dir)).toEqual(['999-77-000001.log', '1000-5-000001.log']);
    expect(ids(readEntries())).toEqual(['old', 'new']);
    const lastSpool = open({ startedAt: 1001, pid: 6, maxTotal: 4 });
    lastSpool.append([frame('newest')]);
    lastSpool.close();
    expect(ids(readEntries())).toEqual(['newest']);
  });

  it.each([
    ['deleted', () => rmSync(dir, { recursive: true })],
    ['moved', () => renameSync(dir, `${dir}-moved`)],
  ])('recreates its folder after it was %s', async (_, change) => {
    const spool = open();
    spool.append([frame('lost')]);
    change();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    spool.append([frame('kept')]);
    spool.close();
    expect(ids(readEntries())).toEqual(['kept']);
  });

  it('throws if the folder cannot be created', () => {
    writeFileSync(join(dir, '..', 'file'), '');
    expect(() => open({ dir: join(dir, '..', 'file', 'spool') })).toThrow('ENOTDIR');
  });
});

describe('SegmentWindow', () => {
  const readSegment = (path: string, from = 0) => {
    const { entries, next, following } = new SegmentWindow().read(path, from);
    return {
      ids: entries.map((readEntries) => (readEntries.kind === 'record' ? readEntries.entry.row.id : `+${readEntries.id}`)),
      next,
      then: following,
    };
  };

  it('stops at an incomplete frame, wherever it is cut', async () => {
    const spool = open();
    spool.append([frame('a', 'body of a\n')]);
    const path = join(dir, listSegments(dir)[0] ?? '');
    const completeSize = statSync(path).size;
    spool.append([frame('b', 'body of b\n')]);
    spool.close();
    const fullSize = statSync(path).size;
    const ends = [
      ...Array.from({ length: 20 }, (_, i) => fullSize - 1 - i),
      Math.round((completeSize + fullSize) / 2),
      completeSize + 1,
      completeSize,
    ];
    for (const end of ends.toSorted((x, y) => y - x)) {
      truncateSync(path, end);
      expect(readSegment(path), `cut at ${end}`).toEqual({ ids: ['a'], next: completeSize, then: end === completeSize ? 'end' : 'torn' });
    }
  });

  it.each([
    '\n\n',
    'garbage\nmore\n',
    '{"v":1}\n\n',
    '{"v":1,"id":"x","parts":[["request",-5]]}\n\n',
    '{"v":1,"id":"x","parts":7}\n\n',
    '{"v":1,"id":"x","parts":[["request",null]]}\n\n',
    '{"v":1,"id":"x","parts":[["request",0.5]]}\n\n',
    '{"v":1,"id":"x","parts":[["request","0"]]}\n\n',
    '{"v":1,"id":"x","parts":[["other",0]]}\n\n',
    '{"v":1,"id":"x","parts":[7]}\n\n',
    '{"v":1,"id":"x","parts":[["request",2]]}\nabc\n',
  ])('stops at bytes that are not a frame: %j', async (text) => {
    const spool = open();
    spool.append([frame('a')]);
    spool.close();
    const path = join(dir, listSegments(dir)[0] ?? '');
    const next = statSync(path).size;
    writeFileSync(path, text, { flag: 'a' });
    expect(readSegment(path)).toMatchObject({ ids: ['a'], next });
    expect(readSegment(path, next)).toEqual({ ids: [], next, then: 'broken' });
  });

  it('continues at the offset where it stopped', async () => {
    const spool = open();
    spool.append([frame('a', 'x'.repeat(300_000)), frame('b', 'y')]);
    const path = join(dir, listSegments(dir)[0] ?? '');
    const { next } = readSegment(path);
    expect(readSegment(path).ids).toEqual(['a', 'b']);
    spool.append([frame('c'), frame('d')]);
    expect(readSegment(path, next).ids).toEqual(['c', 'd']);
    spool.close();
  });

  it('finds no segments if the folder does not exist', async () => {
    expect(existsSync(dir)).toBe(false);
    expect(readEntries()).toEqual([]);
  });
});

describe('spool after kill -9', () => {
  it('contains every record whose append() returned', async () => {
    const child = spawn(process.execPath, [new URL('fixtures/append-records.ts', import.meta.url).pathname, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let acknowledged = '';
    child.stdout.on('data', (data: Buffer) => {
      acknowledged += data.toString();
      if (acknowledged.length > 20_000) child.kill('SIGKILL');
    });
    await new Promise((resolve) => child.on('close', resolve));
    expect(child.signalCode).toBe('SIGKILL');
    const acknowledgedIds = acknowledged.slice(0, acknowledged.lastIndexOf('\n')).split('\n');
    const storedIds = new Set(ids(readEntries()));
    expect(acknowledgedIds.length).toBeGreaterThan(1000);
    expect(acknowledgedIds.filter((id) => !storedIds.has(id))).toEqual([]);
  });
});

describe('spool when the system clock changes', () => {
  // Start times of successive processes, each with one segment.
  it.each([
    ['back', [5000, 1000, 1001, 400]],
    ['forward, and back', [1000, 9_000_000, 1500, 1600]],
    ['not at all, with all starts at once', [1000, 1000, 1000, 1000]],
  ])('keeps the order of records and evicts the oldest if it is set %s', async (_name, starts) => {
    const largeText = 'x'.repeat(300_000);
    for (const [n, startedAt] of starts.entries()) {
      const spool = open({ startedAt, pid: 100 - n });
      spool.append([frame(`r${n}`, largeText)]);
      spool.close();
    }
    expect(ids(readEntries())).toEqual(['r0', 'r1', 'r2', 'r3']);
    const spool = open({ startedAt: 1, pid: 7, maxTotal: 1_200_000 });
    spool.append([frame('new', largeText)]);
    spool.close();
    const remainingIds = ids(readEntries());
    expect(remainingIds.at(-1)).toBe('new');
    expect(remainingIds).toEqual(['r0', 'r1', 'r2', 'r3', 'new'].slice(-remainingIds.length));
    expect(remainingIds.length).toBeLessThan(5);
  });
});
