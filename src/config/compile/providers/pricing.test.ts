import { expect, it } from 'vitest';
import { compilePricing } from './pricing.ts';

it.each<[string, object, object, string, string]>([
  ['as writing for five minutes', { cache_write: 3.75 }, {}, '3.75', '3.75'],
  ['as other input', {}, {}, '3', '6'],
  ['what its own price says', { cache_write_1h: 7 }, {}, '7', '7'],
  ['what its own price says of a long request', { cache_write: 3.75 }, { cache_write_1h: 12 }, '3.75', '12'],
  ['as writing for five minutes in a long request', { cache_write: 3.75 }, { cache_write: 7.5 }, '3.75', '7.5'],
])('writing to a cache for an hour costs %s', (_, prices, long, short, above) => {
  const entry = { input: 3, output: 15, ...prices, long_context: [{ above: 200_000, input: 6, ...long }] };
  const [override] = compilePricing({ m: entry });
  expect(override?.price.shown['cache_write_1h']).toBe(short);
  expect(override?.price.long[0]?.shown['cache_write_1h']).toBe(above);
});

it('a price that a longer row leaves out stays that of the row before it, in any order of the rows', () => {
  const rows = [
    { above: 500_000, output: 40 },
    { above: 200_000, input: 6, output: 20 },
  ];
  for (const long_context of [rows, rows.toReversed()]) {
    const [override] = compilePricing({ m: { input: 3, output: 15, long_context } });
    const shown = override?.price.long.map(({ above, shown: { input, output } }) => [above, input, output]);
    expect(shown).toEqual([
      [500_000, '6', '40'],
      [200_000, '6', '20'],
    ]);
  }
});
