import { sha256 } from '../../core/secrets/sha256.ts';
import type { Plugin } from '../../core/plugin.ts';
import type { Provider } from '../../core/provider.ts';
import { startOf, type StartFacts } from '../check/context.ts';
import { runRules } from '../check/index.ts';
import { type Diagnostic, isError, sortDiagnostics } from '../report/diagnostic.ts';
import { reportUnknownIgnores, withFrames } from '../report/frame.ts';
import type { SavedFiles } from '../read/files.ts';
import { mergeFiles, type MergedFiles, type Source } from '../read/merge-files.ts';
import { withKeySet } from '../read/key-set-file.ts';
import { type Entry, type MapNode, nodeAt, type SourceLocation, textOf, toValue, mapEntries } from '../read/node.ts';
import { importExternal, withAbsolutePaths } from '../read/external.ts';
import { chainOf, provides } from '../read/registry.ts';
import type { Problem } from '../report/problem.ts';
import { ResolvedValues } from '../report/resolved-values.ts';
import { type ReferencePolicy, type ReferenceContext, resolveReferences } from '../read/references.ts';
import type { GatewayConfig } from '../schema/index.ts';
import { commentSecrets, literalSecrets, publicNames } from '../read/secrets.ts';
import { canonicalizeKeys } from '../read/canonical-keys.ts';
import { validate } from '../validate/schema.ts';
import type { Validators } from '../validate/schemas/validators.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { withoutFullStop } from '../../core/text/wording.ts';

export interface LoadRequest {
  /** Path of gateway.yaml, or text with a display name (standard input, try-out). */
  readonly source: Source;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly providers: readonly Provider[];
  readonly plugins: readonly Plugin[];
  /** Imports an external plugin by absolute path. Rejects with an Error whose message is shown. */
  importPlugin?(path: string): Promise<unknown>;
  /** Called with the resolved references before plugins are imported: their code may print them. */
  readonly onSecrets?: ((secrets: readonly string[]) => Promise<void>) | undefined;
  /** Reports providers and virtual keys with unset secrets in `missing` instead of as errors. */
  readonly allowMissingSecrets?: boolean;
  /** Schemas that earlier loads have compiled. */
  readonly validators?: Validators;
  /** Facts outside the files that decide whether a gateway can start with them. */
  readonly start?: StartFacts | undefined;
  /** Sets up a valid configuration as a start does, then releases it. Resolves with the reason if that failed, as a sentence. */
  rehearse?(loaded: ValidConfig): Promise<string | undefined>;
  /** Texts to read instead of the files on disk. References are resolved as usual. */
  readonly saved?: SavedFiles;
}

/** A configuration without errors. */
export type ValidConfig = LoadedConfig & { readonly tree: GatewayConfig };

/** Plain data, since it is sent between processes. */
export interface LoadedConfig {
  /**
   * Undefined when there are errors. References are resolved, plugin paths absolute and spellings canonical; short forms
   * stay as written.
   */
  readonly tree: GatewayConfig | undefined;
  /** Sorted by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** Every value that comes from a reference, and every literal at a position where a secret belongs. */
  readonly secrets: readonly string[];
  /** Absolute paths of all files that were read, the main file first. */
  readonly files: readonly string[];
  /** Paths to watch for a reload: files, folders of include patterns, secret files. */
  readonly watch: readonly string[];
  /** First seven hex digits of the resolved tree's hash. */
  readonly revision: string;
  /** With `allowMissingSecrets`: slug → variable or file that its entry lacks. */
  readonly missing: Readonly<Record<string, string>>;
  /** Absolute paths of the files in `provider_plugins`. */
  readonly providerPaths: readonly string[];
  /** True when the chain requires a key or token from callers. */
  readonly asksForKeys: boolean;
  /** Absolute path → text as read, with unresolved references. */
  readonly texts: SavedFiles;
  /** `server.state_dir` where it can be read, even if there is no tree. */
  readonly stateDir: string | undefined;
}

/**
 * Reads, merges, resolves, validates and checks a configuration. Opens no connections, and never rejects because of the
 * content of files.
 */
