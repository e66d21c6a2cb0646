import type { Pool, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import type { SqlValue } from '../log-store.ts';
import { type Address, readAddress } from './address.ts';
import { Backoff } from './backoff.ts';

/** The part of `pg` that is used. */
export interface PgLibrary {
  readonly default: { readonly Pool: new (config: PoolConfig) => Pool };
}

export type Row = Readonly<Record<string, SqlValue>>;
export type Value = SqlValue | readonly string[];

/** One connection in a transaction. */
export interface Session {
  query(sql: string, parameters?: readonly Value[]): Promise<readonly Row[]>;
}

export interface ClientOptions {
  /** Connections at most. */
  readonly connections: number;
  /** Milliseconds: the server ends a statement that runs longer. */
  readonly statementTimeout: number;
  /** Milliseconds for a connection to be made. */
  readonly connectTimeout: number;
  readonly load?: () => Promise<PgLibrary>;
}

const lockTimeout = 5000;
const idleTimeout = 30_000;
/** Milliseconds more than the server's own limit: for a server that does not respond at all. */
const grace = 500;

/** Connections to one server, made when they are needed. All errors are without credentials. */
export class Client implements Session {
  readonly kind: string;
  readonly #address: Address;
  readonly #options: ClientOptions;
  readonly #backoff = new Backoff();
  #pool: Promise<Pool> | undefined;
  #isClosed = false;

  /** @throws Error for a URL that is none */
  constructor(url: string, options: ClientOptions) {
    this.#address = readAddress(url);
    this.kind = this.#address.kind;
    this.#options = options;
  }

  query(sql: string, parameters: readonly Value[] = []): Promise<readonly Row[]> {
    return this.transaction((session) => session.query(sql, parameters));
  }

  /** Of a statement that changes nothing: the end of its transaction is not waited for, which far from the server takes long. */
  read(sql: string, parameters: readonly Value[] = []): Promise<readonly Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
    this.transaction(async (session) => resolve(await session.query(sql, parameters))).catch(reject);
    return promise;
  }

  /** All of it, or nothing. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#with(async (connection) => {
      try {
        // Of the transaction alone: behind a connection pooler others get the connection next, and a pooler rejects parameters of
        // the start that it does not know.
        const times = `SET LOCAL statement_timeout = ${this.#options.statementTimeout}; SET LOCAL lock_timeout = ${lockTimeout}`;
        await connection.query(`BEGIN; ${times}`);
        const result = await work({ query: (sql, parameters = []) => ask(connection, sql, parameters) });
        await connection.query('COMMIT');
        return result;
      } catch (error) {
        // The server does it by itself where the connection is not used again, and one that does not respond is not waited for twice.
        if (isRefusal(error)) await connection.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }

  async #with<T>(work: (connection: PoolClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error(`${this.kind}: the connection is closed`);
    try {
      const connection = await this.#backoff.run(async () => (await this.#opened()).connect());
      let failure: unknown;
      try {
        return await work(connection);
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        // A connection that broke, or on which a statement is still running, is not used again.
        connection.release(failure !== undefined && !isRefusal(failure));
      }
    } catch (error) {
      throw this.#clean(error);
    }
  }

  #opened(): Promise<Pool> {
    this.#pool ??= this.#open();
    this.#pool.catch(() => {
      this.#pool = undefined;
    });
    return this.#pool;
  }

  async #open(): Promise<Pool> {
    const load = this.#options.load ?? (() => import('pg'));
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
      query_timeout: this.#options.statementTimeout + grace,
      keepAlive: true,
      allowExitOnIdle: true,
      application_name: 'llm-gateway',
      types: { getTypeParser: (oid: number, format?: string) => readerOf(oid, format) },
    });
    // An idle connection that breaks is replaced by the next query.
    pool.on('error', () => undefined);
    pool.on('connect', (connection) => void connection.on('error', () => undefined));
    return pool;
  }

  #clean(error: unknown): Error {
    const { message, code } = error as { message?: unknown; code?: unknown };
    let text = typeof message === 'string' && message !== '' ? message : String(code ?? 'no connection');
    for (const secret of this.#address.secrets) text = text.replaceAll(secret, '***');
    const shown = typeof code === 'string' && isRefusal(error) && !isSignIn.test(code) ? code : 'log_unavailable';
    const hint = shown === 'log_unavailable' ? 'Requests are served; their records wait until the database responds.' : undefined;
    return Object.assign(new Error(`${this.kind}: ${text.slice(0, 500)}`), { code: shown, hint });
  }
}

async function ask(connection: PoolClient, sql: string, parameters: readonly Value[]): Promise<readonly Row[]> {
  const values = parameters.map((value) => (typeof value === 'bigint' ? value.toString() : value));
  const { rows } = await connection.query<QueryResultRow>(sql, values);
  return rows as Row[];
}

/** Codes of Postgres for a wrong user, password or database. */
const isSignIn = /^(?:28|3D)/;

/** The server refused a statement, and the connection is as good as before: an SQLSTATE that is not about connections. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  // EPIPE has five letters too; no class of Postgres begins with an E.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|57P|53|E)/.test(code);
}

const int8 = 20;
const bytea = 17;
const bool = 16;
const floats = [700, 701, 21, 23, 26];

/** Integers are numbers where a number is exact for them; all that is not listed stays a text. */
function readerOf(oid: number, _format?: string): (value: string) => unknown {
  if (oid === int8) return (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value));
  if (oid === bytea) return (value) => Buffer.from(value.slice(2), 'hex');
  if (oid === bool) return (value) => (value === 't' ? 1 : 0);
  return floats.includes(oid) ? Number : String;
}
