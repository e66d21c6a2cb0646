import { expect, it } from 'vitest';
import { sampleRecord } from '../fixtures/sample.ts';
import { FiguresBuilder, TrackedValues } from './figures.ts';
import { rowOf } from './stored-row.ts';

it('counts the model name "null" separately from a missing model', () => {
  const figures = new FiguresBuilder(new TrackedValues());
  const model = (asked: string | null): void => {
    const { v, ...rest } = sampleRecord();
    figures.add(rowOf({ ...rest, v, model: { asked, sent: null, answered: null } }), null);
  };
  for (const asked of ['null', null, 'null', null, null]) model(asked);
  const counted = figures.values().filter(({ dim }) => dim === 'model');
  expect(Object.fromEntries(counted.map(({ name, counts }) => [name, counts.requests]))).toEqual({ null: 2, '': 3 });
});

it('limits the values of each day, even after the clock was ahead for a moment', () => {
  const seen = new TrackedValues();
  const day = 24 * 60;
  const all = (of: number, name: string): Set<string | undefined> =>
    new Set(Array.from({ length: 150 }, (_, n) => seen.bucketNameOf('model', of * day, `${name}${n}`)));
  for (const [of, name] of [
    [1, 'a'],
    [400, 'ahead'],
    [2, 'b'],
    [3, 'c'],
  ] as const) {
    expect(all(of, name).size).toBe(101);
  }
  expect(seen.bucketNameOf('model', 3 * day, 'c1')).toBe('c1');
  expect(seen.bucketNameOf('model', 3 * day, 'new')).toBe('other');
});