export async function loadConfig(request: LoadRequest): Promise<LoadedConfig> {
  const problems: Problem[] = [];
  const secrets = new Set<string>();
  const watch = new Set<string>();
  const missingSecrets: Record<string, string> = {};
  const report = (problem: Problem): void => void problems.push(problem);
  const unresolved = new Set<SourceLocation>();
  const values = new ResolvedValues();
  const sources: ReferenceContext = {
    cwd: request.cwd,
    env: request.env,
    report,
    secret: (value, at) => {
      secrets.add(value);
      values.add(at, value);
    },
    unresolved: (at) => unresolved.add(at),
    watch: (path) => watch.add(path),
  };

  const merged = mergeFiles(request.source, sources, request.saved);
  reportUnknownIgnores(merged.files, report);
  const resolved = withKeySet(resolveAll(merged.root, sources, request.allowMissingSecrets === true, missingSecrets), sources);
  // One message per cause: a value that could not be resolved is not reported as empty too.
  const reportUnlessUnresolved = (problem: Problem): void => (unresolved.has(problem.at) ? undefined : report(problem));
  await request.onSecrets?.([...secrets]);
  const external = await importExternal(resolved, request, reportUnlessUnresolved);
  const providers = external.providers.length === 0 ? request.providers : [...request.providers, ...external.providers];
  const registry = { providers, plugins: request.plugins, external: external.plugins, cwd: request.cwd };
  const root = canonicalizeKeys(resolved, registry, reportUnlessUnresolved);
  collectSecrets(root, merged, providers, secrets);
  runRules({
    root,
    registry,
    isValid: await validate(root, registry, reportUnlessUnresolved, request.validators),
    missingSecrets,
    unresolved,
    hasBrokenFiles: merged.broken.size > 0,
    start: request.start ?? {},
    report: reportUnlessUnresolved,
  });

  const toDiagnostics = (): Diagnostic[] => sortDiagnostics(withFrames(values.redact(relevantProblems(problems, merged)), secrets));
  const diagnostics = toDiagnostics();
  const loaded: LoadedConfig = {
    tree: diagnostics.some(isError) ? undefined : (toValue(withAbsolutePaths(root, request.cwd)) as GatewayConfig),
    diagnostics,
    secrets: [...secrets],
    files: merged.files.map((file) => file.path).filter((path) => path !== ''),
    watch: [...watch],
    revision: revisionOf(toValue(root)),
    missing: missingSecrets,
    providerPaths: external.providerPaths,
    asksForKeys: provides(chainOf(root, registry), 'authentication'),
    texts: merged.texts,
    stateDir: textOf(nodeAt(root, ['server', 'state_dir'])),
  };
  if (loaded.tree === undefined || request.rehearse === undefined) return loaded;
  const fault = await request.rehearse({ ...loaded, tree: loaded.tree });
  if (fault === undefined) return loaded;
  report({ code: 'setup-failed', at: startOf(root.at), message: withoutFullStop(fault) });
  return { ...loaded, tree: undefined, diagnostics: toDiagnostics() };
}

/** Adds the secrets that the files contain as plain text, and removes names that are not secret. */
function collectSecrets(root: MapNode, { texts }: MergedFiles, providers: readonly Provider[], secrets: Set<string>): void {
  for (const secret of literalSecrets(root)) secrets.add(secret);
  for (const text of Object.values(texts)) for (const secret of commentSecrets(text)) secrets.add(secret);
  for (const name of publicNames(root, providers)) secrets.delete(name);
}

/** Resolves references by section: `x-` keys are skipped, and unresolved references of disabled providers are ignored. */
function resolveAll(root: MapNode, sources: ReferenceContext, allowMissing: boolean, missing: Record<string, string>): MapNode {
  return mapEntries(root, (entry): Entry => {
    if (entry.key.startsWith('x-') || entry.key === 'include') return entry;
    if ((entry.key !== 'providers' && entry.key !== 'virtual_keys') || entry.value.kind !== 'map') {
      return { ...entry, value: resolveReferences(entry.value, sources) };
    }
    const isProvider = entry.key === 'providers';
    const resolved = (one: Entry): Entry => ({ ...one, value: resolveReferences(one.value, sources, policyOf(one, isProvider)) });
    return { ...entry, value: mapEntries(entry.value, resolved) };
  });

  function policyOf(entry: Entry, isProvider: boolean): ReferencePolicy {
    const enabled = nodeAt(entry.value, ['enabled']);
    if (enabled?.kind === 'scalar' && enabled.value === false) return { onUnresolved: () => true };
    if (!allowMissing) return isProvider ? { alternative: ', or set enabled: false' } : {};
    const onUnresolved = (what: string, at: SourceLocation): boolean => {
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
    return { onUnresolved };
  }
}

/**
 * In a file that cannot be parsed, only syntax errors are reported. Unused entries are not reported either, since that
 * file might use them.
 */
function relevantProblems(problems: readonly Problem[], { broken }: MergedFiles): readonly Problem[] {
  if (broken.size === 0) return problems;
  return problems.filter((problem) => problem.code !== 'never-used' && (!broken.has(problem.at.file) || problem.code === 'yaml-syntax'));
}

/** Object keys are sorted, so that their order does not change the revision; lists keep their order. */
function revisionOf(tree: unknown): string {
  const text = JSON.stringify(tree, (_key, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return sha256(text).slice(0, 7);
}
