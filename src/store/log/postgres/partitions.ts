import { dayOf } from '../../../core/logs/day.ts';
import { seqStep } from '../schema.ts';
import type { PostgresClient, PostgresSession } from './client.ts';
import { locks } from './locks.ts';
import { dailyTables } from './migrations.ts';

const dayMs = 86_400_000;
const daySeqs = BigInt(dayMs) * BigInt(seqStep);

/** The first `seq` of a day. */
export const seqOfDay = (day: number): bigint => BigInt(day) * daySeqs;

/** `requests_d20260115`: sorts by day, and is readable. */
const nameOf = (table: string, day: number): string => `${table}_d${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** Days that are known to have partitions. */
export class Partitions {
  readonly #client: PostgresClient;
  readonly #known = new Set<number>();

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  /** Creates the partitions of the given days where they are missing. */
  async ensure(days: Iterable<number>): Promise<void> {
    for (const day of days) {
      if (this.#known.has(day)) continue;
      await this.#client.transaction((session) => createPartitions(session, day));
      this.#known.add(day);
    }
  }

  /** Clears the cache, because another gateway may have deleted partitions. */
  clearCache(): void {
    this.#known.clear();
  }
}

/** Creates tables and then attaches them, which allows others to read and write in the meantime. */
async function createPartitions(session: PostgresSession, day: number): Promise<void> {
  await session.query(`SELECT pg_advisory_xact_lock(${locks.space}, ${locks.partitions})`);
  const existing = await session.query('SELECT to_regclass($1) IS NOT NULL AS found', [nameOf('requests', day)]);
  if (existing[0]?.found === 1) return;
  for (const table of dailyTables) {
    const name = nameOf(table, day);
    await session.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`);
    await session.query(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${seqOfDay(day)}) TO (${seqOfDay(day + 1)})`);
  }
}

/** Days that have partitions, oldest first, with their bytes. Partitions with other names are neither counted nor deleted. */
export async function storedDays(session: PostgresSession): Promise<{ readonly day: number; readonly bytes: number }[]> {
  const rows = await session.query(
    `SELECT right(c.relname, 8) AS day, CAST(sum(pg_total_relation_size(c.oid)) AS bigint) AS bytes
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent IN (${dailyTables.map((table) => `to_regclass('${table}')`).join(', ')})
       AND c.relname ~ '_d[0-9]{8}$' GROUP BY 1 ORDER BY 1`,
  );
  return rows.map(({ day, bytes }) => {
    const [, year = '', month = '', date = ''] = /^(\d{4})(\d{2})(\d{2})$/.exec(String(day)) ?? [];
    return { day: dayOf(Date.parse(`${year}-${month}-${date}T00:00:00Z`)), bytes: Number(bytes) };
  });
}

export async function dropDay(session: PostgresSession, day: number): Promise<void> {
  await session.query(`DROP TABLE IF EXISTS ${dailyTables.map((table) => nameOf(table, day)).join(', ')}`);
}
