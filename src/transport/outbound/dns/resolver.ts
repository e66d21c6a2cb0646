import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { addressesIn, lookupFailure } from './lookups.ts';
import { HostsFile } from './hosts-file.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { setBounded } from '../../../core/memory/set-bounded.ts';

interface NameResolverOptions {
  /** Monotonic milliseconds. */
  monotonic(): number;
  readonly hostsFile: string;
  /** The system's resolver, which blocks a thread of the process. */
  readonly systemResolver: LookupFunction;
  /** Name servers as `address:port`; by default those of the system. */
  readonly servers?: readonly string[];
  /** Timeout of the first try in milliseconds; the second one has twice the time. */
  readonly tryMs?: number;
  /** Milliseconds that a second address family may take longer than the first (RFC 8305 3). */
  readonly familyMs?: number;
}

type Addresses = readonly LookupAddress[];

/** Result of one source for a name. */
interface LookupResult {
  readonly addresses: Addresses;
  readonly ttlMs: number;
  /** The source did not respond, or returned an error. */
  readonly isLost?: true;
}

const nothing: LookupResult = Object.freeze({ addresses: Object.freeze([]), ttlMs: 0 });
const unavailable: LookupResult = Object.freeze({ ...nothing, isLost: true });

interface CacheEntry {
  /** Empty: the name does not exist. */
  readonly addresses: Addresses;
  readonly until: number;
}

/** Maximum number of cached names, of concurrent lookups, and of waiting lookups of the system. */
const limits = { cached: 1024, pending: 256, waiting: 64 } as const;
/** Maximum concurrent lookups of the system: the process has four such threads, which file operations also use. */
const systemLimit = 2;
/** Minimum and maximum milliseconds for which addresses are cached, whatever their TTL, and for which "no such name" is cached. */
const cacheMs = { least: 1000, most: 60_000, nothing: 2000 } as const;
/** Milliseconds for which expired addresses are used if no name server responds. */
const staleMs = 600_000;
const defaultFamilyMs = 50;
/** The total of both tries, of which the second has twice the time, is below the connect timeout. */
const defaultTryMs = 1500;
/** Minimum milliseconds before the system's list of servers is read again because none responds. */
const freshEveryMs = 10_000;

/** Codes for a name that the name server does not have, or a server that could not be queried. The system may have other sources. */
const notFoundCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EFORMERR', 'ECONNREFUSED', 'ENOTIMP']);

/**
 * Resolves names without the threads of the process: first the hosts file, then the name servers, then, for names that
 * those do not know (search domains, mDNS), a few concurrent lookups of the system. A name server that does not respond
 * delays only the names that it is queried for. Results are cached for their TTL, within limits, and concurrent lookups of
 * one name share one query.
 */
export class NameResolver {
  readonly #options: NameResolverOptions;
  readonly #hosts: HostsFile;
  readonly #system = new ConcurrencyLimit(systemLimit, limits.waiting);
  readonly #cache = new Map<string, CacheEntry>();
  readonly #pending = new Map<string, Promise<Addresses>>();
  #resolver: Resolver;
  #createdAt: number;

  constructor(options: NameResolverOptions) {
    this.#options = options;
    this.#hosts = new HostsFile(options.hostsFile, options.monotonic);
    this.#resolver = this.#createResolver();
    this.#createdAt = options.monotonic();
  }

