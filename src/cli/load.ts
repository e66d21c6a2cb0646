import { type LoadedConfig, type LoadRequest, loadConfig } from '../config/reload/load.ts';
import { type Diagnostic, isError } from '../config/report/diagnostic.ts';
import type { GatewayConfig } from '../config/schema/index.ts';
import type { Registry } from '../gateway/types.ts';
import { CommandError, type CommonFlags, exitCodes } from './command.ts';
import { diagnosticsReport, prettyDiagnostics } from './diagnostics.ts';
import { type NamedConfig, needConfig } from './find-config.ts';
import { type CliIo, hasColors } from './io.ts';
import { jsonText } from './text.ts';

/** Source to load: the file, or the text on standard input. */
export async function sourceOf(found: NamedConfig, io: CliIo): Promise<LoadRequest['source']> {
  return 'path' in found ? found : { text: await io.readStdin(), name: '<stdin>' };
}

/** Imports a plugin file of the operator. */
export const importPlugin = async (path: string): Promise<unknown> => (await import('../gateway/generations.ts')).importFile(path);

/** Loads a configuration as `start` does. */
export function load(
  source: LoadRequest['source'],
  { cwd, env, onSecrets }: CliIo,
  { providers, stages }: Registry,
  { rehearse, ...more }: Partial<LoadRequest> = {},
): Promise<LoadedConfig> {
  const rehearseMasked: LoadRequest['rehearse'] = async (loaded) => {
    await onSecrets?.(loaded.secrets);
    return rehearse?.(loaded);
  };
  return loadConfig({ source, cwd, env, providers, plugins: stages, importPlugin, onSecrets, ...more, rehearse: rehearseMasked });
}

/** Hint for commands that read a file or standard input. */
export const nameFile = 'Name a file with -c FILE, or - for standard input.';

/** A configuration without errors, and what it was loaded from. */
export interface LoadedTree {
  readonly source: LoadRequest['source'];
  readonly loaded: LoadedConfig;
  readonly tree: GatewayConfig;
}

/**
 * Loads the configuration for a command that does not start a gateway: secrets may be missing. Prints errors.
 *
 * @param hint shown if there is no configuration
 * @throws CommandError
 */
export async function loadTree(flags: CommonFlags, io: CliIo, registry: Registry, hint?: string): Promise<LoadedTree> {
  const source = await sourceOf(needConfig(flags.config, io, hint), io);
  const loaded = await load(source, io, registry, { allowMissingSecrets: true });
  if (loaded.tree !== undefined) return { source, loaded, tree: loaded.tree };
  throw printInvalidConfig(loaded, flags, io);
}

/** Prints the errors of a configuration, and returns the error that ends the command. @param shown those that matter to it */
export function printInvalidConfig(
  loaded: LoadedConfig,
  flags: CommonFlags,
  io: CliIo,
  shown = errorsOf(loaded),
  message = '',
): CommandError {
  if (flags.json === true) io.stdout.write(jsonText(diagnosticsReport(shown, loaded.files)));
  io.stderr.write(`${prettyDiagnostics(shown, { colors: hasColors(io.stderr, io) })}\n`);
  return new CommandError(exitCodes.invalid, message);
}

/** The error of a command whose files are valid, but a plugin could not be set up. */
export const setupFailed = (thrown: unknown): CommandError =>
  new CommandError(exitCodes.invalid, thrown instanceof Error ? thrown.message : 'the configuration could not be set up');

export const errorsOf = ({ diagnostics }: LoadedConfig): readonly Diagnostic[] => diagnostics.filter(isError);
