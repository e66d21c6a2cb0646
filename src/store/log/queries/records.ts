import { tryParseObject } from '../../../core/json/scan.ts';
import { type BodyPart, bodyParts, type Feedback, type Spent, type StoredRecord } from '../../../core/logs/reader.ts';
import { dayOf } from '../../../core/logs/day.ts';
import { type LogRow, toRow } from '../../../core/logs/row.ts';
import { GatewayError } from '../../../core/error.ts';
import { emptyRecord } from '../../../core/records/empty.ts';
import type { LogRecord } from '../../../core/records/record.ts';
import { moneyText } from '../../../query/money.ts';
import { rangeOf } from '../../../query/sql/condition.ts';
import { Statement } from '../../../query/sql/statement.ts';
import { toStorable } from '../../../query/text.ts';
import type { SqlSource, SqlValue } from '../log-store.ts';
import { isDamageError, recordsFromColumns } from '../../damage/damaged-records.ts';
import { costOfSums, costSums } from '../sums-sql.ts';
import { splitWindow } from './parts.ts';
import { rangeWithRows, rangeOfFilter } from './range.ts';

const maxTraceRows = 1000;
const maxFeedback = 100;
/** Maximum keys whose spending is returned if none are named. */
const maxSpent = 10_000;

/** Rows of these numbers, in their order. A row deleted in the meantime is left out. */
export async function rowsOf(source: SqlSource, seqs: readonly number[]): Promise<LogRow[]> {
  if (seqs.length === 0) return [];
  const found = await wholeRows(source, seqs);
  const missing = seqs.filter((seq) => !found.has(seq));
  const partial = missing.length === 0 ? undefined : await recordsFromColumns(source, missing);
  return seqs.flatMap((seq) => found.get(seq) ?? partial?.get(seq)?.row ?? []);
}

/** The rows whose records are not damaged. */
async function wholeRows(source: SqlSource, seqs: readonly number[]): Promise<ReadonlyMap<number, LogRow>> {
  const statement = new Statement(source.dialect);
  const list = seqs.map((seq) => statement.number(seq)).join(', ');
  // SQLite makes rows from the beginnings of records; Postgres returns the records.
  const isRow = source.dialect === 'sqlite';
  const sql = `SELECT seq, json FROM ${isRow ? 'rows' : 'records'} WHERE seq IN (${list})`;
  const rows = new Map<number, LogRow>();
  try {
    for (const { seq, json } of await source.all(sql, statement.parameters)) {
      const record = isRow ? undefined : recordIn(json);
      const row = isRow ? rowIn(json) : record && toRow(record);
      if (row !== undefined) rows.set(Number(seq), row);
    }
  } catch (error) {
    if (!isDamageError(error)) throw error;
    // Postgres returns none of the rows if one of them is damaged.
    for (const one of seqs.length === 1 ? [] : seqs) for (const [seq, row] of await wholeRows(source, [one])) rows.set(seq, row);
  }
  return rows;
}

export async function getRecord(source: SqlSource, id: string): Promise<StoredRecord | undefined> {
  const seq = await seqOf(source, id);
  if (seq === undefined) return undefined;
  const statement = new Statement(source.dialect);
  const seqParameter = statement.number(seq);
  const kept = bodyParts.map((part) => `(SELECT ${part} IS NOT NULL FROM bodies WHERE seq = ${seqParameter}) AS "${part}"`).join(', ');
  const [found] = await source
    .all(`SELECT json, ${kept} FROM records WHERE seq = ${seqParameter}`, statement.parameters)
    .catch((error: unknown) => {
      if (isDamageError(error)) return [];
      throw error;
    });
  const whole = recordIn(found?.json);
  const record = whole ?? (await recordsFromColumns(source, [seq])).get(seq)?.record;
  if (record === undefined) return undefined;
  return {
    record,
    bodies: whole === undefined ? [] : bodyParts.filter((part) => isTrue(found?.[part])),
    feedback: await feedbackOf(source, record.trace.trace_id),
  };
}

export async function bodyOf(source: SqlSource, id: string, part: BodyPart): Promise<Uint8Array | undefined> {
  const seq = bodyParts.includes(part) ? await seqOf(source, id) : undefined;
  if (seq === undefined) return undefined;
  const statement = new Statement(source.dialect);
  const sql = `SELECT b.${part} AS bytes FROM bodies b WHERE b.seq = ${statement.number(seq)}`;
  const [found] = await source.all(sql, statement.parameters).catch((error: unknown) => {
    if (!isDamageError(error)) throw error;
    source.reportDamage?.();
    throw new GatewayError('log_unavailable', { message: `The stored ${part} body is damaged.`, retry: false, cause: error });
  });
  return found?.bytes instanceof Uint8Array ? found.bytes : undefined;
}

