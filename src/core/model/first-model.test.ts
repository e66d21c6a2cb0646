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
  ['nothing', {}, undefined],
  ['what its own test asks', { a: { probed: 'echo' } }, '@a/echo'],
  ['what a test asks before what is listed first', { down: { models: ['chat'], probed: 'echo' }, up: { probed: 'echo' } }, '@up/echo'],
  ['what is listed where the test asks for something else', { a: { models: ['chat'], probed: 'echo' } }, '@a/chat'],
  ['none of a provider that is off', { a: { models: ['chat'], unusable: 'no key' }, b: { models: ['x'] } }, '@b/x'],
  ['none without a name', { a: {} }, undefined],
])('a first request names %s', (_, providers, model) => {
  expect(firstModelOf(Object.entries(providers).map(([slug, written]) => binding(slug, written)))).toBe(model);
});
