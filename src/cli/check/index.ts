import { type Diagnostic, isError } from '../../config/report/diagnostic.ts';
import type { LoadedConfig, LoadRequest } from '../../config/reload/load.ts';
import type { Registry } from '../../gateway/types.ts';
import { CommandError, type CommonFlags, exitCodes } from '../command.ts';
import { countDiagnostics, diagnosticsReport, githubDiagnostics, prettyDiagnostics, shortDiagnostics } from '../diagnostics.ts';
import { type CliIo, hasColors } from '../io.ts';
import { needConfig } from '../find-config.ts';
import { load, sourceOf } from '../load.ts';
import { jsonText } from '../text.ts';
import { plural } from '../../core/text/wording.ts';

export const checkFormats = ['pretty', 'short', 'json', 'github'] as const;

export interface CheckFlags extends CommonFlags {
  readonly format: (typeof checkFormats)[number];
  /** Treats warnings as errors. */
  readonly strict?: boolean | undefined;
  /** Tests the providers of a valid configuration. */
  readonly live?: boolean | undefined;
  /** Disables providers with unset secrets, like the flag of `start`. */
  readonly allowMissingSecrets?: boolean | undefined;
}

const hint = 'Write one with gateway init, or name a file: gateway check FILE, or - for standard input.';

/**
 * `gateway check [FILE…]`: reports all problems of a configuration, offline; with `--live`, then tests its providers. Returns
 * the exit code.
 * @throws CommandError
 */
export async function check(files: readonly string[], flags: CheckFlags, io: CliIo, registry: Registry): Promise<number> {
  if (flags.live === true && (flags.json === true || flags.format !== 'pretty'))
    throw new CommandError(exitCodes.usage, '--live has only the format pretty', 'For JSON, run gateway providers test --json as well.');
  const names = files.length > 0 ? files : [flags.config];
  if (flags.live === true && names.includes('-')) throw new CommandError(exitCodes.usage, '--live needs a file, not standard input');
  const begun = performance.now();
  const rehearse: LoadRequest['rehearse'] = async (loaded) => (await import('../../gateway/reload/dry-run.ts')).dryRun(loaded, registry);
  const loads: LoadedConfig[] = [];
  for (const file of names) {
    const source = await sourceOf(needConfig(file, io, hint), io);
    loads.push(await load(source, io, registry, { allowMissingSecrets: flags.allowMissingSecrets === true, rehearse }));
  }
  const diagnostics = loads
    .flatMap((loaded) => loaded.diagnostics)
    .map((one): Diagnostic => (flags.strict === true ? { ...one, severity: 'error' } : one));
  const isValid = !diagnostics.some(isError);
  print({ loads, diagnostics, isValid, took: performance.now() - begun }, flags, io);
  if (!isValid) return exitCodes.invalid;
  return flags.live === true ? testAll(names, io, registry) : exitCodes.yes;
}

async function testAll(names: readonly (string | undefined)[], io: CliIo, registry: Registry): Promise<number> {
  const { testProviders } = await import('../providers/test-entries.ts');
  let code: number = exitCodes.yes;
  for (const name of names) code = Math.max(code, await testProviders([], { config: name }, io, registry));
  return code;
}

interface ConfigCheckResult {
  readonly loads: readonly LoadedConfig[];
  readonly diagnostics: readonly Diagnostic[];
  readonly isValid: boolean;
  /** Milliseconds. */
  readonly took: number;
}

/** Results are written to stdout. In the formats short and github, the summary is written to stderr instead; JSON has none. */
function print(result: ConfigCheckResult, flags: CheckFlags, io: CliIo): void {
  const { diagnostics } = result;
  const line = (text: string): string => (text === '' ? '' : `${text}\n`);
  switch (flags.json === true ? 'json' : flags.format) {
    case 'json':
      io.stdout.write(jsonText(diagnosticsReport(diagnostics, filesOf(result), result.loads[0]?.revision)));
      return;
    case 'short':
      io.stdout.write(line(shortDiagnostics(diagnostics)));
      io.stderr.write(line(summary(result)));
      return;
    case 'github':
      io.stdout.write(line(githubDiagnostics(diagnostics)));
      io.stderr.write(line(summary(result)));
      return;
    default: {
      const problems = prettyDiagnostics(diagnostics, { colors: hasColors(io.stdout, io) });
      io.stdout.write(`${problems === '' ? '' : `${problems}\n\n`}${summary(result)}\n`);
    }
  }
}

const filesOf = ({ loads }: ConfigCheckResult): readonly string[] => loads.flatMap(({ files }) => files);

function summary({ loads, diagnostics, isValid, took }: ConfigCheckResult): string {
  const sum = (size: (loaded: LoadedConfig) => number): number => loads.reduce((all, loaded) => all + size(loaded), 0);
  const files = plural(
    sum((loaded) => Math.max(1, loaded.files.length)),
    'file',
  );
  const time = `(${Math.round(took)} ms)`;
  const problems = countDiagnostics(diagnostics);
  if (!isValid) return `${problems} in ${files} ${time}`;
  const count = (key: 'providers' | 'configs' | 'api_keys' | 'prompts'): number => sum(({ tree }) => Object.keys(tree?.[key] ?? {}).length);
  const prompts = count('prompts');
  const counts = [
    plural(count('providers'), 'provider'),
    plural(count('configs'), 'config'),
    plural(count('api_keys'), 'key'),
    ...(prompts === 0 ? [] : [plural(prompts, 'prompt')]),
  ];
  return `ok: ${[files, ...counts, ...(problems === '' ? [] : [problems])].join(', ')} ${time}`;
}
