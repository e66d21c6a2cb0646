import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import { type CatalogEntry, type CatalogFlags, exitCodes, openCatalog, whyOff } from './catalog.ts';
import { hostOf, modelsOf, table } from './facts.ts';
import { unsigned } from './catalog.ts';

/** Names of models in one cell. */
const shownModels = 3;

/** `gateway providers list`: the entries of the catalog, without a connection. Returns the exit code. */
export async function listProviders(flags: CatalogFlags, io: CliIo, registry: Registry): Promise<number> {
  const catalog = await openCatalog(flags, io, registry, unsigned);
  if (typeof catalog === 'number') return catalog;
  const found = catalog.entries.map(factsOf);
  if (flags.json === true) io.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  else if (found.length > 0) io.stdout.write(table([header, ...found.map(rowOf)]));
  if (found.length > 0) return exitCodes.yes;
  io.stderr.write('no providers; write one with: gateway providers add TYPE\n');
  return exitCodes.no;
}

const header = ['SLUG', 'TYPE', 'NAME', 'HOST', 'MODELS', 'STATE'];

interface Facts {
  readonly slug: string;
  readonly type: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly host: string | null;
  readonly models: readonly string[];
  readonly state: 'ok' | 'off';
  readonly why: string | null;
}

function factsOf(one: CatalogEntry): Facts {
  const why = whyOff(one);
  return {
    slug: one.slug,
    type: one.binding.provider.type,
    name: one.entry.name ?? null,
    description: one.entry.description ?? null,
    host: hostOf(one) ?? null,
    models: modelsOf(one),
    state: why === undefined ? 'ok' : 'off',
    why: why ?? null,
  };
}

function rowOf({ slug, type, name, host, models, state, why }: Facts): string[] {
  const more = models.length > shownModels ? [`+${models.length - shownModels}`] : [];
  const names = models.length === 0 ? 'all' : [...models.slice(0, shownModels), ...more].join(', ');
  return [slug, type, name ?? '-', host ?? '-', names, why === null ? state : `${state}: ${why}`];
}
