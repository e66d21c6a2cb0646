import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryBudget } from '../../../core/memory/budget.ts';
import { BodyRecorder } from './body-recorder.ts';

const kilobyte = 1024;
const chunkSizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 40 * kilobyte })), { maxLength: 60 });

/** Chunks of these sizes; adjacent bytes always differ. */
function chunksOf(sizes: readonly number[]): Buffer[] {
  let at = 0;
  return sizes.map((size) => Buffer.from(Array.from({ length: size }, () => (at += 1) & 0xff)));
}

describe('Keeper', () => {
  test('stores the first bytes of a response however it is split', () => {
    fc.assert(
      fc.property(chunkSizes, fc.integer({ min: 0, max: 300 * kilobyte }), (sizes, room) => {
        const keeper = new BodyRecorder(room, new MemoryBudget(Number.POSITIVE_INFINITY));
        const chunks = chunksOf(sizes);
        for (const [n, chunk] of chunks.entries()) keeper.add(chunk, n);
        const whole = Buffer.concat(chunks);
        expect(keeper.size).toBe(whole.length);
        expect(Buffer.concat(keeper.pieces)).toEqual(whole.subarray(0, room));
      }),
      { numRuns: 50 },
    );
  });

  test('reserves little more memory than it stores', () => {
    const budget = new MemoryBudget(Number.POSITIVE_INFINITY);
    const keeper = new BodyRecorder(256 * kilobyte, budget);
    for (let n = 0; n < 1000; n += 1) {
      keeper.add(Buffer.alloc(150), n);
      expect(budget.used).toBeLessThanOrEqual(Math.max(2 * keeper.size, keeper.size + 16 * kilobyte));
    }
    expect(keeper.pieces.length).toBeLessThan(20);
    keeper.end();
    expect(budget.used).toBe(0);
  });

  test('truncates at the limit of the budget', () => {
    const budget = new MemoryBudget(20 * kilobyte);
    const keeper = new BodyRecorder(256 * kilobyte, budget);
    for (let n = 0; n < 100; n += 1) keeper.add(Buffer.alloc(kilobyte, n), n);
    const kept = Buffer.concat(keeper.pieces);
    expect([keeper.size, kept.length <= 20 * kilobyte, kept.length >= 8 * kilobyte]).toEqual([100 * kilobyte, true, true]);
    expect(kept).toEqual(Buffer.concat(Array.from({ length: 100 }, (_, n) => Buffer.alloc(kilobyte, n))).subarray(0, kept.length));
    keeper.end();
    expect(budget.used).toBe(0);
  });
});
