import type { LoadedConfig, ValidConfig } from '../../config/reload/load.ts';
import { writtenIn, type WrittenPlaces } from '../../config/report/origins.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CommonFlags } from '../command.ts';
import type { CliIo } from '../io.ts';
import { load, loadTree } from '../load.ts';

/** A configuration in which no provider lacks a secret. */
export interface CompleteConfig {
  readonly loaded: ValidConfig;
  /** What its files contain. */
  readonly written: WrittenPlaces;
  /** Variables that are not set, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Loads the configuration for a command that sends nothing: unset variables of providers get a placeholder.
 * @throws CommandError
 */
export async function loadComplete(flags: Pick<CommonFlags, 'config' | 'color'>, io: CliIo, registry: Registry): Promise<CompleteConfig> {
  const { source, loaded: first, tree } = await loadTree(flags, io, registry);
  const again = async (env: CliIo['env']): Promise<LoadedConfig> => load(source, { ...io, env }, registry, { allowMissingSecrets: true });
  const { loaded, env, warnings } = await withUnset({ ...first, tree }, again, io);
  const { texts, secrets } = loaded;
  return { loaded, warnings, written: writtenIn({ source, cwd: io.cwd, env, providers: registry.providers, texts, secrets }) };
}

interface Filled {
  readonly loaded: ValidConfig;
  readonly env: CliIo['env'];
  readonly warnings: readonly string[];
}

/** Loads the configuration as if unset variables of providers were set. Only their names are shown, never values. */
async function withUnset(first: ValidConfig, again: (env: CliIo['env']) => Promise<LoadedConfig>, io: CliIo): Promise<Filled> {
  let { env } = io;
  let loaded = first;
  const warnings: string[] = [];
  for (let round = 0; round < mostUnset; round += 1) {
    const unset = Object.entries(loaded.missing).filter(([, name]) => /^[A-Za-z_]\w*$/.test(name));
    if (unset.length === 0) break;
    const filled = { ...env, ...Object.fromEntries(unset.map(([, name]) => [name, `unset:${name}`])) };
    const next = await again(filled);
    if (next.tree === undefined) break;
    warnings.push(...unset.map(([slug, name]) => `${name} is not set: the gateway would reject requests to "${slug}".`));
    env = filled;
    loaded = { ...next, tree: next.tree };
  }
  return { loaded, env, warnings };
}

/** Most unset variables of one provider. */
const mostUnset = 5;
