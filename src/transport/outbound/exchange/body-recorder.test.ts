import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryBudget } from '../../../core/memory/budget.ts';
import { BodyRecorder } from './body-recorder.ts';

const kilobyte = 1024;
const chunkSizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 40 * kilobyte })), { maxLength: 60 });

/** Chunks of these sizes; adjacent bytes always differ. */
function chunksOf(sizes: readonly number[]): Buffer[] {
  let offset = 0;
  return sizes.map((size) => Buffer.from(Array.from({ length: size }, () => (offset += 1) & 0xff)));
}

describe('Keeper', () => {
  test('stores the first bytes of a response however it is split', () => {
    fc.assert(
      fc.property(chunkSizes, fc.integer({ min: 0, max: 300 * kilobyte }), (sizes, maxBytes) => {
        const recorder = new BodyRecorder(maxBytes, new MemoryBudget(Number.POSITIVE_INFINITY));
        const chunks = chunksOf(sizes);
        for (const [n, chunk] of chunks.entries()) recorder.add(chunk, n);
        const allBytes = Buffer.concat(chunks);
        expect(recorder.size).toBe(allBytes.length);
        expect(Buffer.concat(recorder.pieces)).toEqual(allBytes.subarray(0, maxBytes));
      }),
      { numRuns: 50 },
    );
  });

  test('reserves little more memory than it stores', () => {
    const budget = new MemoryBudget(Number.POSITIVE_INFINITY);
    const recorder = new BodyRecorder(256 * kilobyte, budget);
    for (let n = 0; n < 1000; n += 1) {
      recorder.add(Buffer.alloc(150), n);
      expect(budget.used).toBeLessThanOrEqual(Math.max(2 * recorder.size, recorder.size + 16 * kilobyte));
    }
    expect(recorder.pieces.length).toBeLessThan(20);
    recorder.end();
    expect(budget.used).toBe(0);
  });

  test('truncates at the limit of the budget', () => {
    const budget = new MemoryBudget(20 * kilobyte);
    const recorder = new BodyRecorder(256 * kilobyte, budget);
    for (let n = 0; n < 100; n += 1) recorder.add(Buffer.alloc(kilobyte, n), n);
    const recorded = Buffer.concat(recorder.pieces);
    expect([recorder.size, recorded.length <= 20 * kilobyte, recorded.length >= 8 * kilobyte]).toEqual([100 * kilobyte, true, true]);
    expect(recorded).toEqual(Buffer.concat(Array.from({ length: 100 }, (_, n) => Buffer.alloc(kilobyte, n))).subarray(0, recorded.length));
    recorder.end();
    expect(budget.used).toBe(0);
  });
});
