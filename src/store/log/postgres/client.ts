import type { Pool, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import type { SqlValue } from '../log-store.ts';
import { type ServerAddress, parseAddress } from './address.ts';
import { Backoff } from './backoff.ts';

/** The part of `pg` that is used. */
export interface PgLibrary {
  readonly default: { readonly Pool: new (config: PoolConfig) => Pool };
}

export type Row = Readonly<Record<string, SqlValue>>;
export type Value = SqlValue | readonly string[];

/** One connection in a transaction. */
export interface PostgresSession {
  query(sql: string, parameters?: readonly Value[]): Promise<readonly Row[]>;
}

export interface ClientOptions {
  /** Maximum connections. */
  readonly connections: number;
  /** Milliseconds after which the server ends a statement. */
  readonly statementTimeout: number;
  /** Milliseconds for opening a connection. */
  readonly connectTimeout: number;
  readonly load?: () => Promise<PgLibrary>;
}

const maxLockTimeout = 4000;
/** Shorter than the limit of the statement, so that its error reports the lock. */
const lockTimeoutOf = (statementTimeout: number): number => Math.ceil(Math.min(maxLockTimeout, statementTimeout * 0.8));
const idleTimeout = 30_000;
/** Milliseconds added to the server's own limit, for a server that does not respond at all. */
const responseGraceMs = 500;

export const loadLibrary = (): Promise<PgLibrary> => import('pg');

/** Connections to one server, opened when needed. Its errors contain no credentials. */
export class PostgresClient implements PostgresSession {
  readonly kind: string;
  readonly #address: ServerAddress;
  readonly #options: ClientOptions;
  readonly #backoff = new Backoff();
  #pool: Promise<Pool> | undefined;
  #isClosed = false;

  /** @throws Error for an invalid URL */
  constructor(url: string, options: ClientOptions) {
    this.#address = parseAddress(url);
    this.kind = this.#address.kind;
    this.#options = options;
  }

  query(sql: string, parameters: readonly Value[] = []): Promise<readonly Row[]> {
    return this.transaction((session) => session.query(sql, parameters));
  }

  /** Runs a statement that changes nothing. Does not wait for the end of its transaction, which would take a further round trip. */
  read(sql: string, parameters: readonly Value[] = [], timeoutMs = this.#options.statementTimeout): Promise<readonly Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
    this.transaction(async (session) => resolve(await session.query(sql, parameters)), { timeoutMs }).catch(reject);
    return promise;
  }

  /**
   * Runs statements in one transaction: all take effect or none.
   *
   * @param limits `until`: monotonic milliseconds at which the transaction ends, if it is still running; `timeoutMs`: of
   *   each statement
   */
  transaction<T>(
    work: (session: PostgresSession) => Promise<T>,
    { until = Number.POSITIVE_INFINITY, timeoutMs = this.#options.statementTimeout } = {},
  ): Promise<T> {
    return this.#withConnection(async (connection) => {
      const run: PostgresSession['query'] = (sql, parameters = []) => runQuery(connection, sql, parameters, until);
      try {
        // Set these per transaction: a connection pooler gives the connection to others afterwards, and rejects startup
        // parameters that it does not know.
        const times = `SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}; SET LOCAL lock_timeout = ${lockTimeoutOf(timeoutMs)}`;
        // A statement after a lock must see what was stored while it waited, whatever isolation the server has by default.
        await run(`BEGIN ISOLATION LEVEL READ COMMITTED; ${times}; SET LOCAL bytea_output = hex`);
        const result = await work({ query: run });
        await run('COMMIT');
        return result;
      } catch (error) {
        // Other errors close the connection, so that the server rolls back. That avoids a second wait for an unresponsive server.
        if (isStatementError(error)) await connection.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }

  async #withConnection<T>(work: (connection: PoolClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error(`${this.kind}: the connection is closed`);
    try {
      const connection = await this.#backoff.run(async () => (await this.#ensurePool()).connect());
      let failure: unknown;
      try {
        return await work(connection);
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        // Do not reuse a connection that failed or on which a statement is still running.
        connection.release(failure !== undefined && !isStatementError(failure));
      }
    } catch (error) {
      throw this.#publicError(error);
    }
  }

  #ensurePool(): Promise<Pool> {
    this.#pool ??= this.#createPool();
    this.#pool.catch(() => {
      this.#pool = undefined;
    });
    return this.#pool;
  }

  async #createPool(): Promise<Pool> {
    const { load = loadLibrary } = this.#options;
    const { default: pg } = await load().catch(() => {
      throw new Error('a request log in Postgres needs the package pg: add it with npm install pg');
    });
    const { connectionString, ssl } = this.#address;
    const pool = new pg.Pool({
      connectionString,
      ssl,
      max: this.#options.connections,
      connectionTimeoutMillis: this.#options.connectTimeout,
      idleTimeoutMillis: idleTimeout,
      query_timeout: this.#options.statementTimeout + responseGraceMs,
      keepAlive: true,
      allowExitOnIdle: true,
      application_name: 'llm-gateway',
      types: { getTypeParser: (oid: number, format?: string) => typeParserOf(oid, format) },
    });
    // The next query replaces an idle connection that failed.
    pool.on('error', () => undefined);
    pool.on('connect', (connection) => void connection.on('error', () => undefined));
    return pool;
  }

  #publicError(error: unknown): Error {
    const { message, code } = error as { message?: unknown; code?: unknown };
    let text = typeof message === 'string' && message !== '' ? (plainMessages[message] ?? message) : String(code ?? 'no connection');
    for (const secret of this.#address.secrets) text = text.replaceAll(secret, '***');
    const shown = typeof code === 'string' && isStatementError(error) && !signInErrorCode.test(code) ? code : 'log_unavailable';
    const hint =
      shown === 'log_unavailable' ? `${fixOf(code)}Requests are served; their records wait until the database responds.` : undefined;
    return Object.assign(new Error(`${this.kind}: ${text.slice(0, 500)}`), { code: shown, hint });
  }
}

