import { expect, it } from 'vitest';
import { type MetricsSnapshot, MetricsSum } from './snapshot.ts';

const figures = (series: MetricsSnapshot['families'][number][1]): MetricsSnapshot => ({
  families: [['gateway_errors_total', series]],
  samples: [],
  health: [],
});

it('limits the series of ended workers without losing counts', () => {
  const sumWithRemoved = new MetricsSum(true);
  for (let process = 0; process < 120; process += 1)
    sumWithRemoved.add(figures(Array.from({ length: 100 }, (_, n) => [`{code="${process} \\"${n}\\\\",source="gateway"}`, 1])), true);
  const [[, series] = []] = sumWithRemoved.figures().families;
  expect(series).toHaveLength(5001);
  expect(series?.at(-1)).toEqual(['{code="other",source="other"}', 7000]);
  sumWithRemoved.add(figures([['{code="0 \\"0\\\\",source="gateway"}', 1]]), true);
  expect(sumWithRemoved.figures().families[0]?.[1][0]?.[1]).toBe(2);
});

it('adds up the counts of several workers', () => {
  const sums = new MetricsSum();
  for (const value of [1, 2]) sums.add(figures([['{code="a",source="gateway"}', value]]));
  expect(sums.figures().families).toEqual([['gateway_errors_total', [['{code="a",source="gateway"}', 3]]]]);
});

it('adds up histograms and exact decimals, and no figures of another kind', async () => {
  const sums = new MetricsSum();
  const histogram = 'gateway_request_duration_seconds';
  const cost = 'gateway_cost_usd_total';
  for (const sum of [0.5, 0.25])
    sums.add({
      families: [
        [histogram, [['{a="b"}', [[1, 0, 2], sum]]]],
        [cost, [['{a="b"}', '0.000000000002']]],
      ],
      samples: [],
      health: [],
    });
  sums.add({
    families: [
      [histogram, [['{a="b"}', 7]]],
      [cost, [['{a="b"}', 7]]],
    ],
    samples: [],
    health: [],
  });
  expect(sums.figures().families).toEqual([
    [histogram, [['{a="b"}', [expect.arrayContaining([2, 0, 4]), 0.75]]]],
    [cost, [['{a="b"}', '0.000000000004']]],
  ]);
  expect(await sums.text()).toContain(`${histogram}_sum{a="b"} 0.75`);
});
