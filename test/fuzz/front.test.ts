import { expect, it } from 'vitest';
import { corpus } from './front/corpus.ts';
import { compare, checkFront } from './front/law.ts';

/** `npm run fuzz` does the same with a million connections. */

it("random connections have the same effect with the gateway's HTTP reader as with node:http", async () => {
  const result = await checkFront(1, 0, 3000);
  expect(result.broken).toEqual([]);
  expect(result.plain).toBeGreaterThan(1000);
});

it('ambiguous requests have the same effect as with node:http, split at any position', async () => {
  for (const [name, text] of Object.entries(corpus)) {
    const splits = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);
    const { broken } = await compare(splits);
    expect(broken.slice(0, 1), name).toEqual([]);
  }
});
