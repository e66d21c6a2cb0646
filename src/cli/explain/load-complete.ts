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
    const unset = errors.length > 0 ? [] : Object.entries(loaded.missing).filter(([, name]) => isVariable(name) && !forms.has(name));
    if (wrong.length === 0 && unset.length === 0) break;
    warnings.push(...unset.map(([slug, name]) => `${name} is not set: the gateway would reject requests to "${slug}".`));
    for (const [, name] of unset) forms.set(name, 0);
    for (const name of new Set(wrong)) forms.set(name, (forms.get(name) ?? 0) + 1);
    const filled = { ...io.env, ...Object.fromEntries([...forms].map(([name, form]) => [name, placeholders[form]?.(name)])) };
    const { tree, ...next } = await again(filled);
    errors = tree === undefined ? next.diagnostics.filter(({ severity }) => severity === 'error') : [];
    if (tree !== undefined) [env, loaded] = [filled, { ...next, tree }];
  }
  return { loaded, env, warnings };
}

const isVariable = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** Variables in the lines of an error. */
const variablesOf = ({ frame }: Diagnostic): readonly string[] =>
  (frame?.lines ?? []).flatMap((line) => [...line.matchAll(/\$\{env:(\w+)/g)].map(([, name = '']) => name));

/** Values in the forms that settings of providers can have: any text or name, a region, a date, a version, a UUID, an address. */
const placeholders: readonly ((name: string) => string)[] = [
  (name) => `unset-${name.toLowerCase().replaceAll('_', '-').slice(0, 40)}`.replace(/-+$/, ''),
  () => 'us-east-1',
  () => '2000-01-01',
  () => 'v1',
  () => '00000000-0000-0000-0000-000000000000',
  () => 'https://unset.invalid',
];

/** Most variables of one provider that are found one after the other. */
const maxUnsetVariables = 5;

/** Most times that a configuration is loaded. */
const maxLoads = maxUnsetVariables + placeholders.length;
