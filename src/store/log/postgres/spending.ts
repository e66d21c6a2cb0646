import { type KeySpending, maxCost } from '../figures.ts';
import type { PostgresSession } from './client.ts';

/** Maximum rows that one slice deletes or merges. */
const rowsOfSlice = 5000;

/** A sum of costs that a column can hold, as `addCosts` limits it. */
const limited = (sum: string): string => `least(greatest(${sum}, -${maxCost}), ${maxCost})`;

const addToStored = `ON CONFLICT (day, key, writer) DO UPDATE SET
  cost = ${limited('spending.cost::numeric + excluded.cost')}, unpriced = spending.unpriced + excluded.unpriced`;

/** Stores what keys spent, separately for each gateway, so that none waits for the transaction of another. */
export async function addSpending(session: PostgresSession, writer: string, all: readonly KeySpending[]): Promise<void> {
  if (all.length === 0) return;
  await session.query(
    `INSERT INTO spending (day, key, writer, cost, unpriced)
     SELECT s.day, s.key, $2, s.cost, s.unpriced FROM json_to_recordset($1::json) AS s(day bigint, key text, cost bigint, unpriced bigint)
     ${addToStored}`,
    [JSON.stringify(all.map((spent) => ({ ...spent, cost: String(spent.cost) }))), writer],
  );
}

/** The first rows of a condition. Those that a gateway is writing are skipped, so that neither waits for the other. */
const freeRows = (condition: string): string =>
  `ARRAY(SELECT s.ctid FROM spending s WHERE ${condition} LIMIT ${rowsOfSlice} FOR UPDATE SKIP LOCKED)`;

/** @param before Unix day number. @returns number of rows deleted */
export async function deleteSpending(session: PostgresSession, before: number): Promise<number> {
  const [deleted] = await session.query(
    `WITH old AS (DELETE FROM spending WHERE ctid = ANY(${freeRows('s.day < $1')}) RETURNING 1) SELECT count(*) AS n FROM old`,
    [before],
  );
  return Number(deleted?.n);
}

/**
 * Merges the rows of all gateways that ever ran, for each key and day. A record that is stored later adds a row, which is
 * merged as well.
 *
 * @param before Unix day number
 */
export async function mergeSpending(session: PostgresSession, before: number): Promise<void> {
  await session.query(
    `WITH old AS (DELETE FROM spending WHERE ctid = ANY(${freeRows("s.writer <> '' AND s.day < $1")}) RETURNING day, key, cost, unpriced)
     INSERT INTO spending (day, key, writer, cost, unpriced)
     SELECT day, key, '', ${limited('sum(cost)')}, sum(unpriced) FROM old GROUP BY day, key
     ${addToStored}`,
    [before],
  );
}
