import { expect, it } from 'vitest';
import { compilePricing } from './pricing.ts';

it.each<[string, object, object, string, string]>([
  ['like a five-minute cache write', { cache_write: 3.75 }, {}, '3.75', '3.75'],
  ['like other input', {}, {}, '3', '6'],
  ['its own price', { cache_write_1h: 7 }, {}, '7', '7'],
  ['its own price for a long request', { cache_write: 3.75 }, { cache_write_1h: 12 }, '3.75', '12'],
  ['like a five-minute cache write in a long request', { cache_write: 3.75 }, { cache_write: 7.5 }, '3.75', '7.5'],
])('compilePricing() prices a one-hour cache write %s', (_, prices, longPrice, shortPrice, above) => {
  const entry = { input: 3, output: 15, ...prices, long_context: [{ above: 200_000, input: 6, ...longPrice }] };
  const [override] = compilePricing({ m: entry });
  expect(override?.price.shown['cache_write_1h']).toBe(shortPrice);
  expect(override?.price.long[0]?.shown['cache_write_1h']).toBe(above);
});

it('compilePricing() inherits a missing long_context price from the next shorter row, in any order', () => {
  const rows = [
    { above: 500_000, output: 40 },
    { above: 200_000, input: 6, output: 20 },
  ];
  for (const long_context of [rows, rows.toReversed()]) {
    const [override] = compilePricing({ m: { input: 3, output: 15, long_context } });
    const shownPrices = override?.price.long.map(({ above, shown: { input, output } }) => [above, input, output]);
    expect(shownPrices).toEqual([
      [500_000, '6', '40'],
      [200_000, '6', '20'],
    ]);
  }
});
