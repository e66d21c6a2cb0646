import { compileCatalog } from '../../config/compile/providers/index.ts';
import { complete } from '../../config/compile/steps.ts';
import type { MakeCredential } from '../../config/compile/providers/binding.ts';
import { mergeFiles } from '../../config/read/merge-files.ts';
import { loadConfig } from '../../config/reload/load.ts';
import { child, type Entry, entriesOf } from '../../config/read/node.ts';
import type { GatewayConfig, ProviderEntry } from '../../config/schema/index.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import type { Provider } from '../../core/provider.ts';
import type { ProviderBinding } from '../../core/snapshot.ts';
import type { Registry } from '../../gateway/types.ts';
import { findConfig } from '../find-config.ts';
import { type CliIo, hasColors } from '../io.ts';
import { prettyDiagnostics } from '../diagnostics.ts';

/** What every command about the catalog takes. */
export interface CatalogFlags {
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
  readonly color?: boolean | undefined;
}

/** Exit codes. */
export const exitCodes = { yes: 0, no: 1, usage: 2, invalid: 3, interrupted: 130 } as const;

/** One entry of `providers:` in all its forms. */
export interface CatalogEntry {
  readonly slug: string;
  readonly entry: ProviderEntry;
  readonly binding: ProviderBinding;
  /** As it stands in its file: references unresolved, with places. */
  readonly written: Entry | undefined;
  /** Variable or file that it lacks. */
  readonly missing: string | undefined;
}

export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  /** Masked wherever text of a provider is shown. */
  readonly secrets: readonly string[];
  /** `server.egress.allow`. */
  readonly egressAllow: readonly string[];
}

/** Loads the configuration as `start` does; entries with unset secrets are there, and switched off. A number is the exit code. */
export async function openCatalog(
  flags: CatalogFlags,
  io: CliIo,
  registry: Registry,
  credential: MakeCredential,
): Promise<Catalog | number> {
  const found = findConfig(flags.config, io.env, io.cwd);
  if ('looked' in found) {
    io.stderr.write(`error: no configuration found; looked for ${found.looked.join(' and ')}\n`);
    return exitCodes.invalid;
  }
  const source = 'path' in found ? found : { text: await io.readStdin(), name: '<stdin>' };
  const importPlugin = async (path: string): Promise<unknown> => (await import('../../gateway/generations.ts')).importFile(path);
  const { providers, stages: plugins } = registry;
  const loaded = await loadConfig({ source, cwd: io.cwd, env: io.env, providers, plugins, importPlugin, allowMissingSecrets: true });
  const { tree } = loaded;
  if (tree === undefined) {
    const errors = loaded.diagnostics.filter(({ severity }) => severity === 'error');
    io.stderr.write(`${prettyDiagnostics(errors, { colors: hasColors(io.stderr, io.env, flags.color) })}\n`);
    return exitCodes.invalid;
  }
  const outside = await Promise.all(loaded.outside.providers.map(async (path) => (await importPlugin(path)) as Provider));
  const types = typesOf([...providers, ...outside]);
  const catalog = complete(compileCatalog({ ...tree, missing: loaded.missing }, types, credential));
  const written = writtenEntries(source, io);
  const entries = Object.entries(tree.providers ?? {}).flatMap(([slug, entry]): CatalogEntry[] => {
    const binding = catalog.get(slug)?.binding;
    return binding === undefined ? [] : [{ slug, entry, binding, written: written.get(slug), missing: loaded.missing[slug] }];
  });
  return { entries, secrets: loaded.secrets, egressAllow: egressOf(tree) };
}

const egressOf = (tree: GatewayConfig): readonly string[] => tree.server?.egress?.allow ?? [];

/** By type and alias. */
export function typesOf(providers: readonly Provider[]): ReadonlyMap<string, Provider> {
  return new Map(providers.flatMap((provider) => [provider.type, ...provider.aliases].map((name) => [name, provider] as const)));
}

/** The entries as they are written, through includes and anchors. */
export function writtenEntries(source: LoadedFrom, { cwd, env }: CliIo): ReadonlyMap<string, Entry> {
  const nothing = (): void => {};
  const { root } = mergeFiles(source, { cwd, env, report: nothing, secret: nothing, unresolved: nothing, watch: nothing });
  return new Map(entriesOf(child(root, 'providers')).map((entry) => [entry.key, entry]));
}

type LoadedFrom = Parameters<typeof mergeFiles>[0];

/** The entries with these slugs, all where none is named; a number is the exit code after saying what there is. */
export function chosen(catalog: Catalog, slugs: readonly string[], io: CliIo): readonly CatalogEntry[] | number {
  const found: CatalogEntry[] = [];
  for (const slug of slugs) {
    const entry = catalog.entries.find((one) => one.slug === slug.replace(/^@/, ''));
    if (entry === undefined) {
      const names = catalog.entries.map((one) => one.slug);
      io.stderr.write(`error: no provider called "${slug}".${didYouMean(slug, names)}\nAvailable: ${names.join(', ') || 'none'}\n`);
      return exitCodes.no;
    }
    found.push(entry);
  }
  return slugs.length === 0 ? catalog.entries : found;
}

/** Why no request goes to an entry; undefined when it is in use. */
export function whyOff({ entry, missing }: CatalogEntry): string | undefined {
  if (entry.enabled === false) return 'enabled: false';
  if (missing === undefined) return undefined;
  return /^[A-Za-z_]\w*$/.test(missing) ? `${missing} is not set` : `${missing} cannot be read`;
}

/** For commands that send nothing: signs nothing, and loads no part of the transport. */
export const unsigned: MakeCredential = (_spec, owner) => ({ owner, headers: () => [] });
