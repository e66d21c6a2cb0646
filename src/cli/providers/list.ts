import { createMask } from '../../core/secrets/mask.ts';
import type { Registry } from '../../gateway/types.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { type CatalogEntry, disabledReason } from '../../manage/providers/catalog-entry.ts';
import { openCatalog, unsigned } from './catalog.ts';
import { hostOf, modelsOf } from '../../manage/providers/probe-request.ts';
import { exitCodes, sameFile, type CommonFlags } from '../command.ts';
import { fittingTable } from '../fitting-table.ts';
import { jsonText } from '../text.ts';

/** Most model names in one cell. */
const shownModels = 3;

/** `gateway providers list`: lists the configured providers, offline. Returns the exit code. */
export async function listProviders(flags: CommonFlags, io: CliIo, registry: Registry): Promise<number> {
  const catalog = await openCatalog(flags, io, registry, unsigned);
  const found = catalog.entries.map(factsOf);
  const mask = createMask(catalog.secrets);
  if (flags.json === true) io.stdout.write(mask.text(jsonText(found)));
  else if (found.length > 0)
    io.stdout.write(
      fittingTable([header, ...found.map((facts) => rowOf(facts).map(mask.text))], { ...fit, width: terminalWidth(io.stdout) }),
    );
  if (found.length === 0) io.stderr.write(`no providers; write one with: ${sameFile('gateway providers add TYPE', flags)}\n`);
  return exitCodes.yes;
}

const fit = { gap: '   ', removable: ['NAME', 'MODELS', 'HOST', 'TYPE'], flexible: ['NAME', 'HOST', 'MODELS', 'STATE'] };

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
  const why = disabledReason(one);
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
