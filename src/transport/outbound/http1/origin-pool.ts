import type { Trust } from '../../../core/snapshot.ts';
import { dialMsOf, type PoolOptions, type Route } from '../pools.ts';
import type { BufferedBody, ResponseReceiver, WireRequest } from '../../wire/request.ts';
import type { UpstreamConnection } from './connection.ts';
import { endpointOf } from '../endpoint.ts';
import { Dialer } from './dial.ts';
import { WireFault } from '../../wire/fault.ts';
import type { TimeoutGroup, TimerWheel } from '../../wire/timer-wheel.ts';
import { Origin, type OriginOwner } from './origin.ts';
import { Outgoing } from './outgoing.ts';

/** Maximum origins. Exceeded only while each has work, or while more origins of the operator's configuration have connections. */
const originLimit = 256;

/** Bodies up to this many bytes are written together with their head. */
const oneWrite = 64 * 1024;

export interface OriginPoolOptions extends PoolOptions {
  readonly wheel: TimerWheel;
  /**
   * From this number of connections on, each new one closes the one that has been idle for longest. Idle ones above it are
   * closed at the next check. Unlimited by default.
   */
  readonly idleUpTo?: number | undefined;
}

/**
 * Sends plain requests over the gateway's own sockets: common methods and headers, and a body held in memory. Other requests are
 * refused here and sent by undici instead. The number of connections is not limited: a limit would be a hidden queue, and
 * `server.max_in_flight` already bounds them.
 */
export class OriginPool implements TimeoutGroup {
  readonly everyMs = 1000;
  readonly #wheel: TimerWheel;
  readonly #lookup: PoolOptions['lookup'];
  readonly #proxy: PoolOptions['proxy'];
  readonly #idleUpTo: number;
  readonly #origins: Readonly<Record<Trust, Map<string, Origin>>> = { operator: new Map(), request: new Map() };
  readonly #owner: OriginOwner;
  /** Requests to be sent over idle connections in this turn of the event loop. */
  #queue: Outgoing[] = [];
  /** Requests in progress. */
  #active = 0;
  /** Connections, including those being opened. */
  #connections = 0;
  #uses = 0;
  #isClosed = false;

  constructor({ lookup, proxy, wheel, idleUpTo = Number.POSITIVE_INFINITY }: OriginPoolOptions) {
    this.#wheel = wheel;
    this.#lookup = lookup;
    this.#proxy = proxy;
    this.#idleUpTo = idleUpTo;
    const dialer = new Dialer();
    this.#owner = {
      dial: (endpoint, options, events) => {
        if (this.#connections >= this.#idleUpTo) this.#closeLongestIdle();
        const socket = dialer.dial(endpoint, options, events);
        this.#connections += 1;
        return socket;
      },
      connectionClosed: () => (this.#connections -= 1),
      requestEnded: () => this.#requestEnded(),
    };
  }

  /** Number of origins. */
  get size(): number {
    return this.#origins.operator.size + this.#origins.request.size;
  }

  /** Returns false for a request that is not plain; nothing was done with it. */
  send(request: WireRequest, route: Route, receiver: ResponseReceiver): boolean {
    const { body, method } = request;
    if (body.kind === 'stream') return false;
    const origin = this.#origins[route.trust].get(request.origin) ?? this.#openOrigin(request.origin, route.trust);
    if (origin === undefined) return false;
    const content = body.kind === 'none' ? '' : contentOf(body);
    const head = origin.requestHeads.write(method, request.path, request.headers, content.length);
    if (head === undefined) return false;
    this.#uses += 1;
    origin.lastUse = this.#uses;
    const isOnce = route.isOnce === true;
    const ownsBodyBuffer = typeof content !== 'string' && body.kind === 'json' && body.holdsBytes === false;
    const outgoing = new Outgoing(origin, receiver, {
      method,
      head,
      body: content,
      ownsBodyBuffer,
      dialMs: dialMsOf(route.connectMs),
      isOnce,
    });
    if (this.#isClosed) {
      receiver.failed(new WireFault('UPSTREAM_CLOSED', 'the gateway stops'));
      return true;
    }
    this.#requestStarted();
    if (isOnce || origin.idle === 0) this.#sendNow(outgoing, performance.now());
    else this.#sendSoon(outgoing);
    return true;
  }

  /**
   * Uses idle connections only after this turn of the event loop has read all sockets. By then it is known which of them
   * were closed or received bytes without a request.
   */
  #sendSoon(outgoing: Outgoing): void {
    this.#queue.push(outgoing);
    if (this.#queue.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const queue = this.#queue;
    this.#queue = [];
    const now = performance.now();
    for (const outgoing of queue) this.#sendNow(outgoing, now);
  }

  /** Fails the request if a connection cannot even be started, so that it is not counted for ever and others are still sent. */
  #sendNow(outgoing: Outgoing, now: number): void {
    try {
      outgoing.origin.send(outgoing, now);
    } catch (thrown) {
      this.#requestEnded();
      outgoing.receiver.failed(thrown as Error);
    }
  }

