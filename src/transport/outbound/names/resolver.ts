import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIPv4, type LookupFunction } from 'node:net';
import { HostsFile } from './hosts-file.ts';
import { Slots } from './slots.ts';
import { remember } from '../../../core/memory/recent.ts';

export interface NamesOptions {
  /** Monotonic milliseconds. */
  monotonic(): number;
  readonly hostsFile: string;
  /** The system's resolver, which blocks a thread of the process. */
  readonly system: LookupFunction;
  /** Name servers as `address:port`; by default those of the system. */
  readonly servers?: readonly string[];
  /** Timeout of the first try in milliseconds; the second one has twice the time. */
  readonly tryMs?: number;
  /** Milliseconds that a second address family may take longer than the first (RFC 8305 3). */
  readonly familyMs?: number;
}

/** Resolves names for sockets. */
export interface Names {
  readonly lookup: LookupFunction;
  /** Number of cached names, and of running lookups. */
  readonly size: { readonly kept: number; readonly asked: number };
  close(): void;
}

type Addresses = readonly LookupAddress[];

/** Result of one source for a name. */
interface Found {
  readonly addresses: Addresses;
  readonly ttlMs: number;
  /** The source did not respond, or returned an error. */
  readonly isLost?: true;
}

const nothing: Found = Object.freeze({ addresses: Object.freeze([]), ttlMs: 0 });
const lost: Found = Object.freeze({ ...nothing, isLost: true });

interface Kept {
  /** Empty: the name does not exist. */
  readonly addresses: Addresses;
  readonly until: number;
}

/** Maximum number of cached names, of concurrent lookups, and of waiting lookups of the system. */
const limits = { kept: 1024, asked: 256, waiting: 64 } as const;
/** Maximum concurrent lookups of the system: the process has four such threads, which file operations also use. */
const systemLimit = 2;
/** Minimum and maximum milliseconds for which addresses are cached, whatever their TTL, and for which "no such name" is cached. */
const keepMs = { least: 1000, most: 60_000, nothing: 2000 } as const;
/** Milliseconds for which expired addresses are used if no name server responds. */
const staleMs = 600_000;
const defaultFamilyMs = 50;
/** The total of both tries, of which the second has twice the time, is below the connect timeout. */
const defaultTryMs = 1500;
/** Minimum milliseconds before the system's list of servers is read again because none responds. */
const freshEveryMs = 10_000;

/** Codes for a name that the name server does not have, or a server that could not be queried. The system may have other sources. */
const elsewhere: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EFORMERR', 'ECONNREFUSED', 'ENOTIMP']);

/**
 * Resolves names without the threads of the process: first the hosts file, then the name servers, then, for names that
 * those do not know (search domains, mDNS), a few concurrent lookups of the system. A name server that does not respond
 * delays only the names that it is queried for. Results are cached for their TTL, within limits, and concurrent lookups of
 * one name share one query.
 */
export function createNames(options: NamesOptions): Names {
  return new Resolution(options);
}

class Resolution implements Names {
  readonly #options: NamesOptions;
  readonly #hosts: HostsFile;
  readonly #system = new Slots(systemLimit, limits.waiting);
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Map<string, Promise<Addresses>>();
  #resolver: Resolver;
  #madeAt: number;

  constructor(options: NamesOptions) {
    this.#options = options;
    this.#hosts = new HostsFile(options.hostsFile, options.monotonic);
    this.#resolver = this.#make();
    this.#madeAt = options.monotonic();
  }

