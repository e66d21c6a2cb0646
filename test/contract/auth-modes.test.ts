import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { isSecretKey } from '../../src/config/read/secrets.ts';

/** Rules for every auth mode of a provider type. */

const rows = providers.flatMap((provider) =>
  Object.entries(provider.entry.authModes ?? {}).map(([name, mode]) => ({ provider, name, mode })),
);

it('at least two auth modes exist', () => {
  expect(rows.length).toBeGreaterThan(2);
});

describe.each(rows.map((row) => [`${row.provider.type}, ${row.name}`, row] as const))('auth mode of %s', (_, { provider, name, mode }) => {
  it('has names that no other auth mode uses', () => {
    const others = Object.entries(provider.entry.authModes ?? {}).flatMap(([other, { aliases }]) =>
      other === name ? [] : [other, ...aliases],
    );
    for (const alias of [name, ...mode.aliases]) {
      expect(alias).toMatch(/^[a-z][a-z_]*$/);
      expect(['api_key', 'caller', ...others]).not.toContain(alias);
    }
  });

  it('describes its required keys and marks its secrets as write-only', () => {
    for (const key of mode.required) expect(Object.keys(mode.properties)).toContain(key);
    for (const [key, schema] of Object.entries(mode.properties)) {
      expect(schema['description']).toMatch(/\.$/);
      expect([key, schema['writeOnly'] === true]).toEqual([key, isSecretKey(key)]);
    }
  });

  it('cannot be selected by a request if it is the identity of the machine', () => {
    const ambientSettings = provider.entry.requestSettings.flatMap(({ ambient }) => ambient ?? []);
    for (const alias of [name, ...mode.aliases]) expect([alias, ambientSettings.includes(alias)]).toEqual([alias, mode.ambient]);
  });
});
