import type { Diagnostic } from '../config/report/diagnostic.ts';
import { type LoadedConfig, loadConfig, type LoadRequest } from '../config/reload/load.ts';
import type { Plugin } from '../core/plugin.ts';
import type { Provider } from '../core/provider.ts';
import { findConfig } from './find-config.ts';
import { countDiagnostics, githubDiagnostics, plural, prettyDiagnostics, shortDiagnostics } from './diagnostics.ts';

export const checkFormats = ['pretty', 'short', 'json', 'github'] as const;

export interface CheckOptions {
  readonly format?: (typeof checkFormats)[number] | undefined;
  /** Warnings count as errors. */
  readonly strict?: boolean | undefined;
  /** Providers whose secrets are not set are switched off, as by the flag of `start`. */
  readonly allowMissingSecrets?: boolean | undefined;
  /** The same as `format: 'json'`. */
  readonly json?: boolean | undefined;
  /** `-c`, used when no file is named as an argument. */
  readonly config?: string | undefined;
}

export interface CheckIo {
  stdout(text: string): void;
  stderr(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  stdin(): Promise<string>;
  /** Standard output is a terminal that takes colours. */
  readonly isTty: boolean;
  readonly columns?: number | undefined;
}

/** What a configuration may name. */
export interface CheckRegistry {
  readonly providers: readonly Provider[];
  readonly plugins: readonly Plugin[];
  importPlugin?(path: string): Promise<unknown>;
}

/** Exit codes. */
const valid = 0;
const invalid = 3;

/** `gateway check [FILE…]`: says everything that is wrong with a configuration, and opens no connection. Returns the exit code. */
export async function check(files: readonly string[], options: CheckOptions, io: CheckIo, registry: CheckRegistry): Promise<number> {
  const begun = performance.now();
  const found = files.length > 0 ? files.map((file) => findConfig(file, {}, io.cwd)) : [findConfig(options.config, io.env, io.cwd)];
  const loads: LoadedConfig[] = [];
  for (const one of found) {
    if ('looked' in one) {
      io.stderr(
        `error: no configuration found; looked for ${one.looked.join(' and ')}\nWrite one with gateway init, or name a file: gateway check FILE, or - for standard input.\n`,
      );
      return invalid;
    }
    const source = 'path' in one ? one : { text: await io.stdin(), name: '<stdin>' };
    const allowMissingSecrets = options.allowMissingSecrets === true;
    loads.push(await loadConfig({ source, cwd: io.cwd, env: io.env, allowMissingSecrets, ...registry, ...hooksOf(registry) }));
  }
  const diagnostics = loads
    .flatMap((load) => load.diagnostics)
    .map((one): Diagnostic => (options.strict === true ? { ...one, severity: 'error' } : one));
  const isValid = !diagnostics.some((one) => one.severity === 'error');
  print({ loads, diagnostics, isValid, took: performance.now() - begun }, options, io);
  return isValid ? valid : invalid;
}

/** Without an importer no file of the operator's is run, for the check of its text alone. */
function hooksOf({ providers, plugins, importPlugin }: CheckRegistry): Pick<LoadRequest, 'importPlugin' | 'rehearse'> {
  if (importPlugin === undefined) return {};
  const rehearse: LoadRequest['rehearse'] = async (loaded) =>
    (await import('../gateway/reload/rehearse.ts')).rehearse(loaded, { providers, stages: plugins });
  return { importPlugin, rehearse };
}

interface Result {
  readonly loads: readonly LoadedConfig[];
  readonly diagnostics: readonly Diagnostic[];
  readonly isValid: boolean;
  /** Milliseconds. */
  readonly took: number;
}

/** The answer goes to stdout; beside machine-readable lines the summary is not part of it. */
function print(result: Result, options: CheckOptions, io: CheckIo): void {
  const { diagnostics } = result;
  const line = (text: string): string => (text === '' ? '' : `${text}\n`);
  switch (options.json === true ? 'json' : (options.format ?? 'pretty')) {
    case 'json':
      io.stdout(`${JSON.stringify(report(result), null, 2)}\n`);
      return;
    case 'short':
      io.stdout(line(shortDiagnostics(diagnostics)));
      io.stderr(line(summary(result)));
      return;
    case 'github':
      io.stdout(line(githubDiagnostics(diagnostics)));
      io.stderr(line(summary(result)));
      return;
    default: {
      const problems = prettyDiagnostics(diagnostics, { colors: io.isTty });
      io.stdout(`${problems === '' ? '' : `${problems}\n\n`}${summary(result)}\n`);
    }
  }
}

function report({ loads, diagnostics, isValid }: Result): object {
  return {
    ok: isValid,
    errors: diagnostics.filter((one) => one.severity === 'error').length,
    warnings: diagnostics.filter((one) => one.severity === 'warning').length,
    files: loads.flatMap((load) => load.files),
    revision: isValid ? (loads[0]?.revision ?? null) : null,
    diagnostics,
  };
}

function summary({ loads, diagnostics, isValid, took }: Result): string {
  const files = plural(
    loads.reduce((sum, load) => sum + Math.max(1, load.files.length), 0),
    'file',
  );
  const time = `(${Math.round(took)} ms)`;
  const problems = countDiagnostics(diagnostics);
  if (!isValid) return `${problems} in ${files} ${time}`;
  const count = (key: 'providers' | 'configs' | 'api_keys' | 'prompts', word: string): string =>
    plural(
      loads.reduce((sum, load) => sum + Object.keys(load.tree?.[key] ?? {}).length, 0),
      word,
    );
  const prompts = count('prompts', 'prompt');
  const counts = [
    count('providers', 'provider'),
    count('configs', 'config'),
    count('api_keys', 'key'),
    ...(prompts.startsWith('0 ') ? [] : [prompts]),
  ];
  return `ok: ${[files, ...counts, ...(problems === '' ? [] : [problems])].join(', ')} ${time}`;
}
