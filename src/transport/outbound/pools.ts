import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import type { Pool } from 'undici';
import type { Trust } from '../../core/snapshot.ts';

export interface PoolOptions {
  /** Name resolution that rejects addresses forbidden by the egress rules. */
  lookup(trust: Trust): LookupFunction | undefined;
}

/** How an origin is reached. */
export interface Route {
  readonly trust: Trust;
  /** Milliseconds that the caller waits for a connection; it looks at its own clock. */
  readonly connectMs: number;
  /** It changes something that is kept, and may not be sent twice: a connection of its own, which can't have been dead before. */
  readonly isOnce?: boolean;
}

const load = createRequire(import.meta.url);

/**
 * The pool alone: the package as a whole is a hundred files (fetch, mocks, caches) that nothing here uses. Read with the
 * first request that does not leave on sockets of our own.
 */
const poolClass = (): typeof Pool => load('undici/lib/dispatcher/pool.js') as typeof Pool;

/** Pools that are kept; more only while each has something to do, or the operator names more origins that are connected. */
const poolLimit = 256;

/**
 * Milliseconds after which a connection that does not come is given up for good. Whoever waits for it gives up at its own
 * time: a pool for each time that a request may choose would be pools, and sockets, without number.
 */
const dialSteps = [1000, 5000, 30_000, 600_000] as const;

interface PoolEntry {
  readonly pool: Pool;
  readonly trust: Trust;
  /** Grows with each use of any pool. */
  usedAt: number;
}

/** A pool for each origin, by who chose it: names that requests choose are resolved under other rules. */
export class Pools {
  readonly #lookup: PoolOptions['lookup'];
  readonly #pools = new Map<string, PoolEntry>();
  readonly #fresh = new Set<Pool>();
  #uses = 0;

  constructor({ lookup }: PoolOptions) {
    this.#lookup = lookup;
  }

  /** Pools that are kept. */
  get size(): number {
    return this.#pools.size;
  }

  for(origin: string, route: Route): Pool {
    const dialMs = dialMsOf(route.connectMs);
    const key = `${route.trust} ${dialMs} ${origin}`;
    const kept = this.#pools.get(key) ?? this.#open(key, origin, route.trust, dialMs);
    this.#uses += 1;
    kept.usedAt = this.#uses;
    return kept.pool;
  }

  /**
   * For one request that can't be sent again: a kept connection may turn out to be dead. It asks to be kept all
   * the same: a service that closes behind an early answer resets the connection, and the answer is lost with it.
   */
  fresh(origin: string, { trust, connectMs }: Route): Pool {
    const pool = this.#make(origin, trust, dialMsOf(connectMs));
    this.#fresh.add(pool);
    return pool;
  }

  /** The one request of a fresh pool is over. */
  release(pool: Pool): void {
    if (this.#fresh.delete(pool)) close(pool);
  }

  async destroy(): Promise<void> {
    await Promise.all([...[...this.#pools.values()].map(({ pool }) => pool), ...this.#fresh].map((pool) => pool.destroy()));
  }

  #open(key: string, origin: string, trust: Trust, dialMs: number): PoolEntry {
    if (this.#pools.size >= poolLimit) this.#closeOldest();
    const kept = { pool: this.#make(origin, trust, dialMs), trust, usedAt: 0 };
    this.#pools.set(key, kept);
    return kept;
  }

  #make(origin: string, trust: Trust, dialMs: number): Pool {
    const lookup = this.#lookup(trust);
    return new (poolClass())(origin, {
      connections: null,
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 15_000,
      connect: { timeout: dialMs, ...(lookup === undefined ? {} : { lookup }) },
    });
  }

  /**
   * Makes room: closes those that were used longest ago and have nothing to do. One that the operator's own origin has
   * goes only when it has no connection left, so that many providers do not close each other's.
   */
  #closeOldest(): void {
    const idle = [...this.#pools].filter(([, { pool, trust }]) => {
      const { size, connected } = pool.stats;
      return size === 0 && (trust === 'request' || connected === 0);
    });
    idle.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [key, { pool }] of idle.slice(0, this.#pools.size - poolLimit + 1)) {
      close(pool);
      this.#pools.delete(key);
    }
  }
}

/** How long a connection may take to come, for a caller that waits so long. */
export const dialMsOf = (connectMs: number): number => dialSteps.find((step) => step >= connectMs) ?? connectMs;

/** Closed once it is idle. A pool that was destroyed meanwhile is closed too. */
function close(pool: Pool): void {
  pool.close().catch(() => {});
}
