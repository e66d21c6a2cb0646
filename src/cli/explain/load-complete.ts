import type { LoadedConfig, ValidConfig } from '../../config/reload/load.ts';
import type { Diagnostic } from '../../config/report/diagnostic.ts';
import { locateWritten, type WrittenLocations } from '../../config/report/origins.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CommonFlags } from '../command.ts';
import type { CliIo } from '../io.ts';
import { load, loadTree } from '../load.ts';

/** A configuration in which no provider lacks a secret. */
export interface CompleteConfig {
  readonly loaded: ValidConfig;
  /** What its files contain. */
  readonly written: WrittenLocations;
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
  return { loaded, warnings, written: locateWritten({ source, cwd: io.cwd, env, providers: registry.providers, texts, secrets }) };
}

interface FilledConfig {
  readonly loaded: ValidConfig;
  readonly env: CliIo['env'];
  readonly warnings: readonly string[];
}

/**
 * Loads the configuration as if unset variables of providers were set. Only their names are shown, never values. A variable
 * that has no valid placeholder stays unset.
 */
async function withUnset(first: ValidConfig, again: (env: CliIo['env']) => Promise<LoadedConfig>, io: CliIo): Promise<FilledConfig> {
  const forms = new Map<string, number>();
  const warnings: string[] = [];
  let { env } = io;
  let loaded = first;
  let errors: readonly Diagnostic[] = [];
  for (let round = 0; round < maxLoads; round += 1) {
    const wrong = errors.flatMap(variablesOf).filter((name) => forms.has(name));
    const unset =
      errors.length > 0 ? [] : Object.entries(loaded.missing).filter(([, name]) => isVariable(name, loaded) && !forms.has(name));
    if (wrong.length === 0 && unset.length === 0) break;
    warnings.push(...unset.map(([slug, name]) => `${name} is not set: the gateway would reject requests to "${slug}".`));
    for (const [, name] of unset) forms.set(name, 0);
    for (const name of new Set(wrong)) forms.set(name, (forms.get(name) ?? 0) + 1);
    const filled = { ...io.env, ...Object.fromEntries([...forms].map(([name, form], n) => [name, placeholders[form]?.(name, n)])) };
    const { tree, ...next } = await again(filled);
    errors = tree === undefined ? next.diagnostics.filter(({ severity }) => severity === 'error') : [];
    if (tree !== undefined) [env, loaded] = [filled, { ...next, tree }];
  }
  return { loaded, env, warnings };
}

/** True for the name of a variable; false for the path of a file. */
const isVariable = (name: string, { texts }: ValidConfig): boolean =>
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
 * Values in the forms that settings of providers can have: any text or name, a region, a date, a version, a UUID, an
 * address. No two variables have the same value, since each is shown by its name wherever its value occurs.
 */
const placeholders: readonly ((name: string, n: number) => string)[] = [
  (name, n) => `unset-${n + 1}-${name.toLowerCase().replaceAll('_', '-').slice(0, 38)}`.replace(/-+$/, ''),
  (_name, n) => `us-east-${n + 1}`,
  (_name, n) => new Date(Date.UTC(2000, 0, n + 1)).toISOString().slice(0, 10),
  (_name, n) => `v${n + 1}`,
  (_name, n) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`,
  (_name, n) => `https://unset-${n + 1}.invalid`,
];

/** Most variables of one provider that are found one after the other. */
const maxUnsetVariables = 5;

/** Most times that a configuration is loaded. */
const maxLoads = maxUnsetVariables + placeholders.length;
