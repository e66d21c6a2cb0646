import { expect, it } from 'vitest';
import { sampleRecord } from '../fixtures/sample.ts';
import { FiguresBuilder, TrackedValues } from './figures.ts';
import { rowOf } from './stored-row.ts';

it('counts the model name "null" separately from a missing model', () => {
  const figures = new FiguresBuilder(new TrackedValues());
  const addModel = (model: string | null): void => {
    const { v, ...rest } = sampleRecord();
    figures.add(rowOf({ ...rest, v, model: { asked: model, sent: null, answered: null } }), null);
  };
  for (const model of ['null', null, 'null', null, null]) addModel(model);
  const counted = figures.values().filter(({ dim: dimension }) => dimension === 'model');
  expect(Object.fromEntries(counted.map(({ name, sums }) => [name, sums.counts.requests]))).toEqual({ null: 2, '': 3 });
});

it('limits the values of each day, even after the clock was ahead for a moment', () => {
  const trackedValues = new TrackedValues();
  const day = 24 * 60;
  const valuesSeen = (count: number, name: string): Set<string | undefined> =>
    new Set(Array.from({ length: 150 }, (_, n) => trackedValues.bucketNameOf('model', count * day, `${name}${n}`)));
  for (const [count, name] of [
    [1, 'a'],
    [400, 'ahead'],
    [2, 'b'],
    [3, 'c'],
  ] as const) {
    expect(valuesSeen(count, name).size).toBe(101);
  }
  expect(trackedValues.bucketNameOf('model', 3 * day, 'c1')).toBe('c1');
  expect(trackedValues.bucketNameOf('model', 3 * day, 'new')).toBe('other');
});
