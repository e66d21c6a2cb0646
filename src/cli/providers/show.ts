import { entriesOf, formatPath, itemsOf, type Node, type Path, type SourceLocation } from '../../config/read/node.ts';
import { placeText } from '../../config/report/problem.ts';
import { isSecretKey, withoutKeys } from '../../config/read/secrets.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import { type CatalogEntry, type CatalogFlags, chosen, exitCodes, openCatalog, whyOff } from './catalog.ts';
import { hostOf, modelsOf, table } from './facts.ts';
import { unsigned } from './catalog.ts';

/** `gateway providers show SLUG`: show a provider with the source of each value; secrets as references. Returns the exit code. */
export async function showProvider(slug: string, flags: CatalogFlags, io: CliIo, registry: Registry): Promise<number> {
  const catalog = await openCatalog(flags, io, registry, unsigned);
  if (typeof catalog === 'number') return catalog;
  const found = chosen(catalog, [slug], io);
  if (typeof found === 'number') return found;
  const [one] = found;
  if (one === undefined) return exitCodes.no;
  const rows = one.written === undefined ? [] : rowsOf(one.written.value, [one.slug]);
  if (flags.json === true) io.stdout.write(`${JSON.stringify(asJson(one, rows), null, 2)}\n`);
  else io.stdout.write(asText(one, rows));
  return exitCodes.yes;
}

interface Row {
  readonly key: string;
  /** As it may be printed. */
  readonly value: string;
  readonly at: SourceLocation;
}

function rowsOf(node: Node, path: Path): Row[] {
  if (node.kind === 'map' && node.entries.size > 0) return entriesOf(node).flatMap((entry) => rowsOf(entry.value, [...path, entry.key]));
  if (node.kind === 'list' && itemsOf(node).length > 0) return itemsOf(node).flatMap((item, i) => rowsOf(item, [...path, i]));
  const text = node.kind === 'scalar' ? node.text : node.kind === 'map' ? '{}' : '[]';
  const key = path.findLast((step) => typeof step === 'string');
  return [{ key: formatPath(path.slice(1)), value: isSecretKey(key) ? printable(text) : withoutKeys(text), at: node.at }];
}

/** A secret as it may be shown: its references, and never what is next to them or as their default. */
function printable(text: string): string {
  const references = [...text.matchAll(/\$\{(?:env|file):[^{}]*\}/g)].map(([reference]) => reference.replace(/:-.*\}$/, ':-…}'));
  return references.length === 0 ? '(written in the file, not shown)' : references.join(' … ');
}

const originOf = (at: SourceLocation): string => `${placeText(at)}`;

function asText(one: CatalogEntry, rows: readonly Row[]): string {
  const why = whyOff(one);
  const models = modelsOf(one);
  const head = `${one.slug}   ${one.binding.provider.type}${one.written === undefined ? '' : `   ${originOf(one.written.keyAt)}`}\n`;
  const facts = [
    ['host', hostOf(one) ?? '-'],
    ['models', models.length === 0 ? 'all' : models.join(', ')],
    ['state', why === undefined ? 'ok' : `off: ${why}`],
  ].map((row) => [`  ${row[0]}`, row[1] ?? '']);
  return `${head}${table(rows.map(({ key, value, at }) => [`  ${key}`, value, originOf(at)]))}\n${table(facts)}`;
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
