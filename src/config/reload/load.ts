import { createHash } from 'node:crypto';
import type { Plugin } from '../../core/plugin.ts';
import type { Provider } from '../../core/provider.ts';
import { startOf, type StartFacts } from '../check/context.ts';
import { check } from '../check/index.ts';
import { type Diagnostic, sortDiagnostics } from '../report/diagnostic.ts';
import { originsOf, type WrittenValue } from '../report/origins.ts';
import type { Origin } from '../../core/logs/explanation.ts';
import { withFrames } from '../report/frame.ts';
import { mergeFiles, type MergedFiles, type SavedFiles, type Source } from '../read/merge-files.ts';
import { withKeySet } from '../read/key-set-file.ts';
import { type Entry, type MapNode, nodeAt, type SourceLocation, textOf, toValue, mapEntries } from '../read/node.ts';
import { importExternal, withPaths } from '../read/external.ts';
import { chainOf, provides } from '../read/registry.ts';
import type { Problem } from '../report/problem.ts';
import { type Policy, type ReferenceSources, resolveReferences } from '../read/references.ts';
import type { GatewayConfig } from '../schema/index.ts';
import { literalSecrets, publicNames } from '../read/secrets.ts';
import { canonicalSpelling } from '../read/canonical-keys.ts';
import { type Validators, validate } from '../validate/schema.ts';
import { isPlain } from '../../core/json/merge.ts';

export interface LoadRequest {
  /** Path of gateway.yaml, or text with a name to show (standard input, try-out). */
  readonly source: Source;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly providers: readonly Provider[];
  readonly plugins: readonly Plugin[];
  /** Imports a plugin from outside by absolute path. Rejects with an Error whose message is shown. */
  importPlugin?(path: string): Promise<unknown>;
  /** Providers and virtual keys with unset secrets are named in `missing` instead of being errors. */
  readonly allowMissingSecrets?: boolean;
  /** Schemas that earlier loads compiled. */
  readonly validators?: Validators;
  /** What else than the files decides whether a gateway starts with them. */
  readonly start?: StartFacts | undefined;
  /** Sets a configuration without errors up as a start does, and gives all of it back: why that failed, in a sentence. */
  rehearse?(loaded: ValidConfig): Promise<string | undefined>;
  /** Also says where each value is written. */
  readonly wantsPlaces?: boolean;
  /** Reads these instead of the files on the disk; references are resolved as ever. */
  readonly saved?: SavedFiles;
}

/** A configuration without errors. */
export type ValidConfig = LoadedConfig & { readonly tree: GatewayConfig };

/** Plain data: it is posted between threads. */
export interface LoadedConfig {
  /** Undefined when there are errors. References resolved, paths of plugins absolute, spellings canonical; short forms as written. */
  readonly tree: GatewayConfig | undefined;
  /** Sorted by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** Every value that came by reference, and every literal that is where a secret belongs. */
  readonly secrets: readonly string[];
  /** Absolute paths of all files that were read, the entry first. */
  readonly files: readonly string[];
  /** Files, folders of include patterns, secret files: a change of one is a reason to load again. */
  readonly watch: readonly string[];
  /** Seven hex digits of the resolved tree's hash. */
  readonly revision: string;
  /** With `allowMissingSecrets`: slug → the variable or file that its entry lacks. */
  readonly missing: Readonly<Record<string, string>>;
  /** Absolute paths of the files that `provider_plugins` names. */
  readonly providerPaths: readonly string[];
  /** The chain asks callers for a key or token. */
  readonly asksForKeys: boolean;
  /** Absolute path → text as read, references unresolved. */
  readonly texts: SavedFiles;
  /** `server.state_dir`, as far as it can be read: also where there is no tree. */
  readonly stateDir: string | undefined;
  /** Where it was asked for: every value as it may be shown, and where each node is written. */
  readonly written?: WrittenPlaces;
}

export interface WrittenPlaces {
  readonly values: readonly WrittenValue[];
  /** Path → place. */
  readonly places: Readonly<Record<string, Origin>>;
}

