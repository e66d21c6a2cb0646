import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Where a configuration is looked for when nobody names one. */
const usualPlaces = ['gateway.yaml', '/etc/gateway/gateway.yaml'] as const;

/** What to read: a file, standard input, or nothing, with the places that were looked at. */
export type FoundConfig = { readonly path: string } | { readonly stdin: true } | { readonly looked: readonly string[] };

/**
 * `-c`, then `$GATEWAY_CONFIG`, `./gateway.yaml`, `/etc/gateway/gateway.yaml`. A file that somebody named is taken at
 * the word, whether it is there or not: reading it says what is wrong. `-` is standard input.
 */
export function findConfig(named: string | undefined, env: Readonly<Record<string, string | undefined>>, cwd: string): FoundConfig {
  const wanted = named ?? env['GATEWAY_CONFIG'];
  if (wanted === '-') return { stdin: true };
  if (wanted !== undefined && wanted !== '') return { path: resolve(cwd, wanted) };
  const found = usualPlaces.map((place) => resolve(cwd, place)).find((path) => existsSync(path));
  return found === undefined ? { looked: usualPlaces.map((place) => (place.startsWith('/') ? place : `./${place}`)) } : { path: found };
}
