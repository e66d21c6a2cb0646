import type { SuggestRequest, Suggestion } from '../../../core/logs/reader.ts';
import { conditionOf, rangeOf } from '../../../query/sql/condition.ts';
import { Statement } from '../../../query/sql/statement.ts';
import type { FieldRef } from '../../../query/fields.ts';
import { storable } from '../../../query/text.ts';
import { most, suggestFields, suggestValues, typedAt } from '../../../query/suggest.ts';
import { dimensions, otherValues } from '../schema.ts';
import { partsOf } from './parts.ts';
import { filledRange, rangeOfFilter } from './range.ts';
import type { SqlSource } from '../log-store.ts';

const dayMs = 86_400_000;
/** Maximum rows that are read for values without a bucket. */
const sample = 20_000;

/** Suggests names of fields, or values of the last day, most frequent first. */
export async function suggest(source: SqlSource, { text, cursor }: SuggestRequest, now: number): Promise<Suggestion[]> {
  const typed = typedAt(text, cursor);
  if (typed.kind === 'nothing') return [];
  if (typed.kind === 'name') return suggestFields(typed, await names(source));
  const { field } = typed.ref;
  if (field.type === 'boolean')
    return suggestValues(typed, [
      { value: 'true', count: null },
      { value: 'false', count: null },
    ]);
  if (field.type === 'time') {
    const times = ['15m', '1h', '6h', '1d', '7d'].filter((value) => value.startsWith(typed.begins));
    return suggestValues(
      typed,
      times.map((value) => ({ value, count: null })),
    );
  }
  if (field.name !== 'status' && field.type !== 'text') return [];
  return suggestValues(typed, await valuesOf(source, typed.ref, typed.begins, now));
}

type Value = { readonly value: string; readonly count: number };

async function valuesOf(source: SqlSource, ref: FieldRef, begins: string, now: number): Promise<Value[]> {
  const dim = ref.key === '' ? ref.field.name : `${ref.field.column}.${ref.key}`;
  const counted = ref.key !== '' || (dimensions as readonly string[]).includes(dim) ? await fromBuckets(source, dim, begins, now) : [];
  return counted.length > 0 ? counted : fromRows(source, ref, begins, now);
}

async function fromBuckets(source: SqlSource, dim: string, begins: string, now: number): Promise<Value[]> {
  const statement = new Statement(source.dialect);
  const isDim = `b.dim = ${statement.text(dim)} AND b.minute >= ${statement.number(Math.floor((now - dayMs) / 60_000))}`;
  const isName = `b.name <> '' AND b.name <> '${otherValues}' AND ${beginsWith('b.name', begins, statement)}`;
  const sql = `SELECT b.name AS value, CAST(sum(b.requests) AS BIGINT) AS count FROM buckets b WHERE ${isDim} AND ${isName} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${most}`;
  return (await source.all(sql, statement.parameters)).map(valueIn);
}

/** Values of the newest rows of the last day. */
async function fromRows(source: SqlSource, { field, key }: FieldRef, begins: string, now: number): Promise<Value[]> {
  const window = await filledRange(source, rangeOfFilter({ since: now - dayMs, until: null }));
  if (window === undefined) return [];
  const statement = new Statement(source.dialect);
  const kind = field.column === 'meta' ? 'meta' : 'label';
  const column = key !== '' ? 'g.value' : field.type === 'text' ? `r."${field.column}"` : `CAST(r."${field.column}" AS TEXT)`;
  const join = key === '' ? '' : `JOIN tags g ON g.kind = '${kind}' AND g.name = ${statement.text(key)} AND g.seq = r.seq`;
  const condition = conditionOf({ since: null, until: null, terms: [] }, statement, window);
  const rows = `SELECT ${column} AS value FROM requests r ${join} WHERE ${condition} ORDER BY r.seq DESC LIMIT ${sample}`;
  const isValue = `value IS NOT NULL AND value <> '' AND ${beginsWith('value', begins, statement)}`;
  const sql = `SELECT value, count(*) AS count FROM (${rows}) AS newest WHERE ${isValue} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${most}`;
  return (await source.all(sql, statement.parameters)).map(valueIn);
}

function beginsWith(column: string, begins: string, statement: Statement): string {
  const text = storable(begins);
  return text === '' ? 'TRUE' : `substr(${column}, 1, ${Array.from(text).length}) = ${statement.text(text)}`;
}

const valueIn = ({ value, count }: Readonly<Record<string, unknown>>): Value => ({ value: String(value), count: Number(count) });

/** Keys of metadata and labels. */
export async function names(source: SqlSource): Promise<{ readonly meta: readonly string[]; readonly label: readonly string[] }> {
  return { meta: await namesOf(source, 'meta'), label: await namesOf(source, 'label') };
}

const mostNames = 100;

async function namesOf(source: SqlSource, kind: 'meta' | 'label'): Promise<string[]> {
  return source.dialect === 'sqlite' ? namesByPart(source, kind) : namesByKey(source, kind);
}

/** In SQLite, tags are sorted by row, and each is read once. */
async function namesByPart(source: SqlSource, kind: 'meta' | 'label'): Promise<string[]> {
  const found = new Set<string>();
  const window = await filledRange(source, rangeOfFilter({ since: null, until: null }));
  for (const part of window === undefined ? [] : partsOf(source, window)) {
    const statement = new Statement(source.dialect);
    const sql = `SELECT DISTINCT t.name FROM tags t WHERE t.kind = '${kind}' AND ${rangeOf('t.seq', statement, part)} LIMIT ${mostNames}`;
    for (const { name } of await source.all(sql, statement.parameters)) found.add(String(name));
    await source.between?.();
  }
  return [...found].toSorted((one, other) => (one < other ? -1 : 1)).slice(0, mostNames);
}

/** Finds each next name through the table's key, without reading the whole table. */
async function namesByKey(source: SqlSource, kind: 'meta' | 'label'): Promise<string[]> {
  const first = `SELECT min(t.name) FROM tags t WHERE t.kind = '${kind}'`;
  const seen = `seen(name) AS (${first} UNION ALL SELECT (${first} AND t.name > seen.name) FROM seen WHERE seen.name IS NOT NULL)`;
  const found = await source.all(`WITH RECURSIVE ${seen} SELECT name FROM seen WHERE name IS NOT NULL LIMIT ${mostNames}`, []);
  return found.map(({ name }) => String(name));
}
