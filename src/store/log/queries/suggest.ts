import type { SuggestRequest, Suggestion } from '../../../core/logs/reader.ts';
import { rangeOf } from '../../../query/sql/condition.ts';
import { Statement } from '../../../query/sql/statement.ts';
import type { FieldRef } from '../../../query/fields.ts';
import { toStorable } from '../../../query/text.ts';
import { maxSuggestions, suggestFields, suggestValues, inputAtCursor } from '../../../query/suggest.ts';
import { restBucket, valueSql } from '../bucket-names.ts';
import { dimensions } from '../schema.ts';
import { splitWindow } from './parts.ts';
import { rangeWithRows, rangeOfFilter } from './range.ts';
import type { SqlSource } from '../log-store.ts';

const dayMs = 86_400_000;
/** Maximum rows that are read for values without a bucket. */
const maxSampledRows = 20_000;

/** Suggests names of fields, or values of the last day, most frequent first. */
export async function suggest(source: SqlSource, { text, cursor }: SuggestRequest, now: number): Promise<Suggestion[]> {
  const typed = inputAtCursor(text, cursor);
  if (typed.kind === 'nothing') return [];
  if (typed.kind === 'name') return suggestFields(typed, await listNames(source));
  const { field } = typed.ref;
  if (field.type === 'boolean')
    return suggestValues(typed, [
      { value: 'true', count: null },
      { value: 'false', count: null },
    ]);
  if (field.type === 'time') {
    const times = ['15m', '1h', '6h', '1d', '7d'].filter((value) => value.startsWith(typed.prefix));
    return suggestValues(
      typed,
      times.map((value) => ({ value, count: null })),
    );
  }
  if (field.name !== 'status' && field.type !== 'text') return [];
  return suggestValues(typed, await valuesOf(source, typed.ref, typed.prefix, now));
}

type CountedValue = { readonly value: string; readonly count: number };

async function valuesOf(source: SqlSource, ref: FieldRef, prefix: string, now: number): Promise<CountedValue[]> {
  const dim = ref.key === '' ? ref.field.name : `${ref.field.column}.${ref.key}`;
  const counted = ref.key !== '' || (dimensions as readonly string[]).includes(dim) ? await fromBuckets(source, dim, prefix, now) : [];
  return counted.length > 0 ? counted : fromRows(source, ref, prefix, now);
}

async function fromBuckets(source: SqlSource, dim: string, prefix: string, now: number): Promise<CountedValue[]> {
  const statement = new Statement(source.dialect);
  const isDim = `b.dim = ${statement.text(dim)} AND b.minute >= ${statement.number(Math.floor((now - dayMs) / 60_000))}`;
  const isName = `b.name <> '' AND b.name <> '${restBucket}' AND ${beginsWith(valueSql('b.name'), prefix, statement)}`;
  const sql = `SELECT ${valueSql('b.name')} AS value, CAST(sum(b.requests) AS BIGINT) AS count FROM buckets b WHERE ${isDim} AND ${isName} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxSuggestions}`;
  return (await source.all(sql, statement.parameters)).map(valueIn);
}

/** Values of the newest rows of the last day. */
async function fromRows(source: SqlSource, { field, key }: FieldRef, prefix: string, now: number): Promise<CountedValue[]> {
  const window = await rangeWithRows(source, rangeOfFilter({ since: now - dayMs, until: null }));
  if (window === undefined) return [];
  const statement = new Statement(source.dialect);
  const kind = field.column === 'meta' ? 'meta' : 'label';
  const column = key !== '' ? 'g.value' : field.type === 'text' ? `r."${field.column}"` : `CAST(r."${field.column}" AS TEXT)`;
  const join = key === '' ? '' : `JOIN tags g ON g.kind = '${kind}' AND g.name = ${statement.text(key)} AND g.seq = r.seq`;
  const rows = `SELECT ${column} AS value FROM requests r ${join} WHERE ${rangeOf('r.seq', statement, window)} ORDER BY r.seq DESC LIMIT ${maxSampledRows}`;
  const isValue = `value IS NOT NULL AND value <> '' AND ${beginsWith('value', prefix, statement)}`;
  const sql = `SELECT value, count(*) AS count FROM (${rows}) AS newest WHERE ${isValue} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxSuggestions}`;
  return (await source.all(sql, statement.parameters)).map(valueIn);
}

function beginsWith(column: string, prefix: string, statement: Statement): string {
  const text = toStorable(prefix);
  return text === '' ? 'TRUE' : `substr(${column}, 1, ${Array.from(text).length}) = ${statement.text(text)}`;
}

const valueIn = ({ value, count }: Readonly<Record<string, unknown>>): CountedValue => ({ value: String(value), count: Number(count) });

/** Keys of metadata and labels. */
export async function listNames(source: SqlSource): Promise<{ readonly meta: readonly string[]; readonly label: readonly string[] }> {
  return { meta: await namesOf(source, 'meta'), label: await namesOf(source, 'label') };
}

const maxNames = 100;

async function namesOf(source: SqlSource, kind: 'meta' | 'label'): Promise<string[]> {
  return source.dialect === 'sqlite' ? namesByPart(source, kind) : namesByKey(source, kind);
}

/** In SQLite, tags are sorted by row, and each is read once. */
async function namesByPart(source: SqlSource, kind: 'meta' | 'label'): Promise<string[]> {
  const found = new Set<string>();
  const window = await rangeWithRows(source, rangeOfFilter({ since: null, until: null }));
  for (const part of window === undefined ? [] : splitWindow(source, window)) {
    const statement = new Statement(source.dialect);
    const sql = `SELECT DISTINCT t.name FROM tags t WHERE t.kind = '${kind}' AND ${rangeOf('t.seq', statement, part)} LIMIT ${maxNames}`;
    for (const { name } of await source.all(sql, statement.parameters)) found.add(String(name));
    await source.checkTimeLimit?.();
  }
  return [...found].toSorted((one, other) => (one < other ? -1 : 1)).slice(0, maxNames);
}

/** Finds each next name through the table's key, without reading the whole table. */
async function namesByKey(source: SqlSource, kind: 'meta' | 'label'): Promise<string[]> {
  const first = `SELECT min(t.name) FROM tags t WHERE t.kind = '${kind}'`;
  const seen = `seen(name) AS (${first} UNION ALL SELECT (${first} AND t.name > seen.name) FROM seen WHERE seen.name IS NOT NULL)`;
  const found = await source.all(`WITH RECURSIVE ${seen} SELECT name FROM seen WHERE name IS NOT NULL LIMIT ${maxNames}`, []);
  return found.map(({ name }) => String(name));
}
