import { formatPath, type Node, type SourceLocation, walk } from '../../config/read/node.ts';
import { isBare, printableValue } from '../../config/report/origins.ts';
import { placeText } from '../../config/report/problem.ts';
import { createMask, type Mask } from '../../core/secrets/mask.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import { type CatalogEntry, whyOff } from '../../manage/providers/entry.ts';
import { openCatalog, unsigned, entryOf } from './catalog.ts';
import { hostOf, modelsOf } from '../../manage/providers/facts.ts';
import { exitCodes, type CommonFlags } from '../command.ts';
import { jsonText, table } from '../text.ts';

/** `gateway providers show SLUG`: shows a provider with the source of each value; secrets as references. Returns the exit code. */
export async function showProvider(slug: string, flags: CommonFlags, io: CliIo, registry: Registry): Promise<number> {
  const catalog = await openCatalog(flags, io, registry, unsigned);
  const one = entryOf(catalog, slug);
  const mask = createMask(catalog.secrets);
  const rows = one.written === undefined ? [] : rowsOf(one.written.value, one.slug, mask);
  if (flags.json === true) io.stdout.write(jsonText(asJson(one, rows)));
  else io.stdout.write(asText(one, rows));
  return exitCodes.yes;
}

interface Row {
  readonly key: string;
  /** Printable form, without secrets. */
  readonly value: string;
  readonly at: SourceLocation;
}

function rowsOf(written: Node, slug: string, mask: Mask): Row[] {
  const rows: Row[] = [];
  walk(written, (node, path) => {
    if (isBare(node))
      rows.push({ key: formatPath(path), value: mask.text(printableValue(node, ['providers', slug, ...path])), at: node.at });
    return true;
  });
  return rows;
}

function asText(one: CatalogEntry, rows: readonly Row[]): string {
  const why = whyOff(one);
  const models = modelsOf(one);
  const head = `${one.slug}   ${one.binding.provider.type}${one.written === undefined ? '' : `   ${placeText(one.written.keyAt)}`}\n`;
  const facts = [
    ['host', hostOf(one) ?? '-'],
    ['models', models.length === 0 ? 'all' : models.join(', ')],
    ['state', why === undefined ? 'ok' : `off: ${why}`],
  ].map((row) => [`  ${row[0]}`, row[1] ?? '']);
  return `${head}${table(
    rows.map(({ key, value, at }) => [`  ${key}`, value, placeText(at)]),
    '   ',
  )}\n${table(facts, '   ')}`;
}

function asJson(one: CatalogEntry, rows: readonly Row[]): object {
  const why = whyOff(one);
  return {
    slug: one.slug,
    type: one.binding.provider.type,
    file: one.written?.keyAt.file.name ?? null,
    line: one.written?.keyAt.line ?? null,
    settings: rows.map(({ key, value, at }) => ({ key, value, file: at.file.name, line: at.line })),
    host: hostOf(one) ?? null,
    models: modelsOf(one),
    state: why === undefined ? 'ok' : 'off',
    why: why ?? null,
  };
}