  /** Number of cached names, and of running lookups. */
  get size(): { readonly cached: number; readonly pending: number } {
    return { cached: this.#cache.size, pending: this.#pending.size };
  }

  close(): void {
    this.#resolver.cancel();
  }

  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#find(hostname.toLowerCase()).then(
      (addresses) => {
        const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
        const found = family === 0 ? [...addresses] : addresses.filter((each) => each.family === family);
        const [first] = found;
        // Outside of the promise, so that an error thrown by the socket is not treated as a failed lookup.
        if (first === undefined) process.nextTick(callback, lookupFailure('ENOTFOUND', hostname), '', 0);
        else if (options.all === true) process.nextTick(callback, null, found);
        else process.nextTick(callback, null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => process.nextTick(callback, error, '', 0),
    );
  };

  /** Empty if the name does not exist. @throws Error `EAI_AGAIN` if no server responded */
  async #find(name: string): Promise<Addresses> {
    const kept = this.#cache.get(name);
    if (kept !== undefined && this.#options.monotonic() < kept.until) return kept.addresses;
    const running = this.#pending.get(name);
    if (running !== undefined) return running;
    if (this.#pending.size >= limits.pending) return this.#expired(kept, lookupFailure('EAI_AGAIN', name));
    const asking = this.#ask(name, kept).finally(() => this.#pending.delete(name));
    this.#pending.set(name, asking);
    return asking;
  }

  async #ask(name: string, before: CacheEntry | undefined): Promise<Addresses> {
    const fromHosts = await this.#hosts.find(name);
    if (fromHosts.length > 0) return fromHosts;
    try {
      const { addresses, ttlMs } = await this.#resolve(name);
      this.#store(name, addresses, addresses.length === 0 ? cacheMs.nothing : Math.min(Math.max(ttlMs, cacheMs.least), cacheMs.most));
      return addresses;
    } catch (error) {
      return this.#expired(before, error);
    }
  }

  /** The last known addresses of a name that cannot be resolved now. @throws the error if there are none, or they are too old */
  #expired(before: CacheEntry | undefined, error: unknown): Addresses {
    if (before !== undefined && before.addresses.length > 0 && this.#options.monotonic() < before.until + staleMs) return before.addresses;
    throw error;
  }

  async #resolve(name: string): Promise<LookupResult> {
    // Never exists in DNS (RFC 6761 6.4), and a query would reveal the name.
    if (name.endsWith('.invalid')) return nothing;
    // A single label is completed with the system's search domains, which a name server does not know.
    if (!name.includes('.') || name.endsWith('.localhost')) return this.#bySystem(name);
    const found = await this.#byServers(name);
    return found.addresses.length === 0 ? this.#bySystem(name) : found;
  }

  /** Queries both address families concurrently, and waits only a little longer for the second result. */
  async #byServers(name: string): Promise<LookupResult> {
    const queries = [this.#family(name, 4), this.#family(name, 6)] as const;
    const both = Promise.all(queries);
    const first = await Promise.race(queries);
    const results =
      first.addresses.length === 0
        ? await both
        : ((await Promise.race([both, delay(this.#options.familyMs ?? defaultFamilyMs)])) ?? [first]);
    const good = results.filter(({ addresses }) => addresses.length > 0);
    if (good.length > 0)
      return { addresses: good.flatMap(({ addresses }) => addresses), ttlMs: Math.min(...good.map(({ ttlMs }) => ttlMs)) };
    if (results.some(({ isLost }) => isLost === true)) throw lookupFailure('EAI_AGAIN', name);
    return nothing;
  }

  async #family(name: string, family: 4 | 6): Promise<LookupResult> {
    try {
      const records = await (family === 4 ? this.#resolver.resolve4(name, { ttl: true }) : this.#resolver.resolve6(name, { ttl: true }));
      return { addresses: records.map(({ address }) => ({ address, family })), ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1000 };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || !notFoundCodes.has(code) || code === 'ECONNREFUSED') this.#renew();
      return code !== undefined && notFoundCodes.has(code) ? nothing : unavailable;
    }
  }

  /** After a change of the network, the name servers are different. */
  #renew(): void {
    const now = this.#options.monotonic();
    if (now - this.#createdAt < freshEveryMs) return;
    this.#createdAt = now;
    this.#resolver = this.#createResolver();
  }

  #createResolver(): Resolver {
    const { servers, tryMs } = this.#options;
    const resolver = new Resolver({ timeout: tryMs ?? defaultTryMs, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    return resolver;
  }

  async #bySystem(name: string): Promise<LookupResult> {
    const found = await this.#system.run(() => systemLookup(this.#options.systemResolver, name));
    if (found === undefined) throw lookupFailure('EAI_AGAIN', name);
    return { addresses: found, ttlMs: cacheMs.least };
  }

  #store(name: string, addresses: Addresses, forMs: number): void {
    setBounded(this.#cache, name, { addresses, until: this.#options.monotonic() + forMs }, limits.cached);
  }
}

function systemLookup(system: LookupFunction, name: string): Promise<Addresses> {
  return new Promise((resolve, reject) => {
    system(name, { all: true }, (error, found) => {
      if (error?.code === 'ENOTFOUND') resolve([]);
      else if (error !== null) reject(error);
      else resolve(addressesIn(found));
    });
  });
}

function delay(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, undefined).unref();
  });
}
