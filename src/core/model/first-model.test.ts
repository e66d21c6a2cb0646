import { expect, it } from 'vitest';
import type { ProviderBinding } from '../snapshot.ts';
import { firstModelOf } from './first-model.ts';

interface BindingParts {
  readonly models?: readonly string[];
  readonly probedModel?: string;
  readonly unusable?: string;
}

function binding(slug: string, { models, probedModel, unusable }: BindingParts): ProviderBinding {
  const probe =
    probedModel === undefined
      ? undefined
      : () => [
          { endpoint: 'models', model: '' },
          { endpoint: 'chat/completions', model: probedModel },
        ];
  const allowsModel = (name: string): boolean => models === undefined || models.includes(name);
  return { slug, unusable, models, settings: {}, provider: { entry: { probe } }, allowsModel } as unknown as ProviderBinding;
}

it.each<[what: string, providers: Readonly<Record<string, BindingParts>>, model: string | undefined]>([
  ['no provider', {}, undefined],
  ["the model of the provider's own test", { a: { probedModel: 'echo' } }, '@a/echo'],
  [
    'a test model, before the first listed model',
    { down: { models: ['chat'], probedModel: 'echo' }, up: { probedModel: 'echo' } },
    '@up/echo',
  ],
  ['a listed model, if the test model is not listed', { a: { models: ['chat'], probedModel: 'echo' } }, '@a/chat'],
  ['an unusable provider is skipped', { a: { models: ['chat'], unusable: 'no key' }, b: { models: ['x'] } }, '@b/x'],
  ['a provider without a model', { a: {} }, undefined],
])('firstModelOf with %s', (_, providers, model) => {
  expect(firstModelOf(Object.entries(providers).map(([slug, parts]) => binding(slug, parts)))).toBe(model);
});
