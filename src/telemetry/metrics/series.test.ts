import { describe, expect, it } from 'vitest';
import { CountSeries, DecimalSeries, Family, HistogramSeries, labelText } from './series.ts';

const row = { name: 'x_total', type: 'counter', help: '', labels: ['a'], unit: '' } as const;

describe('DecimalSeries', () => {
  it.each([
    [['0.1', '0.2'], '0.3'],
    [['0.000000000001', '999999999999.999999999999'], '1000000000000'],
    [Array.from({ length: 1000 }, () => '0.000102'), '0.102'],
    [['12', '0.5', '0.50'], '13'],
    [[], '0'],
    [['1e3', 'x', '-1', '0.-1', ''], '1000'],
  ])('adds %j exactly', (added, sum) => {
    const series = new DecimalSeries('');
    for (const text of added) series.add(text);
    expect(series.figures).toBe(sum);
  });
});

it('HistogramSeries counts a value in the first bucket that includes it', () => {
  const series = new HistogramSeries('', [1, 2]);
  for (const value of [0, 1, 1.5, 2, 3]) series.observe(value);
  expect(series).toMatchObject({ counts: [2, 2, 1], sum: 7.5 });
});

it('labelText() escapes label values', () => {
  expect(labelText(['a', 'b'], ['x"y\\z\nq'])).toBe('{a="x\\"y\\\\z\\nq",b=""}');
});

it('Family counts everything beyond its limit in one series', () => {
  const family = new Family(row, (labels) => new CountSeries(labels));
  for (let n = 0; n < 6000; n += 1) family.at([`v${n}`]).value += 1;
  expect(family.size).toBe(5001);
  expect(family.at(['other']).value).toBe(1000);
  expect(family.at(['v1']).value).toBe(1);
});
