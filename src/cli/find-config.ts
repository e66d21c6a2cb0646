import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError, exitCodes } from './command.ts';
import type { CliIo } from './io.ts';

/** Default locations of the configuration. */
const defaultPaths = ['gateway.yaml', '/etc/gateway/gateway.yaml'] as const;

/** The configuration to read: a file, standard input, or none, with the locations that were searched. */
export type FoundConfig = NamedConfig | { readonly searched: readonly string[] };
export type NamedConfig = { readonly path: string } | { readonly stdin: true };

/**
 * Finds the configuration: `-c`, `$GATEWAY_CONFIG`, `./gateway.yaml`, `/etc/gateway/gateway.yaml`. An explicitly named
 * file is returned even if it does not exist: reading it reports the error. `-` is standard input.
 *
 * @throws CommandError for an empty name, which a shell makes of an unset variable
 */
export function findConfig(named: string | undefined, { env, cwd }: Pick<CliIo, 'env' | 'cwd'>): FoundConfig {
  if (named === '') throw new CommandError(exitCodes.usage, 'the name of the configuration file is empty');
  const name = named ?? env['GATEWAY_CONFIG'];
  if (name === '-') return { stdin: true };
  if (name !== undefined && name !== '') return { path: resolve(cwd, name) };
  const found = defaultPaths.map((path) => resolve(cwd, path)).find((path) => existsSync(path));
  return found === undefined ? { searched: defaultPaths.map((path) => (path.startsWith('/') ? path : `./${path}`)) } : { path: found };
}

/**
 * Finds the configuration for a command that needs one.
 * @param hint shown if there is none
 * @throws CommandError
 */
export function needConfig(named: string | undefined, io: CliIo, hint?: string): NamedConfig {
  const found = findConfig(named, io);
  if (!('searched' in found)) return found;
  throw new CommandError(exitCodes.invalid, `no configuration found; looked for ${found.searched.join(' and ')}`, hint);
}
