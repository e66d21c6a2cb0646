import { expect, it } from 'vitest';
import { makeBinding, makeConfig, makeKey, makeLeaf } from '../../../test/support/stage-context.ts';
import { GatewayError } from '../error.ts';
import type { ApiKey } from '../snapshot.ts';
import { usableConfigs, usableProviders, withoutSuggestions } from './usable-names.ts';

const providers = new Map([
  ['a', makeBinding('a')],
  ['team', makeBinding('a')],
  ['b', makeBinding('b')],
]);
const configs = new Map(['one', 'two'].map((name) => [name, makeConfig(name, makeLeaf())]));
const sameName =
  (allowedName: string) =>
  (name: string): boolean =>
    name === allowedName;

it.each<[name: string, key: ApiKey | undefined, providers: string[], configs: string[]]>([
  ['no key', undefined, ['a', 'team', 'b'], ['one', 'two']],
  ['a key without limits', makeKey('k'), ['a', 'team', 'b'], ['one', 'two']],
  ['a key for one provider', makeKey('k', { allowsProvider: sameName('a') }), ['a', 'team'], ['one', 'two']],
  ['a key for one virtual key', makeKey('k', { allowsProvider: sameName('team') }), ['team'], ['one', 'two']],
  ['a key for one config', makeKey('k', { allowsConfig: sameName('two') }), ['a', 'team', 'b'], ['two']],
  ['a key with a default config', makeKey('k', { allowsConfig: () => false, defaultConfig: 'one' }), ['a', 'team', 'b'], ['one']],
  ['a key with an enforced config', makeKey('k', { enforceConfig: true, defaultConfig: 'one' }), [], ['one']],
])('usableProviders and usableConfigs return the names that a key may use: %s', (_name, key, slugs, names) => {
  expect([...usableProviders({ providers }, key)]).toEqual(slugs);
  expect([...usableConfigs({ configs }, key)]).toEqual(names);
});

it.each<[message: string, hint: string | undefined, wanted: [string, string | undefined]]>([
  ['No "x". Did you mean "a"?', undefined, ['No "x". Did you mean "a"?', undefined]],
  ['No "x". Did you mean "b"?', 'Did you mean "b"?', ['No "x".', undefined]],
  ['unknown key "targts".', 'Did you mean "targets"?', ['unknown key "targts".', 'Did you mean "targets"?']],
  ['No "x".', 'Did you mean "b"? Providers: a. Did you mean "a"?', ['No "x".', 'Providers: a. Did you mean "a"?']],
])('without removes the names that the key may not use from an error: %j', (message, hint, expected) => {
  const error = new GatewayError('provider_not_found', { message, hint, status: 410, param: 'p', source: 'provider' });
  const remainingError = withoutSuggestions(error, new Set(['b']));
  expect([remainingError.message, remainingError.hint]).toEqual(expected);
  expect(remainingError).toMatchObject({ code: 'provider_not_found', status: 410, param: 'p', source: 'provider', cause: error });
});
