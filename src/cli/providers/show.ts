import { formatPath, type Node, type SourceLocation, traverse } from '../../config/read/node.ts';
import { isLeafValue, printableValue } from '../../config/report/origins.ts';
import { locationText } from '../../config/report/problem.ts';
import { createMask, type Mask } from '../../core/secrets/mask.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import { type CatalogEntry, disabledReason } from '../../manage/providers/catalog-entry.ts';
import { openCatalog, unsigned, entryOf } from './catalog.ts';
import { hostOf, modelsOf } from '../../manage/providers/probe-request.ts';
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

interface SettingRow {
  readonly key: string;
  /** Printable form, without secrets. */
  readonly value: string;
  readonly at: SourceLocation;
}

function rowsOf(written: Node, slug: string, mask: Mask): SettingRow[] {
  const rows: SettingRow[] = [];
  traverse(written, (node, path) => {
    if (isLeafValue(node))
      rows.push({ key: formatPath(path), value: mask.text(printableValue(node, ['providers', slug, ...path])), at: node.at });
    return true;
  });
  return rows;
}

function asText(one: CatalogEntry, rows: readonly SettingRow[]): string {
  const why = disabledReason(one);
  const models = modelsOf(one);
  const head = `${one.slug}   ${one.binding.provider.type}${one.written === undefined ? '' : `   ${locationText(one.written.keyAt)}`}\n`;
  const facts = [
    ['host', hostOf(one) ?? '-'],
    ['models', models.length === 0 ? 'all' : models.join(', ')],
    ['state', why === undefined ? 'ok' : `off: ${why}`],
  ].map((row) => [`  ${row[0]}`, row[1] ?? '']);
  return `${head}${table(
    rows.map(({ key, value, at }) => [`  ${key}`, value, locationText(at)]),
    '   ',
  )}\n${table(facts, '   ')}`;
}

function asJson(one: CatalogEntry, rows: readonly SettingRow[]): object {
  const why = disabledReason(one);
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
