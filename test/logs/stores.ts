import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogRecord } from '../../src/core/records/record.ts';
import { encodeRecord } from '../../src/store/encode.ts';
import type { PartPieces } from '../../src/store/frame.ts';
import type { LogQueries, LogStore, SqlSource, StoredEntry } from '../../src/store/log/log-store.ts';
import { QueryTimeoutError } from '../../src/store/log/query-timeout-error.ts';
import { wholeSlice } from '../../src/store/fixtures/sample.ts';
import { rowOf } from '../../src/store/log/stored-row.ts';
import { createPostgresSource, openPostgresStore } from '../../src/store/log/postgres/store.ts';
import { createQueries } from '../../src/store/log/queries/index.ts';
import { openForReading } from '../../src/store/log/sqlite/open.ts';
import { createSqliteSource } from '../../src/store/log/sqlite/source.ts';
import { openSqliteStore } from '../../src/store/log/sqlite/store.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts';

/** A new, empty request log, and questions to it. */
export interface OpenLog {
  readonly store: LogStore;
  /** Path or URL. */
  readonly database: string;
  readonly queries: LogQueries;
  /** The same queries, of which each may take only so many statements. */
  readonly limitedQueries: (statements: number) => LogQueries;
  /** Another gateway's connection to the same log; SQLite has one writer. */
  readonly second?: () => LogStore;
}

/** A kind of database under test. */
export interface Kind {
  readonly name: string;
  /** Why it cannot be tested here. */
  readonly missing: string | undefined;
  start(): Promise<void>;
  open(now?: () => number): Promise<OpenLog>;
  end(): Promise<void>;
}

export function sqliteKind(): Kind {
  const folders: string[] = [];
  const logs: OpenLog[] = [];
  return {
    name: 'SQLite',
    missing: undefined,
    start: () => Promise.resolve(),
    async open(now = Date.now) {
      const folder = mkdtempSync(join(tmpdir(), 'gateway-log-'));
      folders.push(folder);
      const path = join(folder, 'log.db');
      const store = openSqliteStore(path);
      const source = { ...createSqliteSource(openForReading(path)), checkTimeLimit: async () => {} };
      const log = { store, database: path, queries: createQueries(source, now), limitedQueries: limited(source, now) };
      logs.push(log);
      return log;
    },
    async end() {
      for (const { store, queries } of logs) await Promise.all([store.close(), queries.close()]);
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface PostgresKind extends Kind {
  server(): PostgresServer;
}

export function postgresKind(): PostgresKind {
  const postgres = findPostgres();
  const closing: (() => Promise<void>)[] = [];
  let server: PostgresServer | undefined;
  const running = (): PostgresServer => {
    if (server === undefined) throw new Error('the server is not started');
    return server;
  };
  return {
    name: 'Postgres',
    missing: 'missing' in postgres ? postgres.missing : undefined,
    server: running,
    async start() {
      server = await startPostgres(postgres);
    },
    async open(now = Date.now) {
      const url = await running().database();
      const open = (writer: string): LogStore => {
        const store = openPostgresStore(url, { writer });
        closing.push(() => store.close());
        return store;
      };
      const store = open('one');
      await store.positions();
      const source = createPostgresSource(url);
      closing.push(() => source.close());
      return { store, database: url, queries: createQueries(source, now), limitedQueries: limited(source, now), second: () => open('two') };
    },
    async end() {
      for (const close of closing) await close();
      await server?.end();
    },
  };
}

function limited(source: SqlSource, now: () => number): OpenLog['limitedQueries'] {
  return (statements) => {
    let left = statements;
    const all: SqlSource['all'] = (sql, parameters) => {
      if (left <= 0) return Promise.reject(new QueryTimeoutError(1));
      left -= 1;
      return source.all(sql, parameters);
    };
    return createQueries({ ...source, all }, now);
  };
}

/** A record as it comes out of the spool. */
export function entryOf(record: LogRecord, bodies: { readonly [P in keyof PartPieces]?: Buffer } = {}): StoredEntry {
  const pieces = Object.fromEntries(Object.entries(bodies).map(([part, bytes]) => [part, [bytes]])) as PartPieces;
  const frame = encodeRecord(record, pieces);
  return {
    row: rowOf(record),
    record,
    bodies,
    slice: wholeSlice(Buffer.concat([Buffer.from(`${frame.line}\n`), ...frame.pieces, Buffer.from('\n')])),
  };
}

/** Stores records as one batch of a drain. */
export async function write(store: LogStore, entries: readonly StoredEntry[]): Promise<void> {
  await store.write({ records: entries, amendments: [], positions: [], deletedSegments: [] });
}
