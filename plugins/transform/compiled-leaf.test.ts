import { expect, it } from 'vitest';
import { makeBinding, makeLeaf, makeProvider } from '../../test/support/stage-context.ts';
import { CompiledLeaf } from './compiled-leaf.ts';

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
  const work = new CompiledLeaf(makeLeaf(), makeBinding('main', { provider }));
  const names = ['gpt-4o', 'gpt-4o', 'x'.repeat(600), 'x'.repeat(600)];
  expect(names.map((name) => work.resolve(name))).toMatchObject(names.map((model) => ({ deployment: { model } })));
  expect(asked).toEqual([6, 600, 600]);
});
