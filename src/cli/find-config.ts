import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError, exitCodes } from './command.ts';
import type { CliIo } from './io.ts';

/** Where a configuration is looked for when nobody names one. */
const usualPlaces = ['gateway.yaml', '/etc/gateway/gateway.yaml'] as const;

/** What to read: a file, standard input, or nothing, with the places that were looked at. */
export type FoundConfig = NamedConfig | { readonly looked: readonly string[] };
export type NamedConfig = { readonly path: string } | { readonly stdin: true };

/**
 * `-c`, then `$GATEWAY_CONFIG`, `./gateway.yaml`, `/etc/gateway/gateway.yaml`. A file that somebody named is taken at
 * the word, whether it is there or not: reading it says what is wrong. `-` is standard input.
 *
 * @throws CommandError for an empty name, which a shell makes of a variable that is not set
 */
export function findConfig(named: string | undefined, { env, cwd }: Pick<CliIo, 'env' | 'cwd'>): FoundConfig {
  if (named === '') throw new CommandError(exitCodes.usage, 'the name of the configuration file is empty');
  const wanted = named ?? env['GATEWAY_CONFIG'];
  if (wanted === '-') return { stdin: true };
  if (wanted !== undefined && wanted !== '') return { path: resolve(cwd, wanted) };
  const found = usualPlaces.map((place) => resolve(cwd, place)).find((path) => existsSync(path));
  return found === undefined ? { looked: usualPlaces.map((place) => (place.startsWith('/') ? place : `./${place}`)) } : { path: found };
}

/** The same where a command needs one. @param hint what to do where there is none @throws CommandError */
export function needConfig(named: string | undefined, io: CliIo, hint?: string): NamedConfig {
  const found = findConfig(named, io);
  if (!('looked' in found)) return found;
  throw new CommandError(exitCodes.invalid, `no configuration found; looked for ${found.looked.join(' and ')}`, hint);
}
