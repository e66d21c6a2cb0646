import { entriesOf, formatPath, itemsOf, type Node, type Path, type SourceLocation } from '../../config/read/node.ts';
import { placeText } from '../../config/report/problem.ts';
import { isSecretKey, shownSecret, withoutKeys } from '../../config/read/secrets.ts';
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
  const rows = one.written === undefined ? [] : rowsOf(one.written.value, [one.slug]);
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

function rowsOf(node: Node, path: Path): Row[] {
  if (node.kind === 'map' && node.entries.size > 0) return entriesOf(node).flatMap((entry) => rowsOf(entry.value, [...path, entry.key]));
  if (node.kind === 'list' && itemsOf(node).length > 0) return itemsOf(node).flatMap((item, i) => rowsOf(item, [...path, i]));
  const text = node.kind === 'scalar' ? node.text : node.kind === 'map' ? '{}' : '[]';
  const key = path.findLast((step) => typeof step === 'string');
  return [{ key: formatPath(path.slice(1)), value: isSecretKey(key) ? shownSecret(text) : withoutKeys(text), at: node.at }];
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