/** Reads, merges, resolves, validates and checks a configuration. Never opens a connection; never throws for what a file says. */
export async function loadConfig(request: LoadRequest): Promise<LoadedConfig> {
  const problems: Problem[] = [];
  const secrets = new Set<string>();
  const watch = new Set<string>();
  const missing: Record<string, string> = {};
  const report = (problem: Problem): void => void problems.push(problem);
  const unresolved = new Set<SourceLocation>();
  const sources: ReferenceSources = {
    cwd: request.cwd,
    env: request.env,
    report,
    secret: (value) => secrets.add(value),
    unresolved: (at) => unresolved.add(at),
    watch: (path) => watch.add(path),
  };

  const gathered = mergeFiles(request.source, sources, request.saved);
  const resolved = withKeySet(resolveAll(gathered.root, sources, request.allowMissingSecrets === true, missing), sources);
  // One cause, one message: what could not be resolved is not also empty.
  const later = (problem: Problem): void => (unresolved.has(problem.at) ? undefined : report(problem));
  const external = await importExternal(resolved, request, later);
  const registry = {
    providers: external.providers.length === 0 ? request.providers : [...request.providers, ...external.providers],
    plugins: request.plugins,
    external: external.plugins,
    cwd: request.cwd,
  };
  const root = canonicalSpelling(resolved, registry, later);
  for (const secret of literalSecrets(root)) secrets.add(secret);
  for (const name of publicNames(root, registry.providers)) secrets.delete(name);
  const valid = validate(root, registry, later, request.validators);
  check({ root, registry, valid, missing, unresolved, broken: gathered.broken.size > 0, start: request.start ?? {}, report: later });

  const told = (): Diagnostic[] => sortDiagnostics(withFrames(relevant(problems, gathered), secrets));
  const diagnostics = told();
  const failed = diagnostics.some((one) => one.severity === 'error');
  const loaded: LoadedConfig = {
    tree: failed ? undefined : (toValue(withPaths(root, request.cwd)) as GatewayConfig),
    diagnostics,
    secrets: [...secrets],
    files: gathered.files.map((file) => file.path).filter((path) => path !== ''),
    watch: [...watch],
    revision: revisionOf(toValue(root)),
    missing,
    providerPaths: external.providerPaths,
    asksForKeys: provides(chainOf(root, registry), 'authentication'),
    texts: gathered.texts,
    stateDir: textOf(nodeAt(root, ['server', 'state_dir'])),
    ...(request.wantsPlaces === true ? { written: placesOf(request, gathered.texts, [...secrets]) } : {}),
  };
  if (loaded.tree === undefined || request.rehearse === undefined) return loaded;
  const fault = await request.rehearse({ ...loaded, tree: loaded.tree });
  if (fault === undefined) return loaded;
  report({ code: 'setup-failed', at: startOf(root.at), message: fault.replace(/\.$/, '') });
  return { ...loaded, tree: undefined, diagnostics: told() };
}

function placesOf({ source, cwd, env, providers }: LoadRequest, texts: SavedFiles, secrets: readonly string[]): WrittenPlaces {
  const origins = originsOf({ source, cwd, env, providers, texts, secrets });
  return { values: origins.values(), places: Object.fromEntries(origins.places()) };
}

/** Resolves the references of every part by its own rule: notes are left alone, switched-off providers are forgiven. */
function resolveAll(root: MapNode, sources: ReferenceSources, allowMissing: boolean, missing: Record<string, string>): MapNode {
  return mapEntries(root, (entry): Entry => {
    if (entry.key.startsWith('x-') || entry.key === 'include') return entry;
    if ((entry.key !== 'providers' && entry.key !== 'virtual_keys') || entry.value.kind !== 'map') {
      return { ...entry, value: resolveReferences(entry.value, sources) };
    }
    const isProvider = entry.key === 'providers';
    const resolved = (one: Entry): Entry => ({ ...one, value: resolveReferences(one.value, sources, policyOf(one, isProvider)) });
    return { ...entry, value: mapEntries(entry.value, resolved) };
  });

  function policyOf(entry: Entry, isProvider: boolean): Policy {
    const enabled = nodeAt(entry.value, ['enabled']);
    if (enabled?.kind === 'scalar' && enabled.value === false) return { forgive: () => true };
    if (!allowMissing) return isProvider ? { otherwise: ', or set enabled: false' } : {};
    const forgive = (what: string, at: SourceLocation): boolean => {
      missing[entry.key] ??= what;
      sources.report({
        code: 'unset-variable',
        severity: 'warning',
        at,
        message: `"${entry.key}" is disabled because its secret is missing: ${what}`,
        hint: 'the gateway rejects requests for it',
      });
      return true;
    };
    return { forgive };
  }
}

/** In a file that is not readable as YAML only that counts; and nobody knows what it would have used. */
function relevant(problems: readonly Problem[], { broken }: MergedFiles): readonly Problem[] {
  if (broken.size === 0) return problems;
  return problems.filter((problem) => problem.code !== 'never-used' && (!broken.has(problem.at.file) || problem.code === 'yaml-syntax'));
}

/** Object keys are sorted, so that the same content in another order is the same revision; lists keep their order. */
function revisionOf(tree: unknown): string {
  const text = JSON.stringify(tree, (_key, value: unknown) =>
    isPlain(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 7);
}
