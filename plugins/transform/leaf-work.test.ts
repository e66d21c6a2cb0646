import { expect, it } from 'vitest';
import { makeBinding, makeLeaf, makeProvider } from '../../test/support/stage-context.ts';
import { LeafWork } from './leaf-work.ts';

it('caches the deployment of a model, but not for very long names', () => {
  const asked: number[] = [];
  const provider = makeProvider({
    entry: {
      deployment: (_settings, model) => {
        asked.push(model.length);
        return { settings: {}, model };
      },
    },
  });
  const work = new LeafWork(makeLeaf(), makeBinding('main', { provider }));
  const names = ['gpt-4o', 'gpt-4o', 'x'.repeat(600), 'x'.repeat(600)];
  expect(names.map((name) => work.serve(name))).toMatchObject(names.map((model) => ({ deployment: { model } })));
  expect(asked).toEqual([6, 600, 600]);
});
