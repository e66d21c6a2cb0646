import { describe, it } from 'vitest';
import { runFuzz } from './law.ts';

/** A short run, always with the same cases. The long run uses a random seed: `npm run fuzz`. */

const seed = 20_261_122;
const mb = 1_000_000;

describe.concurrent.each([false, true])('a gateway with keys: %s', (withKeys) => {
  it('responds to any request with any provider response, and keeps running', async ({ expect }) => {
    const { cases, broken, heap, rss } = await runFuzz({ seed, cases: 500, withKeys });
    expect(broken).toEqual([]);
    expect(cases).toBe(500);
    // After warm-up, nothing of a request remains except its record on the disk.
    expect(heap[1] - heap[0]).toBeLessThan(40 * mb);
    expect(rss[1] - rss[0]).toBeLessThan(200 * mb);
  });
});
