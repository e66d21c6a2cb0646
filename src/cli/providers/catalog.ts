import type { ServerEntry } from '../../config/schema/index.ts';
import { compileCatalog } from '../../config/compile/providers/index.ts';
import { runSteps } from '../../core/async/steps.ts';
import type { MakeCredential } from '../../config/compile/providers/binding.ts';
import type { Source } from '../../config/read/merge-files.ts';
import { child, type Entry, entriesOf } from '../../config/read/node.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import type { Provider } from '../../core/provider.ts';
import { withoutAt } from '../../core/model/model-name.ts';
import type { CatalogEntry } from '../../manage/providers/catalog-entry.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import { CommandError, exitCodes, type CommonFlags } from '../command.ts';
import { importPlugin, type LoadedTree, loadTree } from '../load.ts';
import { readUnresolved } from '../../config/edit/written.ts';

export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  /** Secrets to mask in all text from providers. */
  readonly secrets: readonly string[];
  /** `server.egress`. */
  readonly egress: ServerEntry['egress'];
}

/**
 * Loads the configuration as `start` does. Entries with unset secrets are included, but disabled.
 * @throws CommandError
 */
export async function openCatalog(flags: CommonFlags, io: CliIo, registry: Registry, credential: MakeCredential): Promise<Catalog> {
  return catalogOf(await loadTree(flags, io, registry), io, registry, credential);
}

/** The providers of a loaded configuration. */
export async function catalogOf(from: LoadedTree, io: CliIo, registry: Registry, credential: MakeCredential): Promise<Catalog> {
  const { source, loaded, tree } = from;
  const external = await Promise.all(loaded.providerPaths.map(async (path) => (await importPlugin(path)) as Provider));
  const types = typesOf([...registry.providers, ...external]);
  const catalog = runSteps(compileCatalog({ ...tree, missing: loaded.missing }, types, credential));
  const written = writtenEntries(source, io);
  const entries = Object.entries(tree.providers ?? {}).flatMap(([slug, entry]): CatalogEntry[] => {
    const binding = catalog.get(slug)?.binding;
    return binding === undefined ? [] : [{ slug, entry, binding, written: written.get(slug), missing: loaded.missing[slug] }];
  });
  return { entries, secrets: loaded.secrets, egress: tree.server?.egress };
}

/** Provider types by name and alias. */
export function typesOf(providers: readonly Provider[]): ReadonlyMap<string, Provider> {
  return new Map(providers.flatMap((provider) => [provider.type, ...provider.aliases].map((name) => [name, provider] as const)));
}

/** Entries as written, including those from includes and anchors. */
export function writtenEntries(source: Source, io: CliIo): ReadonlyMap<string, Entry> {
  const { root } = readUnresolved(source, io);
  return new Map(entriesOf(child(root, 'providers')).map((entry) => [entry.key, entry]));
}

/**
 * Entries with these slugs; all entries if none is given.
 * @throws CommandError that lists the known slugs
 */
export function selectedEntries(catalog: Catalog, slugs: readonly string[]): readonly CatalogEntry[] {
  return slugs.length === 0 ? catalog.entries : slugs.map((slug) => entryOf(catalog, slug));
}

export function entryOf({ entries }: Catalog, slug: string): CatalogEntry {
  const entry = entries.find((one) => one.slug === withoutAt(slug));
  if (entry !== undefined) return entry;
  const names = entries.map((one) => one.slug);
  const available = `Available: ${names.join(', ') || 'none'}`;
  throw new CommandError(exitCodes.no, `no provider called "${slug}".${didYouMean(slug, names)}`, available);
}

/** Credentials for commands that send nothing. Signs nothing, and loads no part of the transport. */
export const unsigned: MakeCredential = (_spec, owner) => ({ owner, headers: () => [] });
