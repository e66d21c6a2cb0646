import { totalmem } from 'node:os';
import manifest from '../../../package.json' with { type: 'json' };
import type { LoadedConfig, LoadRequest } from '../../config/reload/load.ts';
import { openFilesLimit } from '../../core/files/open-files.ts';
import { barePath } from '../../core/text/display-path.ts';
import { containerMemory } from '../../gateway/default-memory.ts';
import type { Registry } from '../../gateway/types.ts';
import { stateDirPath } from '../../store/state-dir.ts';
import type { AdminFlags } from '../admin/target.ts';
import { findConfig } from '../find-config.ts';
import type { CliIo } from '../io.ts';
import { load, sourceOf } from '../load.ts';

/** The machine, as far as checks need it. */
export interface Machine {
  readonly node: string;
  /** Versions of Node that the gateway runs on, such as `>=22.19`. */
  readonly engines: string;
  /** Memory limit of the container in bytes; undefined if there is none. */
  readonly memoryLimit: number | undefined;
  readonly memory: number;
  /** Maximum number of open files of a process; undefined if the system does not show it. */
  readonly openFiles: number | undefined;
  /** Unix milliseconds. */
  now(): number;
}

/** The configuration that is checked. */
export interface CheckedConfig {
  readonly source: LoadRequest['source'];
  /** Undefined for standard input. */
  readonly path: string | undefined;
  /** Name for messages. */
  readonly name: string;
  readonly loaded: LoadedConfig;
  /** Absolute path of the state directory; undefined for memory. */
  readonly stateDir: string | undefined;
}

/** Input of all checks. */
export interface Subject {
  readonly io: CliIo;
  readonly registry: Registry;
  readonly machine: Machine;
  readonly flags: AdminFlags & { readonly offline?: boolean | undefined };
  /** Undefined if there is no configuration. */
  readonly config: CheckedConfig | undefined;
}

export function thisMachine(): Machine {
  return {
    node: process.versions.node,
    engines: manifest.engines.node,
    memoryLimit: containerMemory(),
    memory: totalmem(),
    openFiles: openFilesLimit(),
    now: Date.now,
  };
}

/**
 * Finds and loads the configuration. Unset secrets are no errors: the shell of this command need not have them.
 * @throws CommandError
 */
export async function readConfig(named: string | undefined, io: CliIo, registry: Registry): Promise<CheckedConfig | undefined> {
  const found = findConfig(named, io);
  if ('searched' in found) return undefined;
  const source = await sourceOf(found, io);
  const rehearse: LoadRequest['rehearse'] = async (loaded) => (await import('../../gateway/reload/dry-run.ts')).dryRun(loaded, registry);
  const loaded = await load(source, io, registry, { allowMissingSecrets: true, rehearse });
  const path = 'path' in found ? found.path : undefined;
  const name = path === undefined ? 'standard input' : barePath(path, io.cwd);
  return { source, path, name, loaded, stateDir: stateDirPath({ setting: loaded.stateDir, configPath: path, cwd: io.cwd }) };
}
