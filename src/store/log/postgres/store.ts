import { GatewayError } from '../../../core/error.ts';
import type { FeedbackInput } from '../../../core/logs/reader.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { toStorable } from '../../../query/text.ts';
import type { Batch, LogStore, Retention, SqlSource, StoreSize } from '../log-store.ts';
import { PendingHours } from '../hours.ts';
import { QueryTimeoutError } from '../query-timeout-error.ts';
import { PostgresClient, type ClientOptions } from './client.ts';
import { sumHour } from './hours.ts';
import { findLog, isCompleteEncoding, migrate } from './migrations.ts';
import { storedDays, seqOfDay } from './partitions.ts';
import { retainSlice } from './retain.ts';
import { PostgresBatchWriter } from './writer.ts';
import { queryTimeoutMs } from '../worker/query-timeout.ts';

/** Shorter than the limit of a call to the writer, so that the call reports the error before the writer is ended. */
const defaultWriteTimeoutMs = 20_000;
/** For a migration step, which may read every row of a large log. */
const migrationTimeout = 600_000;
/** Milliseconds to wait for a migration. Later calls fail at once, because a writer that does not respond is ended and restarted. */
const defaultMigrationWaitMs = 3000;

export interface PostgresStoreOptions {
  /** Identifies the writing gateway: the same after a restart, and different from every other gateway. */
  readonly writer: string;
  readonly load?: ClientOptions['load'];
  /** Milliseconds for a batch of records, and for each statement. */
  readonly writeTimeout?: number;
  /** Milliseconds that the first call waits while the log is migrated to this version. */
  readonly migrationWait?: number;
}

/**
 * A request log that several gateways share. It connects on first use, so that a gateway starts while its database is
 * unavailable.
 *
 * @throws Error for an invalid URL, without the URL
 */
export function openPostgresStore(url: string, options: PostgresStoreOptions): LogStore {
  const { load } = options;
  const clientWith = (connections: number, statementTimeout: number): PostgresClient =>
    new PostgresClient(url, { connections, statementTimeout, connectTimeout: 5000, ...(load === undefined ? {} : { load }) });
  return new PostgresLogStore(clientWith(2, options.writeTimeout ?? defaultWriteTimeoutMs), () => clientWith(1, migrationTimeout), options);
}

export interface PostgresSourceOptions {
  readonly load?: ClientOptions['load'];
  /** Remaining milliseconds of the current query. Undefined: each statement has its own limit. */
  readonly timeLeft?: () => number;
}

/** SQLSTATE: Postgres ended a statement that took too long. */
const canceled = '57014';

/** Queries to the same database, over separate connections. */
export function createPostgresSource(url: string, { load, timeLeft = () => queryTimeoutMs }: PostgresSourceOptions = {}): SqlSource {
  const client = new PostgresClient(url, {
    connections: 4,
    statementTimeout: queryTimeoutMs,
    // Shorter than the limit of a query, so that the error reports the connection.
    connectTimeout: queryTimeoutMs - 1000,
    ...(load === undefined ? {} : { load }),
  });
  return {
    dialect: 'postgres',
    async all(sql, parameters) {
      const timeoutMs = Math.min(queryTimeoutMs, timeLeft());
      if (timeoutMs <= 0) throw new QueryTimeoutError(queryTimeoutMs);
      return client.read(sql, parameters, timeoutMs).catch((error: unknown) => {
        throw errorCode(error) === canceled ? new QueryTimeoutError(queryTimeoutMs) : error;
      });
    },
    close: () => client.close(),
  };
}

class PostgresLogStore implements LogStore {
  readonly kind: string;
  warning: string | undefined;
  readonly #client: PostgresClient;
  readonly #migrationClient: () => PostgresClient;
  readonly #name: string;
  readonly #writer: PostgresBatchWriter;
  readonly #options: PostgresStoreOptions;
  readonly #pendingHours = new PendingHours();
  #isMigrated = false;
  #migration: Migration | undefined;
  /** Error of a migration that took long, whose end no call waited for. */
  #migrationError: Error | undefined;

  constructor(client: PostgresClient, migrationClient: () => PostgresClient, options: PostgresStoreOptions) {
    this.kind = client.kind;
    this.#client = client;
    this.#migrationClient = migrationClient;
    this.#options = options;
    this.#name = options.writer;
    this.#writer = new PostgresBatchWriter(client, options.writer, options.writeTimeout ?? defaultWriteTimeoutMs);
  }

  get isMigrating(): boolean {
    return this.#migration !== undefined;
  }

