import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyRecord } from '../../../core/records/empty.ts';
import type { LogRecord } from '../../../core/records/record.ts';
import { encodeRecord } from '../../encode.ts';
import { listSegments, openSpool } from '../../spool.ts';
import { readSpool } from '../../fixtures/read-spool.ts';
import { SpoolEviction } from './eviction.ts';
import { SegmentWindow } from './segment-window.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'room-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const limit = 400_000;
const body = Buffer.alloc(3000, 'x');

/** Writes records r0, r1, … in segments of ten. */
function fill(count: number, hasBodies: boolean): void {
  const spool = openSpool({ dir, maxTotal: 1e9, maxSegment: hasBodies ? 40_000 : 12_000 });
  for (let i = 0; i < count; i += 1) {
    const request = {
      headers: {},
      body: { size: 3000, kept: 3000, sha256: null, same_as: null, patch: null, chunks: null },
      why_absent: null,
    };
    const record = { ...emptyRecord, v: 1, id: `r${i}`, admitted: true, ...(hasBodies ? { request } : {}) } as unknown as LogRecord;
    spool.append([encodeRecord(record, hasBodies ? { request: [body] } : {})]);
  }
  spool.close();
}

async function storedState(): Promise<{ records: number; bodies: number; bytes: number; oldest: string; absent: unknown }> {
  const entries = readSpool(dir).flatMap((entry) => (entry.kind === 'record' ? [entry] : []));
  return {
    records: entries.length,
    bodies: entries.filter(({ bodies }) => bodies.request !== undefined).length,
    bytes: listSegments(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0),
    oldest: entries[0]?.record.id ?? '',
    absent: entries[0]?.record.request.why_absent,
  };
}

it('evicts a record that can be decoded only up to its row, and leaves no temporary file', async () => {
  fill(90, true);
  const [oldest = ''] = listSegments(dir);
  const bytes = readFileSync(join(dir, oldest));
  bytes.write('\u0001', bytes.indexOf('"messages":[[{') + '"messages":[['.length + 1);
  writeFileSync(join(dir, oldest), bytes);
  const eviction = new SpoolEviction(dir, limit);
  eviction.evict(() => undefined);
  expect(eviction.droppedRecords).toBe(1);
  expect(await storedState()).toMatchObject({ records: 89, oldest: 'r1' });
  expect(readdirSync(dir).filter((name) => name.endsWith('.half'))).toEqual([]);
});

it('changes nothing if the spool is below its size limit', async () => {
  fill(40, true);
  new SpoolEviction(dir, limit).evict(() => undefined);
  expect(await storedState()).toMatchObject({ records: 40, bodies: 40 });
});

it('deletes the oldest bodies first and no records', async () => {
  fill(90, true);
  const eviction = new SpoolEviction(dir, limit);
  eviction.evict(() => undefined);
  const remaining = await storedState();
  expect(remaining).toMatchObject({ records: 90, oldest: 'r0', absent: 'deleted: the spool was full' });
  expect(remaining.bytes).toBeLessThan(limit * 0.55);
  expect([eviction.droppedBodies, eviction.droppedRecords]).toEqual([90 - remaining.bodies, 0]);
  expect(remaining.bodies).toBeGreaterThan(9);
});

it('deletes the oldest records if deleting bodies does not free enough, and counts them', async () => {
  fill(600, false);
  const eviction = new SpoolEviction(dir, limit);
  eviction.evict(() => undefined);
  const remaining = await storedState();
  expect(remaining.bytes).toBeLessThan(limit * 0.75);
  expect([eviction.droppedBodies, eviction.droppedRecords]).toEqual([0, 600 - remaining.records]);
  expect(remaining.oldest).toBe(`r${eviction.droppedRecords}`);
});

it.each([
  ['bodies', true, 1],
  ['records', false, 2],
])('skips a segment that the spool deletes while %s are evicted, and does not count its records', async (_, hasBodies, turn) => {
  fill(hasBodies ? 90 : 600, hasBodies);
  const [first = ''] = listSegments(dir);
  const gone = new SegmentWindow().read(join(dir, first), 0).entries.length;
  const room = new SpoolEviction(dir, limit);
  let calls = 0;
  room.evict((segment) => {
    if (segment === first && (calls += 1) === turn) unlinkSync(join(dir, first));
    return undefined;
  });
  const left = await storedState();
  expect([calls, left.records]).toEqual([turn, (hasBodies ? 90 : 600) - gone - room.droppedRecords]);
  expect([left.bodies, left.bytes < limit * 0.75]).toEqual([hasBodies ? 90 - gone - room.droppedBodies : 0, true]);
});

it('deletes only temporary files that a crash left', () => {
  fill(10, true);
  const segments = listSegments(dir);
  writeFileSync(join(dir, `${segments[0]?.replace('.log', '.bare.log') ?? ''}.half`), '{"v":1');
  new SpoolEviction(dir, limit).evict(() => undefined);
  expect(readdirSync(dir).toSorted()).toEqual(segments);
});

it('neither rewrites nor counts records that are already stored', async () => {
  fill(90, true);
  const [first = ''] = listSegments(dir);
  const stored = new SegmentWindow().read(join(dir, first), 0).entries.slice(0, 4);
  const offset = stored.reduce((sum, entry) => (entry.kind === 'record' ? sum + entry.entry.slice.to - entry.entry.slice.from : sum), 0);
  const eviction = new SpoolEviction(dir, limit);
  eviction.evict((segment) => (segment === first ? offset : 0));
  const remaining = await storedState();
  expect(remaining).toMatchObject({ records: 86, oldest: 'r4' });
  expect([eviction.droppedBodies, eviction.droppedRecords]).toEqual([86 - remaining.bodies, 0]);
});
