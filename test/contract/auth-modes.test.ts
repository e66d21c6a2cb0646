import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { isSecretKey } from '../../src/config/read/secrets.ts';

/** What every way to sign that a type brings must be, whoever wrote it. */

const rows = providers.flatMap((provider) =>
  Object.entries(provider.entry.authModes ?? {}).map(([name, mode]) => ({ provider, name, mode })),
);

it('there are some', () => {
  expect(rows.length).toBeGreaterThan(2);
});

describe.each(rows.map((row) => [`${row.provider.type}, ${row.name}`, row] as const))('%s', (_, { provider, name, mode }) => {
  it('has words of its own', () => {
    const others = Object.entries(provider.entry.authModes ?? {}).flatMap(([other, { aliases }]) =>
      other === name ? [] : [other, ...aliases],
    );
    for (const word of [name, ...mode.aliases]) {
      expect(word).toMatch(/^[a-z][a-z_]*$/);
      expect(['api_key', 'caller', ...others]).not.toContain(word);
    }
  });

  it('describes the keys that it needs, and marks its secrets', () => {
    for (const key of mode.required) expect(Object.keys(mode.properties)).toContain(key);
    for (const [key, schema] of Object.entries(mode.properties)) {
      expect(schema['description']).toMatch(/\.$/);
      expect([key, schema['writeOnly'] === true]).toEqual([key, isSecretKey(key)]);
    }
  });

  it('is lent to no request where it is the identity of the machine', () => {
    const refused = provider.entry.requestSettings.flatMap(({ ambient }) => ambient ?? []);
    for (const word of [name, ...mode.aliases]) expect([word, refused.includes(word)]).toEqual([word, mode.ambient]);
  });
});
