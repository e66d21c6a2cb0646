import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toRow } from '../../src/core/logs/row.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { openSqliteStore } from '../../src/store/log/sqlite/store.ts';
import { createReader } from '../../src/store/log/worker/reader.ts';
import { type Running, startProcess } from '../cli/process.ts';
import { skipping } from '../support/skipping.ts';
import { entryOf, type Kind, postgresKind, sqliteKind, write } from './stores.ts';

const at = Date.parse('2026-11-20T12:00:00Z');

/** Too large, and too random, to be stored in the row itself in Postgres. */
const record = (n: number): LogRecord =>
  sampleRecord({
    id: `req_${n}`,
    at: at + n,
    status: n === 1 ? 503 : 200,
    error: n === 1 ? { code: 'timeout', source: 'gateway', message: 'x' } : null,
    prompt: { id: 'welcome', version: 2, label: null },
    cost: { usd: '0.000102', source: null, prices: {} },
    metadata: { team: 'web' },
    labels: { cron: 'nightly' },
    preview: randomBytes(8000).toString('base64'),
  });

interface DamagedKind {
  readonly kind: Kind;
  /** Damages the records with numbers 0 and 1. */
  readonly damage: (database: string) => Promise<void>;
  readonly reader: (database: string) => Parameters<typeof createReader>[0];
}

const kinds: readonly DamagedKind[] = [
  { kind: sqliteKind(), damage: damageBlocks, reader: (path) => ({ kind: 'sqlite', path }) },
  { kind: postgresKind(), damage: damageLargeValues, reader: (url) => ({ kind: 'postgres', url }) },
];

async function damageBlocks(path: string): Promise<void> {
  const db = new DatabaseSync(path);
  const { bytes } = db.prepare('SELECT bytes FROM blocks WHERE block = 1').get() as { bytes: Uint8Array };
  db.prepare('UPDATE blocks SET bytes = ? WHERE block = 1').run(bytes.fill(0, 100));
  db.close();
}

/** Removes the pieces of large values, as a lost page does, or where the server cannot do that, makes the records unreadable. */
async function damageLargeValues(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const query = async (sql: string): Promise<string[]> => (await client.query<{ found: string }>(sql)).rows.map(({ found }) => found);
  if ((await query(`SELECT name AS found FROM pg_available_extensions WHERE name = 'pg_surgery'`)).length === 0)
    await query(`UPDATE records SET json = 'x' WHERE json LIKE '%req_0%' OR json LIKE '%req_1%'`);
  else {
    await query('CREATE EXTENSION pg_surgery');
    const toasts = await query(
      `SELECT reltoastrelid::regclass AS found FROM pg_class WHERE relkind = 'r' AND relname ~ '^(records|bodies)_' AND reltoastrelid <> 0`,
    );
    for (const toast of toasts) {
      const pieces = await query(
        `SELECT ctid AS found FROM ${toast} WHERE chunk_id IN (SELECT DISTINCT chunk_id FROM ${toast} ORDER BY chunk_id LIMIT 2)`,
      );
      for (const piece of pieces) await query(`SELECT heap_force_kill('${toast}'::regclass, ARRAY['${piece}']::tid[])`);
    }
  }
  await client.end();
}

describe.each(kinds)('damaged records in $kind.name', ({ kind, damage, reader }) => {
  beforeAll(() => (kind.missing !== undefined ? undefined : kind.start()));
  afterAll(() => kind.end());

  it.skipIf(skipping(kind.missing))('are shown with their columns, in lists and one by one, and are reported', async () => {
    const { store, queries, database } = await kind.open(() => at + 1000);
    await write(store, [entryOf(record(0), { request: randomBytes(9000) }), entryOf(record(1))]);
    const whole = record(2);
    await write(store, [entryOf(whole)]);
    await damage(database);
    const { rows } = await queries.search({ query: '', limit: 10 });
    expect(rows[0]).toEqual(toRow(whole));
    // What columns do not have is missing.
    const lost = { preview: null, message: null, parent: null, tokens_reasoning: 0, bytes_in: 0, bytes_out: 0, hops: [] };
    const damagedMessage = 'The message of this error is damaged.';
    expect(rows.slice(1)).toEqual([
      { ...toRow(record(1)), ...lost, message: damagedMessage },
      { ...toRow(record(0)), ...lost },
    ]);
    const found = await queries.get('req_1');
    expect(found?.bodies).toEqual([]);
    expect(found?.record).toMatchObject({
      id: 'req_1',
      status: 503,
      error: { code: 'timeout', message: damagedMessage },
      cost: { usd: '0.000102' },
      metadata: { team: 'web' },
      warnings: [expect.stringContaining('The stored record is damaged')],
      request: { body: null, why_absent: 'the stored record is damaged' },
    });
    expect(await queries.get('req_9')).toBeUndefined();
    const reports: (readonly string[])[] = [];
    const handlers = createReader(
      reader(database),
      () => 0,
      (problems) => void reports.push(problems),
    );
    const call = handlers['search'] as (argument: unknown) => Promise<Uint8Array>;
    expect(JSON.parse(Buffer.from(await call({ of: { query: '', limit: 10 } })).toString())).toMatchObject({ rows });
    expect(reports[0]).toEqual([expect.stringContaining('damaged records')]);
  });
});

describe('gateway with damaged records', () => {
  const dir = mkdtempSync(join(tmpdir(), 'damaged-'));
  let running: Running | undefined;
  afterAll(async () => {
    running?.child.kill('SIGKILL');
    await running?.ended;
    rmSync(dir, { recursive: true, force: true });
  });

  it('reports them in the log and in the status', async () => {
    const server = '{state_dir: state, admin: {open: true, listen: "127.0.0.1:0"}}';
    writeFileSync(join(dir, 'gateway.yaml'), `version: 1\nserver: ${server}\nproviders: {mock: {type: mock}}\n`);
    mkdirSync(join(dir, 'state'));
    const path = join(dir, 'state', 'log.sqlite');
    const store = openSqliteStore(path);
    await write(
      store,
      [0, 1].map((n) => entryOf(record(n))),
    );
    await store.close();
    await damageBlocks(path);
    running = startProcess(['start', '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', '--log-format', 'json'], dir);
    const [, admin = ''] = await running.waitForOutput(/"dashboard":"(http:\/\/[^/"]+)/);
    const found = (await (await fetch(`${admin}/api/requests?q=`)).json()) as { rows: { id: string }[] };
    expect(found.rows.map(({ id }) => id)).toEqual(['req_1', 'req_0']);
    await running.waitForOutput(/"level":"warn".*Queries found damaged records/);
    const status = (await (await fetch(`${admin}/api/status`)).json()) as { store: { problems: string[] } };
    expect(status.store.problems).toEqual([expect.stringContaining('Queries found damaged records')]);
  });
});