  get size(): Names['size'] {
    return { kept: this.#kept.size, asked: this.#asked.size };
  }

  close(): void {
    this.#resolver.cancel();
  }

  readonly lookup: LookupFunction = (hostname, options, give) => {
    this.#find(hostname.toLowerCase()).then(
      (addresses) => {
        const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
        const found = family === 0 ? [...addresses] : addresses.filter((each) => each.family === family);
        const [first] = found;
        // Outside of the promise, so that an error thrown by the socket is not treated as a failed lookup.
        if (first === undefined) process.nextTick(give, failure('ENOTFOUND', hostname), '', 0);
        else if (options.all === true) process.nextTick(give, null, found);
        else process.nextTick(give, null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => process.nextTick(give, error, '', 0),
    );
  };

  /** Empty if the name does not exist. @throws Error `EAI_AGAIN` if no server responded */
  async #find(name: string): Promise<Addresses> {
    const kept = this.#kept.get(name);
    if (kept !== undefined && this.#options.monotonic() < kept.until) return kept.addresses;
    const running = this.#asked.get(name);
    if (running !== undefined) return running;
    if (this.#asked.size >= limits.asked) throw failure('EAI_AGAIN', name);
    const asking = this.#ask(name, kept).finally(() => this.#asked.delete(name));
    this.#asked.set(name, asking);
    return asking;
  }

  async #ask(name: string, before: Kept | undefined): Promise<Addresses> {
    const own = await this.#hosts.find(name);
    if (own.length > 0) return own;
    try {
      const { addresses, ttlMs } = await this.#resolve(name);
      this.#keep(name, addresses, addresses.length === 0 ? keepMs.nothing : Math.min(Math.max(ttlMs, keepMs.least), keepMs.most));
      return addresses;
    } catch (error) {
      // No server responded: the last known addresses are used.
      if (before !== undefined && before.addresses.length > 0 && this.#options.monotonic() < before.until + staleMs)
        return before.addresses;
      throw error;
    }
  }

  async #resolve(name: string): Promise<Found> {
    // Never exists in DNS (RFC 6761 6.4), and a query would reveal the name.
    if (name.endsWith('.invalid')) return nothing;
    // A single label is completed with the system's search domains, which a name server does not know.
    if (!name.includes('.') || name.endsWith('.localhost')) return this.#bySystem(name);
    const found = await this.#byServers(name);
    return found.addresses.length === 0 ? this.#bySystem(name) : found;
  }

  /** Queries both address families concurrently, and waits only a little longer for the second result. */
  async #byServers(name: string): Promise<Found> {
    const asked = [this.#family(name, 4), this.#family(name, 6)] as const;
    const both = Promise.all(asked);
    const first = await Promise.race(asked);
    const answers =
      first.addresses.length === 0
        ? await both
        : ((await Promise.race([both, after(this.#options.familyMs ?? defaultFamilyMs)])) ?? [first]);
    const good = answers.filter(({ addresses }) => addresses.length > 0);
    if (good.length > 0)
      return { addresses: good.flatMap(({ addresses }) => addresses), ttlMs: Math.min(...good.map(({ ttlMs }) => ttlMs)) };
    if (answers.some(({ isLost }) => isLost === true)) throw failure('EAI_AGAIN', name);
    return nothing;
  }

  async #family(name: string, family: 4 | 6): Promise<Found> {
    try {
      const records = await (family === 4 ? this.#resolver.resolve4(name, { ttl: true }) : this.#resolver.resolve6(name, { ttl: true }));
      return { addresses: records.map(({ address }) => ({ address, family })), ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1000 };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || !elsewhere.has(code) || code === 'ECONNREFUSED') this.#renew();
      return code !== undefined && elsewhere.has(code) ? nothing : lost;
    }
  }

  /** After a change of the network, the name servers are different. */
  #renew(): void {
    const now = this.#options.monotonic();
    if (now - this.#madeAt < freshEveryMs) return;
    this.#madeAt = now;
    this.#resolver = this.#make();
  }

  #make(): Resolver {
    const { servers, tryMs } = this.#options;
    const resolver = new Resolver({ timeout: tryMs ?? defaultTryMs, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    return resolver;
  }

  async #bySystem(name: string): Promise<Found> {
    const found = await this.#system.run(() => lookedUp(this.#options.system, name));
    if (found === undefined) throw failure('EAI_AGAIN', name);
    return { addresses: found, ttlMs: keepMs.least };
  }

  #keep(name: string, addresses: Addresses, forMs: number): void {
    remember(this.#kept, name, { addresses, until: this.#options.monotonic() + forMs }, limits.kept);
  }
}

function lookedUp(system: LookupFunction, name: string): Promise<Addresses> {
  return new Promise((resolve, reject) => {
    system(name, { all: true }, (error, found) => {
      if (error?.code === 'ENOTFOUND') resolve([]);
      else if (error !== null) reject(error);
      else resolve(typeof found === 'string' ? [{ address: found, family: isIPv4(found) ? 4 : 6 }] : found);
    });
  });
}

/** The same error as that of the system's resolver. */
function failure(code: 'ENOTFOUND' | 'EAI_AGAIN', hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code, syscall: 'getaddrinfo', hostname });
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, undefined).unref();
  });
}
