import { expect, it } from 'vitest';
import { makeBinding, makeLeaf, makeProvider } from '../../test/support/stage-context.ts';
import { CompiledLeaf } from './compiled-leaf.ts';

it('caches the deployment of a model, but not for very long names', () => {
  const compiledWith: number[] = [];
  const provider = makeProvider({
    entry: {
      deployment: (_settings, model) => {
        compiledWith.push(model.length);
        return { settings: {}, model };
      },
    },
  });
  const compiledLeaf = new CompiledLeaf(makeLeaf(), makeBinding('main', { provider }));
  const names = ['gpt-4o', 'gpt-4o', 'x'.repeat(600), 'x'.repeat(600)];
  expect(names.map((name) => compiledLeaf.resolve(name))).toMatchObject(names.map((model) => ({ deployment: { model } })));
  expect(compiledWith).toEqual([6, 600, 600]);
});
