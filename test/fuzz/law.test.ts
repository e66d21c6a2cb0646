import { describe, it } from 'vitest';
import { holdLaw } from './law.ts';

/** The quick share of the law, always the same cases. The long one, with a seed of its own: `npm run fuzz`. */

const seed = 20_261_122;
const mb = 1_000_000;

describe.concurrent.each([false, true])('a gateway with keys: %s', (withKeys) => {
  it('answers whatever is sent and whatever providers answer, and lives', async ({ expect }) => {
    const { cases, broken, heap, rss } = await holdLaw({ seed, cases: 500, withKeys });
    expect(broken).toEqual([]);
    expect(cases).toBe(500);
    // Once warm nothing of a request is left but its record on the disk.
    expect(heap[1] - heap[0]).toBeLessThan(40 * mb);
    expect(rss[1] - rss[0]).toBeLessThan(200 * mb);
  });
});
