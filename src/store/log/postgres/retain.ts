import { dayOf } from '../../../core/logs/day.ts';
import type { Retention } from '../log-store.ts';
import { spendingDays } from '../schema.ts';
import type { PostgresSession } from './client.ts';
import { locks } from './locks.ts';
import { storedDays, dropDay } from './partitions.ts';
import { deleteSpending, mergeSpending } from './spending.ts';
import { dims } from '../sums-sql.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Maximum figures and feedback rows that one slice deletes. */
const rowsOfSlice = 5000;
/**
 * Milliseconds that deleting a day waits for statements that read it. Statements queued after it wait as long. Autovacuum
 * can take hours for a large day, and yields to a lock request after one second (`deadlock_timeout`).
 */
const dropWait = 1500;

/**
 * Deletes one slice. Days are deleted as a whole, oldest first; the newest day is kept whatever its size, and so is the
 * newest until now by the server's clock: a gateway whose clock is ahead may have stored later ones. Only one gateway at a
 * time does this.
 *
 * @param now Unix milliseconds of this gateway; the server's clock is used if it is behind
 * @returns whether there is more to delete
 * @throws Error with the code 55P03 if a long statement still reads the day
 */
export async function retainSlice(session: PostgresSession, { age, size }: Retention, now: number): Promise<boolean> {
  const [lock] = await session.query(
    `SELECT pg_try_advisory_xact_lock(${locks.space}, ${locks.retain}) AS mine, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS now`,
  );
  if (lock?.mine !== 1) return false;
  // Otherwise a gateway whose clock is ahead would delete what all others have stored.
  const latest = Math.min(now, Number(lock.now));
  const oldestAt = latest - age;
  const days = await storedDays(session);
  const used = days.reduce((sum, { bytes }) => sum + bytes, 0);
  const current = days.findLast(({ day }) => day <= dayOf(Number(lock.now)));
  const oldest = days[0];
  const surplus = used > size ? days.find((found) => found !== current && found !== days.at(-1)) : undefined;
  const expired = oldest !== undefined && oldest.day < dayOf(oldestAt) ? oldest : surplus;
  if (expired !== undefined) {
    await session.query(`SET LOCAL lock_timeout = ${dropWait}`);
    await session.query(`SELECT pg_advisory_xact_lock(${locks.space}, ${locks.partitions})`);
    await dropDay(session, expired.day);
    return true;
  }
  const deletions = [
    await deleteFigures(session, oldestAt),
    await deleteFeedback(session, oldestAt),
    await deleteSpending(session, dayOf(latest) - spendingDays),
  ];
  await mergeKeys(session, latest - dayMs);
  await mergeSpending(session, dayOf(latest) - 1);
  return deletions.some((rows) => rows > 0);
}

/** Uses the table's key for each dimension, so that the remaining rows are not read. @returns number of rows deleted */
async function deleteFigures(session: PostgresSession, oldestAt: number): Promise<number> {
  const old = `SELECT o.ctid FROM dims, LATERAL (SELECT b.ctid FROM buckets b WHERE b.dim = dims.dim AND b.minute < $1 LIMIT ${rowsOfSlice}) o LIMIT ${rowsOfSlice}`;
  const [deleted] = await session.query(
    `WITH RECURSIVE ${dims}, old AS (DELETE FROM buckets WHERE ctid = ANY(ARRAY(${old})) RETURNING 1) SELECT count(*) AS n FROM old`,
    [Math.floor(oldestAt / minuteMs)],
  );
  return Number(deleted?.n);
}

/** @returns number of rows deleted */
async function deleteFeedback(session: PostgresSession, oldestAt: number): Promise<number> {
  const [deleted] = await session.query(
    `WITH old AS (DELETE FROM feedback WHERE id IN (SELECT id FROM feedback WHERE at < $1 LIMIT ${rowsOfSlice}) RETURNING 1) SELECT count(*) AS n FROM old`,
    [oldestAt],
  );
  return Number(deleted?.n);
}

/**
 * The last use of a secret is kept forever, but not for each gateway that ever ran: rows older than `before` are merged.
 * Rows that a gateway is writing are skipped, so that neither waits for the other.
 */
async function mergeKeys(session: PostgresSession, before: number): Promise<void> {
  const free = `SELECT u.ctid FROM keys_used u WHERE u.writer <> '' AND u.at < $1 LIMIT ${rowsOfSlice} FOR UPDATE SKIP LOCKED`;
  await session.query(
    `WITH old AS (DELETE FROM keys_used WHERE ctid = ANY(ARRAY(${free})) RETURNING key_id, at)
     INSERT INTO keys_used (key_id, writer, at) SELECT key_id, '', max(at) FROM old GROUP BY key_id
     ON CONFLICT (key_id, writer) DO UPDATE SET at = greatest(keys_used.at, excluded.at)`,
    [before],
  );
}
