import { expect, it } from 'vitest';
import { sampleRecord } from '../fixtures/sample.ts';
import { FiguresOf, SeenValues } from './figures.ts';
import { rowOf } from './stored-row.ts';

it('counts a text apart from nothing that is written as it is', () => {
  const figures = new FiguresOf(new SeenValues());
  const model = (asked: string | null): void => {
    const { v, ...rest } = sampleRecord();
    figures.add(rowOf({ ...rest, v, model: { asked, sent: null, answered: null } }), null);
  };
  for (const asked of ['null', null, 'null', null, null]) model(asked);
  const counted = figures.values().filter(({ dim }) => dim === 'model');
  expect(Object.fromEntries(counted.map(({ name, counts }) => [name, counts.requests]))).toEqual({ null: 2, '': 3 });
});
