import { bucketsOfHour, changedHours, hoursToSum, type PendingHours, sumsOfHour } from '../hours.ts';
import { bucketColumns } from '../schema.ts';
import type { PostgresSession } from './client.ts';
import { locks } from './locks.ts';

const columns = ['dim', 'minute', 'name', ...bucketColumns].join(', ');
const updates = bucketColumns.map((name) => `${name} = excluded.${name}`).join(', ');

/**
 * Sums up the next hour that is over, under the writer `''`. Only one gateway at a time does this.
 *
 * @returns whether there is more to sum up
 */
export async function sumHour(session: PostgresSession, pending: PendingHours, now: number): Promise<boolean> {
  const [lock] = await session.query(`SELECT pg_try_advisory_xact_lock(${locks.space}, ${locks.retain}) AS mine`);
  if (lock?.mine !== 1) return false;
  const start = pending.searchStart(now);
  if (start !== undefined) {
    const search = hoursToSum('postgres', start, now);
    const found = await session.query(search.sql, search.parameters);
    pending.found(
      found.map(({ hour }) => Number(hour)),
      start,
      now,
    );
  }
  const hour = pending.next();
  if (hour === undefined) return false;
  // Another gateway may have done it since.
  const changed = changedHours('postgres', hour, hour + 1);
  if ((await session.query(changed.sql, changed.parameters)).length === 0) return !pending.isEmpty;
  const { sql, parameters } = sumsOfHour('postgres', hour);
  const buckets = bucketsOfHour(hour, await session.query(sql, parameters));
  await session.query(
    `INSERT INTO buckets (${columns}, writer) SELECT ${columns}, '' FROM json_populate_recordset(NULL::buckets, $1::json)
     ON CONFLICT (dim, minute, name, writer) DO UPDATE SET ${updates}`,
    [JSON.stringify(buckets)],
  );
  return !pending.isEmpty;
}
