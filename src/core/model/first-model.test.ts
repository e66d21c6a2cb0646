import { expect, it } from 'vitest';
import type { ProviderBinding } from '../snapshot.ts';
import { firstModelOf } from './first-model.ts';

interface Written {
  readonly models?: readonly string[];
  readonly probed?: string;
  readonly unusable?: string;
}

function binding(slug: string, { models, probed, unusable }: Written): ProviderBinding {
  const probe =
    probed === undefined
      ? undefined
      : () => [
          { endpoint: 'models', model: '' },
          { endpoint: 'chat/completions', model: probed },
        ];
  const allowsModel = (name: string): boolean => models === undefined || models.includes(name);
  return { slug, unusable, models, settings: {}, provider: { entry: { probe } }, allowsModel } as unknown as ProviderBinding;
}

it.each<[what: string, providers: Readonly<Record<string, Written>>, model: string | undefined]>([
  ['no provider', {}, undefined],
  ["the model of the provider's own test", { a: { probed: 'echo' } }, '@a/echo'],
  ['a test model, before the first listed model', { down: { models: ['chat'], probed: 'echo' }, up: { probed: 'echo' } }, '@up/echo'],
  ['a listed model, if the test model is not listed', { a: { models: ['chat'], probed: 'echo' } }, '@a/chat'],
  ['an unusable provider is skipped', { a: { models: ['chat'], unusable: 'no key' }, b: { models: ['x'] } }, '@b/x'],
  ['a provider without a model', { a: {} }, undefined],
])('firstModelOf with %s', (_, providers, model) => {
  expect(firstModelOf(Object.entries(providers).map(([slug, written]) => binding(slug, written)))).toBe(model);
});