/** Oldest first. */
export async function rowsOfTrace(source: SqlSource, trace: string): Promise<LogRow[]> {
  const seqs = await seqsOfTrace(source, toStorable(trace));
  const rows: LogRow[] = [];
  for (let from = 0; from < seqs.length; from += 250) rows.push(...(await rowsOf(source, seqs.slice(from, from + 250))));
  return rows;
}

async function seqsOfTrace(source: SqlSource, trace: string): Promise<number[]> {
  const window = await rangeWithRows(source, rangeOfFilter({ since: null, until: null }));
  const seqs: number[] = [];
  for (const part of window === undefined ? [] : splitWindow(source, window)) {
    if (seqs.length >= maxTraceRows) break;
    const statement = new Statement(source.dialect);
    const where = `r.trace = ${statement.text(trace)} AND ${rangeOf('r.seq', statement, part)}`;
    const sql = `SELECT r.seq FROM requests r WHERE ${where} ORDER BY r.seq LIMIT ${maxTraceRows - seqs.length}`;
    for (const { seq } of await source.all(sql, statement.parameters)) seqs.push(Number(seq));
    await source.checkTimeLimit?.();
  }
  return seqs;
}

async function seqOf(source: SqlSource, id: string): Promise<number | undefined> {
  const statement = new Statement(source.dialect);
  const [found] = await source.all(`SELECT r.seq FROM requests r WHERE r.id = ${statement.text(toStorable(id))}`, statement.parameters);
  return found === undefined ? undefined : Number(found.seq);
}

async function feedbackOf(source: SqlSource, trace: string): Promise<Feedback[]> {
  const statement = new Statement(source.dialect);
  const where = `WHERE f.trace = ${statement.text(toStorable(trace))} ORDER BY f.at DESC LIMIT ${maxFeedback}`;
  const found = await source.all(
    `SELECT f.id, f.trace, f.value, f.weight, f.metadata, f.at FROM feedback f ${where}`,
    statement.parameters,
  );
  return found.map((row) => ({
    id: String(row.id),
    trace_id: String(row.trace),
    value: Number(row.value),
    // A negative weight or empty metadata means that the feedback stored so far has none.
    weight: Number(row.weight) < 0 ? 1 : Number(row.weight),
    metadata: tryParseObject(String(row.metadata)) ?? {},
    at: Number(row.at),
  }));
}

/** The last use of each secret, by its id. */
export async function keysUsed(source: SqlSource): Promise<Readonly<Record<string, number>>> {
  const found = await source.all('SELECT key_id, max(at) AS at FROM keys_used GROUP BY key_id', []);
  return Object.fromEntries(found.map(({ key_id: id, at }) => [String(id), Number(at)]));
}

/**
 * What each key has spent since a day. Without days that are more than one ahead, which a wrong system time has stored: they
 * would count in every period until then.
 *
 * @param now Unix milliseconds
 */
export async function spent(
  source: SqlSource,
  since: number,
  keys: readonly string[] | undefined,
  now: number,
): Promise<Readonly<Record<string, Spent>>> {
  const statement = new Statement(source.dialect);
  const sums = `${costSums('s.cost')}, CAST(sum(s.unpriced) AS BIGINT) AS unpriced`;
  const isInDays = `s.day >= ${statement.number(since)} AND s.day <= ${statement.number(dayOf(now) + 1)}`;
  const elements = source.dialect === 'sqlite' ? 'SELECT value FROM json_each' : 'SELECT json_array_elements_text';
  const isListed = keys === undefined ? '' : ` AND s.key IN (${elements}(${statement.cast(JSON.stringify(keys.map(toStorable)), 'json')}))`;
  const found = await source.all(
    `SELECT s.key, ${sums} FROM spending s WHERE ${isInDays}${isListed} GROUP BY s.key
     ORDER BY cost_high DESC, cost_low DESC, s.key${keys === undefined ? ` LIMIT ${maxSpent}` : ''}`,
    statement.parameters,
  );
  // Without prototype, because a key may have the name of a member of objects.
  const byKey = Object.create(null) as Record<string, Spent>;
  for (const row of found) byKey[String(row.key)] = { cost_usd: moneyText(costOfSums(row)), unpriced: Number(row.unpriced) };
  return byKey;
}

/** Members that a record of an earlier version lacks have the values of an empty record. */
function recordIn(json: SqlValue | undefined): LogRecord | undefined {
  const found = typeof json === 'string' ? tryParseObject(json) : undefined;
  return found === undefined ? undefined : ({ ...emptyRecord, ...found } as LogRecord);
}

/** A row in the form that the source made. */
const rowIn = (json: SqlValue | undefined): LogRow | undefined =>
  typeof json === 'string' ? (tryParseObject(json) as unknown as LogRow | undefined) : undefined;

/** SQLite returns numbers, Postgres `true`. */
const isTrue = (value: unknown): boolean => value === true || value === 1;
