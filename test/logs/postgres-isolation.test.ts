import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writerLock } from '../../src/store/log/postgres/locks.ts';
import { openPostgresStore } from '../../src/store/log/postgres/store.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { skipping } from '../support/skipping.ts';
import { entryOf, postgresKind, write } from './stores.ts';

/** Databases whose transactions see, by default, only what was stored when they began. */

const kind = postgresKind();

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

describe.skipIf(skipping(kind.missing))('a request log in Postgres', () => {
  beforeAll(() => kind.start());
  afterAll(() => kind.end());

  it.each(['repeatable read', 'serializable'])('stores records once if the default isolation is %s', async (isolation) => {
    const url = await kind.server().database();
    const session = await connect(url);
    await session.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''${isolation}''', current_database()); END $$`,
    );
    const [one, two] = [openPostgresStore(url, { writer: 'one' }), openPostgresStore(url, { writer: 'two' })];
    try {
      await one.positions();
      const records = [1, 2, 3].map((n) => entryOf(sampleRecord({ id: `req_${n}` })));
      await session.query('BEGIN');
      await session.query(writerLock, ['one']);
      const waiting = write(one, records);
      const waiters = "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      await expect.poll(async () => (await session.query<{ n: number }>(waiters)).rows[0]?.n).toBe(1);
      // Stands for the transaction that the waiting one repeats.
      await write(two, records);
      await session.query('COMMIT');
      await waiting;
      expect((await session.query('SELECT count(*)::int AS n FROM requests')).rows).toEqual([{ n: 3 }]);
    } finally {
      await Promise.all([session.end(), one.close(), two.close()]);
    }
  });
});