async function runQuery(connection: PoolClient, sql: string, parameters: readonly Value[], until: number): Promise<readonly Row[]> {
  const values = parameters.map((value) => (typeof value === 'bigint' ? value.toString() : value));
  const remainingMs = until - performance.now();
  if (remainingMs <= 0) throw new Error(readTimeoutMessage);
  // The library reads this member, but its types do not have it.
  const limited = { text: sql, values, query_timeout: Math.ceil(remainingMs) };
  const { rows } = await (until === Number.POSITIVE_INFINITY
    ? connection.query<QueryResultRow>(sql, values)
    : connection.query<QueryResultRow>(limited));
  return rows as Row[];
}

/** Message of the library when a query takes longer than its `query_timeout`. */
const readTimeoutMessage = 'Query read timeout';
const noResponse = 'the server did not respond in time';
const noConnection = 'no connection within the time limit: the server is slow or its address is unreachable';
/** Messages of the library in terms of the database. */
const plainMessages: Readonly<Record<string, string>> = {
  [readTimeoutMessage]: noResponse,
  'Connection terminated due to connection timeout': noConnection,
  'timeout exceeded when trying to connect': noConnection,
  'Connection terminated unexpectedly': 'the connection was closed unexpectedly',
};
/** SQLSTATE of a statement that took longer than `statement_timeout`. */
const cancelled = '57014';

/** True if the server did not respond in time. */
export const isTimeoutError = (error: unknown): boolean =>
  error instanceof Error && (error.message.endsWith(`: ${noResponse}`) || (error as { code?: unknown }).code === cancelled);

/** SQLSTATE classes for a wrong user, password or database. */
const signInErrorCode = /^(?:28|3D)/;

/** What to do about an error of signing in. */
function fixOf(code: unknown): string {
  if (typeof code !== 'string' || !signInErrorCode.test(code)) return '';
  return code.startsWith('3D')
    ? 'Create the database, or correct logging.requests.store. '
    : 'Correct the user or password in logging.requests.store, or the access rules of the server. ';
}

/** True if the server rejected a statement but the connection is still usable: an SQLSTATE that is not about connections. */
function isStatementError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  // EPIPE also has five letters. No SQLSTATE class begins with an E.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|57P|53|E)/.test(code);
}

const int8 = 20;
const bytea = 17;
const bool = 16;
const floats = [700, 701, 21, 23, 26];

/** Integers become numbers if a number is exact for them. Types that are not listed stay text. */
function typeParserOf(oid: number, _format?: string): (value: string) => unknown {
  if (oid === int8) return (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value));
  if (oid === bytea) return (value) => Buffer.from(value.slice(2), 'hex');
  if (oid === bool) return (value) => (value === 't' ? 1 : 0);
  return floats.includes(oid) ? Number : String;
}