  async positions(): Promise<ReadonlyMap<string, number>> {
    await this.#ensureMigrated();
    const rows = await this.#client.query('SELECT segment, "offset" FROM positions WHERE writer = $1', [this.#name]);
    return new Map(rows.map(({ segment, offset }) => [String(segment), Number(offset)]));
  }

  async write(batch: Batch): Promise<void> {
    await this.#ensureMigrated();
    await this.#writer.write(batch);
  }

  async feedback({ id, trace_id: trace, value, weight, metadata, at }: FeedbackInput): Promise<void> {
    await this.#ensureMigrated();
    await this.#client.query(
      `INSERT INTO feedback (id, trace, value, weight, metadata, at) VALUES ($1, $2, $3, coalesce($4::double precision, -1), coalesce($5::text, ''), $6)
       ON CONFLICT (id) DO UPDATE SET
         value = CASE WHEN excluded.at < feedback.at THEN feedback.value ELSE $3 END,
         weight = CASE WHEN excluded.at < feedback.at AND feedback.weight >= 0 THEN feedback.weight ELSE coalesce($4, feedback.weight) END,
         metadata = CASE WHEN excluded.at < feedback.at AND feedback.metadata <> '' THEN feedback.metadata ELSE coalesce($5, feedback.metadata) END,
         at = greatest(excluded.at, feedback.at)`,
      [toStorable(id), toStorable(trace), value, weight, metadata === null ? null : JSON.stringify(metadata), at],
    );
  }

  async retain(retention: Retention, now: number): Promise<boolean> {
    await this.#ensureMigrated();
    const isMore = await this.#client.transaction((session) => retainSlice(session, retention, now));
    if (isMore || !this.#pendingHours.isDue(now)) return isMore;
    return this.#client.transaction((session) => sumHour(session, this.#pendingHours, now));
  }

  /** Words are indexed when they are written. */
  index(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async size(): Promise<StoreSize> {
    await this.#ensureMigrated();
    const days = await this.#client.transaction((session) => storedDays(session));
    const first = days[0];
    if (first === undefined) return { records: 0, bytes: 0, oldest: null };
    // Count from the figures, because counting the rows of many days would take long.
    const [found] = await this.#client.query(
      `SELECT (SELECT CAST(coalesce(sum(requests), 0) AS bigint) FROM buckets WHERE dim = 'all' AND minute >= $1) AS records,
       (SELECT min(seq) / 1000 FROM requests) AS oldest`,
      [Number(seqOfDay(first.day) / 60_000_000n)],
    );
    const oldest = found?.oldest ?? null;
    return {
      records: Number(found?.records ?? 0),
      bytes: days.reduce((sum, { bytes }) => sum + bytes, 0),
      oldest: oldest === null ? null : Number(oldest),
    };
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** @throws GatewayError `log_unavailable` if the migration takes long. It continues, and calls in the meantime are not delayed. */
  async #ensureMigrated(): Promise<void> {
    if (this.#isMigrated) return;
    if (this.#migration === undefined) {
      const fault = this.#migrationError;
      this.#migrationError = undefined;
      if (fault !== undefined) throw fault;
      const found = await findLog(this.#client);
      // Only a warning, because an earlier version has used the database, and most records can be stored.
      if (found !== undefined && !isCompleteEncoding(found.encoding)) this.warning = lacksCharacters(found.encoding);
      if (found?.isCurrentVersion === true) {
        this.#isMigrated = true;
        return;
      }
    }
    this.#migration ??= this.#startMigration();
    if (this.#migration.hasTimedOut) throw migrationRunning();
    await this.#migration.end;
  }

  #startMigration(): Migration {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const migration: Migration = { end: promise, hasTimedOut: false };
    const timer = setTimeout(() => {
      migration.hasTimedOut = true;
      reject(migrationRunning());
    }, this.#options.migrationWait ?? defaultMigrationWaitMs);
    this.#migrate()
      .then(resolve, (error: Error) => {
        if (migration.hasTimedOut) this.#migrationError = error;
        reject(error);
      })
      .finally(() => clearTimeout(timer));
    return migration;
  }

  async #migrate(): Promise<void> {
    const client = this.#migrationClient();
    try {
      await migrate(client);
      this.#isMigrated = true;
    } finally {
      this.#migration = undefined;
      await client.close();
    }
  }
}

/** A migration of the log to the version of this gateway. */
interface Migration {
  /** Also rejects if the migration takes long. */
  readonly end: Promise<void>;
  hasTimedOut: boolean;
}

const lacksCharacters = (encoding: string): string =>
  `The database of the request log has the encoding ${encoding}: records with other characters are lost. Use one with ENCODING UTF8.`;

const migrationRunning = (): GatewayError =>
  new GatewayError('log_unavailable', { message: 'The request log is being converted for this version of the gateway.' });
