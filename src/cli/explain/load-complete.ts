import type { LoadedConfig, ValidConfig } from '../../config/reload/load.ts';
import type { Diagnostic } from '../../config/report/diagnostic.ts';
import { locateWritten, type WrittenLocations } from '../../config/report/origins.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CommonFlags } from '../command.ts';
import { needConfig } from '../find-config.ts';
import type { CliIo } from '../io.ts';
import { errorsOf, printInvalidConfig, load, sourceOf } from '../load.ts';

/** A configuration in which no provider lacks a secret. */
export interface CompleteConfig {
  readonly loaded: ValidConfig;
  /** What its files contain. */
  readonly written: WrittenLocations;
  /** Variables that are not set, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Loads the configuration for a command that sends nothing: unset variables get a placeholder.
 * @throws CommandError
 */
export async function loadComplete(flags: CommonFlags, io: CliIo, registry: Registry): Promise<CompleteConfig> {
  const source = await sourceOf(needConfig(flags.config, io), io);
  const loadWith = (env: CliIo['env']): Promise<LoadedConfig> => load(source, { ...io, env }, registry, { allowMissingSecrets: true });
  const { loaded, env, warnings } = await fillUnset(loadWith, io);
  if (loaded.tree === undefined) throw printInvalidConfig(loaded, flags, io);
  const { texts, secrets, tree } = loaded;
  const written = locateWritten({ source, cwd: io.cwd, env, providers: registry.providers, texts, secrets });
  return { loaded: { ...loaded, tree }, warnings, written };
}

interface FilledConfig {
  readonly loaded: LoadedConfig;
  readonly env: CliIo['env'];
  readonly warnings: readonly string[];
}

/**
 * Loads the configuration as if unset variables were set. Only their names are shown, never values. A variable that has no
 * valid placeholder stays unset. Without a valid result, returns the configuration as it is without placeholders.
 */
async function fillUnset(loadWith: (env: CliIo['env']) => Promise<LoadedConfig>, io: CliIo): Promise<FilledConfig> {
  const forms = new Map<string, number>();
  const lines = new Map<string, string>();
  const warnings: string[] = [];
  // An error about a secret shows no text: its variables are those that were found in the same line.
  const variablesIn = (error: Diagnostic): readonly string[] =>
    error.frame === undefined ? [...lines].flatMap(([name, line]) => (line === lineOf(error) ? [name] : [])) : variablesOf(error);
  let last = await loadWith(io.env);
  let best: Pick<FilledConfig, 'loaded' | 'env'> = { loaded: last, env: io.env };
  for (let round = 1; round < maxLoads; round += 1) {
    const unset = unsetVariables(last).filter(({ name }) => !forms.has(name));
    const wrong = errorsOf(last)
      .flatMap(variablesIn)
      .filter((name) => forms.has(name));
    if (wrong.length === 0 && unset.length === 0) break;
    for (const { name, effect, line } of unset) {
      if (!forms.has(name)) warnings.push(`${name} is not set: the gateway would reject ${effect}.`);
      forms.set(name, 0);
      if (line !== undefined) lines.set(name, line);
    }
    for (const name of new Set(wrong)) forms.set(name, (forms.get(name) ?? 0) + 1);
    const env = { ...io.env, ...Object.fromEntries([...forms].map(([name, form], n) => [name, placeholders[form]?.(name, n)])) };
    last = await loadWith(env);
    if (last.tree !== undefined) best = { loaded: last, env };
  }
  return { ...best, warnings };
}

interface UnsetVariable {
  readonly name: string;
  /** What the gateway would reject: the whole configuration, or requests to one provider. */
  readonly effect: string;
  /** The line that names it, if an error shows it. */
  readonly line?: string;
}

function unsetVariables(loaded: LoadedConfig): readonly UnsetVariable[] {
  if (loaded.tree === undefined)
    return errorsOf(loaded)
      .filter(({ code }) => code === 'unset-variable')
      .flatMap((error) => variablesOf(error).map((name) => ({ name, effect: 'this configuration', line: lineOf(error) })));
  return Object.entries(loaded.missing).flatMap(([slug, name]) =>
    isVariable(name, loaded) ? [{ name, effect: `requests to "${slug}"` }] : [],
  );
}

const lineOf = ({ file, line }: Diagnostic): string => `${file}:${line}`;

/** True for the name of a variable; false for the path of a file. */
const isVariable = (name: string, { texts }: LoadedConfig): boolean =>
  /^[A-Za-z_]\w*$/.test(name) && !Object.values(texts).some((text) => text.includes(`\${file:${name}}`));

/** Variables in the value of an error; otherwise those in its lines. */
function variablesOf({ frame, line, column, endColumn }: Diagnostic): readonly string[] {
  const found = (frame?.lines ?? []).flatMap((text, i) =>
    [...text.matchAll(/\$\{env:(\w+)[^}]*/g)].map(({ index, 0: whole, 1: name = '' }) => ({
      name,
      isInside: i + (frame?.first ?? 0) === line && index < endColumn - 1 && index + whole.length >= column,
    })),
  );
  const inside = found.filter((one) => one.isInside);
  return (inside.length > 0 ? inside : found).map(({ name }) => name);
}

/**
 * Values in the forms that settings can have: any text or name, a region, a date, a version, a UUID, a URL, a port, an
 * address, the hash of an API key. No two variables have the same value, since each is shown by its name wherever its value occurs.
 */
const placeholders: readonly ((name: string, n: number) => string)[] = [
  (name, n) => `unset-${n + 1}-${name.toLowerCase().replaceAll('_', '-').slice(0, 38)}`.replace(/-+$/, ''),
  (_name, n) => `us-east-${n + 1}`,
  (_name, n) => new Date(Date.UTC(2000, 0, n + 1)).toISOString().slice(0, 10),
  (_name, n) => `v${n + 1}`,
  (_name, n) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`,
  (_name, n) => `https://unset-${n + 1}.invalid`,
  (_name, n) => `${60_001 + n}`,
  (_name, n) => `127.0.0.1:${60_001 + n}`,
  (_name, n) => `sha256:${String(n).padStart(64, '0')}`,
];

/** Maximum variables of one provider that are found one after the other. */
const maxUnsetVariables = 5;

/** Maximum times that a configuration is loaded. */
const maxLoads = maxUnsetVariables + placeholders.length;
