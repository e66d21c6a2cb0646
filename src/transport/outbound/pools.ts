import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import type { buildConnector, Pool } from 'undici';
import type { Trust } from '../../core/snapshot.ts';
import { idleMs } from './http1/connection.ts';
import type { FindProxy } from './egress/proxy.ts';
import { addressMs, endpointOf } from './endpoint.ts';
import { proxyConnector } from './proxy/connector.ts';

export interface PoolOptions {
  /** Name resolution that rejects addresses forbidden by the egress rules. */
  lookup(trust: Trust): LookupFunction | undefined;
  /** The proxy for connections of a trust level. All are direct by default. */
  proxy?(trust: Trust): FindProxy;
}

/** Options for reaching an origin. */
export interface Route {
  readonly trust: Trust;
  /** Milliseconds that the caller waits for a connection. The caller enforces this timeout itself. */
  readonly connectMs: number;
  /**
   * The request has side effects and must not be sent twice: it needs a new connection, because a kept-alive one may already be
   * closed.
   */
  readonly isOnce?: boolean;
}

const load = createRequire(import.meta.url);

/**
 * Only the pool: the whole package has a hundred files (fetch, mocks, caches) that are not used here. Loaded with the first
 * request that the gateway's own sockets cannot send.
 */
const poolClass = (): typeof Pool => load('undici/lib/dispatcher/pool.js') as typeof Pool;

/**
 * Maximum pools. Exceeded only while each has a request in progress, or while more origins of the operator's configuration have
 * connections.
 */
const poolLimit = 256;

/**
 * Connect timeouts of the pools, in milliseconds. Requests have their own, shorter ones. A pool for each timeout that a request
 * may choose would mean an unlimited number of pools and sockets.
 */
const dialSteps = [1000, 5000, 30_000, 600_000] as const;

interface PoolEntry {
  readonly pool: Pool;
  readonly trust: Trust;
  /** Grows with each use of any pool. */
  usedAt: number;
}

/** A pool for each origin, and for each trust level, because hosts chosen by requests are resolved under other rules. */
export class Pools {
  readonly #lookup: PoolOptions['lookup'];
  readonly #proxy: PoolOptions['proxy'];
  readonly #pools = new Map<string, PoolEntry>();
  /** Pools that get no further request. */
  readonly #last = new Set<Pool>();
  #uses = 0;

  constructor({ lookup, proxy }: PoolOptions) {
    this.#lookup = lookup;
    this.#proxy = proxy;
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
   * For one request that cannot be sent again, because a kept-alive connection may already be closed. It still sends
   * `connection: keep-alive`: a service that closes after an early response resets the connection, and the response would be
   * lost.
   */
  fresh(origin: string, { trust, connectMs }: Route): Pool {
    const pool = this.#make(origin, trust, dialMsOf(connectMs));
    this.#last.add(pool);
    return pool;
  }

  /** The one request of a fresh pool is over. */
  release(pool: Pool): void {
    if (this.#last.delete(pool)) close(pool);
  }

  /** See `Upstream.renew`. */
  renew(renewed: Trust): void {
    for (const [key, { pool, trust }] of this.#pools) {
      if (trust !== renewed) continue;
      this.#pools.delete(key);
      this.#last.add(pool);
      pool.close().then(
        () => this.#last.delete(pool),
        () => {},
      );
    }
  }

  async destroy(): Promise<void> {
    await Promise.all([...[...this.#pools.values()].map(({ pool }) => pool), ...this.#last].map((pool) => pool.destroy()));
  }

  #open(key: string, origin: string, trust: Trust, dialMs: number): PoolEntry {
    if (this.#pools.size >= poolLimit) this.#closeOldest();
    const kept = { pool: this.#make(origin, trust, dialMs), trust, usedAt: 0 };
    this.#pools.set(key, kept);
    return kept;
  }

  #make(origin: string, trust: Trust, dialMs: number): Pool {
    const lookup = this.#lookup(trust);
    const endpoint = endpointOf(new URL(origin));
    const proxy = this.#proxy?.(trust)(endpoint);
    return new (poolClass())(origin, {
      connections: null,
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      connect:
        proxy === undefined
          ? { timeout: dialMs, autoSelectFamilyAttemptTimeout: addressMs, ...(lookup === undefined ? {} : { lookup }) }
          : (proxyConnector(proxy, endpoint, lookup, dialMs) as buildConnector.connector),
    });
  }

  /**
   * Closes the least recently used idle pools. A pool of the operator's configuration is closed only when it has no connection
   * left, so that many providers do not close each other's connections.
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

/** The connect timeout of the pool for a caller with this timeout. */
export const dialMsOf = (connectMs: number): number => dialSteps.find((step) => step >= connectMs) ?? connectMs;

/** Closed once it is idle. A pool that was destroyed meanwhile is closed too. */
function close(pool: Pool): void {
  pool.close().catch(() => {});
}