  /** Closes all connections and fails their requests. */
  close(): void {
    this.#isClosed = true;
    this.#wheel.delete(this);
    const error = new WireFault('UPSTREAM_CLOSED', 'the gateway stops');
    for (const outgoing of this.#queue.splice(0)) {
      this.#requestEnded();
      outgoing.receiver.failed(error);
    }
    for (const origin of this.#all()) origin.close(error);
  }

  /** See `Upstream.renew`. */
  renew(trust: Trust): void {
    for (const origin of this.#origins[trust].values()) origin.renew();
  }

  *#all(): Iterable<Origin> {
    yield* this.#origins.operator.values();
    yield* this.#origins.request.values();
  }

  /** Sockets are unreferenced, because most of them are idle. While a request is in progress, the timer wheel keeps the process alive. */
  #requestStarted(): void {
    this.#active += 1;
    this.#wheel.add(this);
    if (this.#active === 1) this.#wheel.ref();
  }

  #requestEnded(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#wheel.unref();
  }

  /** Checks idle connections and those being opened. */
  check(): boolean {
    const now = performance.now();
    let open = 0;
    for (const origin of this.#all()) {
      origin.sweep(now);
      open += origin.size;
    }
    this.#closeSurplus();
    return open > 0 || this.#active > 0;
  }

  #openOrigin(text: string, trust: Trust): Origin | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || (url.origin !== text && `${url.origin}/` !== text)) return undefined;
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
    if (this.size >= originLimit) this.#closeOldest();
    const origin = new Origin(endpointOf(url), url.host, { lookup: this.#lookup(trust), proxy: this.#proxy?.(trust) }, this.#owner);
    this.#origins[trust].set(text, origin);
    return origin;
  }

  /** Closes the connections that have been idle for longest, as many as there are too many. */
  #closeSurplus(): void {
    const surplus = Math.ceil(this.#connections - this.#idleUpTo);
    if (!(surplus > 0)) return;
    const times = Float64Array.from([...this.#all()].flatMap(({ idleTimes }) => idleTimes)).sort();
    const last = times[surplus - 1] ?? Number.POSITIVE_INFINITY;
    for (const origin of this.#all()) origin.closeIdle(({ idleSince }) => idleSince <= last);
  }

  #closeLongestIdle(): void {
    let longest: UpstreamConnection | undefined;
    for (const { longestIdle: connection } of this.#all()) {
      if (connection !== undefined && (longest === undefined || connection.idleSince < longest.idleSince)) longest = connection;
    }
    longest?.close();
  }

  /**
   * Makes room: closes the least recently used origins that have no work. An origin from the operator's configuration is
   * removed only when it has no connection left, so that many providers do not close each other's connections.
   */
  #closeOldest(): void {
    const waiting = new Set(this.#queue.map(({ origin }) => origin));
    const idle: { map: Map<string, Origin>; key: string; origin: Origin }[] = [];
    for (const trust of ['operator', 'request'] as const) {
      const map = this.#origins[trust];
      for (const [key, origin] of map) {
        const isIdle = origin.size === (trust === 'request' ? origin.idle : 0);
        if (isIdle && !waiting.has(origin)) idle.push({ map, key, origin });
      }
    }
    idle.sort((a, b) => a.origin.lastUse - b.origin.lastUse);
    for (const { map, key, origin } of idle.slice(0, this.size - originLimit + 1)) {
      map.delete(key);
      origin.closeIdle();
    }
  }
}

/** A small body is a text of one character per byte, which is written together with the head. */
function contentOf(body: BufferedBody): string | Buffer {
  if (body.oneByte !== undefined && body.oneByte.length <= oneWrite) return body.oneByte;
  const bytes = body.bytes();
  return bytes.length <= oneWrite ? bytes.toString('latin1') : bytes;
}
