import { describe, expect, it } from 'vitest';
import { Histogram } from './histogram.ts';

function histogramOf(times: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const ms of times) histogram.add(ms);
  return histogram;
}

describe('Histogram', () => {
  const times = Array.from({ length: 2000 }, (_, i) => 0.15 * 1.008 ** i);
  it.each([0.01, 0.5, 0.9, 0.95, 0.99, 1])('estimates the quantile %d within 5 %', (quantile) => {
    const exactQuantile = times[Math.ceil(quantile * times.length) - 1] as number;
    const estimate = histogramOf(times).quantile(quantile) as number;
    expect(Math.abs(estimate / exactQuantile - 1)).toBeLessThan(0.05);
  });

  it('has no quantile without values', () => {
    expect(histogramOf([]).quantile(0.5)).toBeNull();
    expect(String(histogramOf([]))).toBe('');
  });

  it('has the quantiles of the other values after some were removed', () => {
    const all = histogramOf([1, 20, 20, 300, 4000]);
    all.subtract(histogramOf([20, 4000]));
    const left = histogramOf([1, 20, 300]);
    expect([0.1, 0.5, 0.9, 1].map((share) => all.quantile(share))).toEqual([0.1, 0.5, 0.9, 1].map((share) => left.quantile(share)));
    all.subtract(left);
    expect(all.quantile(0.5)).toBeNull();
  });

  it('adds the values of a serialized histogram exactly', () => {
    const sum = histogramOf([1, 20, 300]);
    sum.addText(String(histogramOf([20, 4000])));
    expect(
      Object.fromEntries(
        String(sum)
          .split(',')
          .map((pair) => pair.split(':')),
      ),
    ).toEqual(
      Object.fromEntries(
        String(histogramOf([1, 20, 20, 300, 4000]))
          .split(',')
          .map((pair) => pair.split(':')),
      ),
    );
  });

  it.each(['', ':', 'a:b', '-1:4', '300:1', '1.5:2', '3'])('ignores the invalid text %j', (text) => {
    const histogram = new Histogram();
    histogram.addText(text);
    expect(String(histogram)).toBe('');
  });

  it('clamps values outside its range', () => {
    expect(histogramOf([0, -1, Number.NaN]).quantile(1)).toBe(0.1);
    expect(histogramOf([1e12]).quantile(1)).toBeGreaterThan(1e7);
  });
});
