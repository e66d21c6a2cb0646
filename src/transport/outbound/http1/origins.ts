import { isIP } from 'node:net';
import type { Trust } from '../../../core/snapshot.ts';
import { unbracket } from '../address.ts';
import { dialMsOf, type PoolOptions, type Route } from '../pools.ts';
import type { Receiver, WireRequest } from '../upstream.ts';
import { Dialer, type Endpoint } from './dial.ts';
import { WireFault } from '../../wire/fault.ts';
import type { Spoke, Wheel } from '../../wire/wheel.ts';
import { Origin, type OriginHost } from './origin.ts';
import { Outgoing } from './outgoing.ts';

/** Origins that are kept; more only while each has something to do, or the operator names more that are connected. */
const originLimit = 256;

/** Bytes: bodies up to this size leave in one piece with their head. */
const oneWrite = 64 * 1024;

export interface OriginsOptions extends PoolOptions {
  readonly wheel: Wheel;
}

/**
 * Sends plain requests over sockets of our own: methods and headers of every day, a body that is held. What is not plain
 * is refused here and left to the library. There is no limit on connections: it would be a silent queue, and the bound
 * is `server.max_in_flight`.
 */
export class Origins implements Spoke {
  readonly everyMs = 1000;
  readonly #wheel: Wheel;
  readonly #lookup: PoolOptions['lookup'];
  readonly #kept: Readonly<Record<Trust, Map<string, Origin>>> = { operator: new Map(), request: new Map() };
  readonly #host: OriginHost;
  /** Requests that leave over connections which waited. */
  #queue: Outgoing[] = [];
  /** Requests that wait for something. */
  #active = 0;
  #uses = 0;
  #isClosed = false;

  constructor({ lookup, wheel }: OriginsOptions) {
    this.#wheel = wheel;
    this.#lookup = lookup;
    const dialer = new Dialer();
    this.#host = {
      dial: (endpoint, options, events) => dialer.dial(endpoint, options, events),
      entered: () => this.#entered(),
      left: () => this.#left(),
    };
  }

  /** Origins that are kept. */
  get size(): number {
    return this.#kept.operator.size + this.#kept.request.size;
  }

  /** False for a request that is not plain: nothing was done about it. */
  send(request: WireRequest, route: Route, receiver: Receiver): boolean {
    const { body, method } = request;
    if (body.kind === 'stream') return false;
    const origin = this.#kept[route.trust].get(request.origin) ?? this.#open(request.origin, route.trust);
    if (origin === undefined) return false;
    const content = body.kind === 'none' ? '' : contentOf(body);
    const head = origin.heads.write(method, request.path, request.headers, content.length);
    if (head === undefined) return false;
    this.#uses += 1;
    origin.usedAt = this.#uses;
    const isOnce = route.isOnce === true;
    const ownsBody = typeof content !== 'string' && body.kind === 'json' && body.holdsBytes === false;
    const outgoing = new Outgoing(origin, receiver, { method, head, body: content, ownsBody, dialMs: dialMsOf(route.connectMs), isOnce });
    if (this.#isClosed) {
      receiver.failed(new WireFault('UPSTREAM_CLOSED', 'the gateway stops'));
      return true;
    }
    this.#host.entered();
    if (isOnce || origin.idle === 0) origin.send(outgoing, performance.now());
    else this.#soon(outgoing);
    return true;
  }

  /**
   * Connections that waited are used when this turn of the loop has read all its sockets: one that was closed, or on which
   * bytes came that nobody asked for, is then known for that.
   */
  #soon(outgoing: Outgoing): void {
    this.#queue.push(outgoing);
    if (this.#queue.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const queue = this.#queue;
    this.#queue = [];
    const now = performance.now();
    for (const outgoing of queue) {
      try {
        outgoing.origin.send(outgoing, now);
      } catch (thrown) {
        // The others leave all the same.
        this.#left();
        outgoing.receiver.failed(thrown as Error);
      }
    }
  }

  /** Ends everything at once. */
  close(): void {
    this.#isClosed = true;
    this.#wheel.delete(this);
    const error = new WireFault('UPSTREAM_CLOSED', 'the gateway stops');
    for (const outgoing of this.#queue.splice(0)) outgoing.receiver.failed(error);
    for (const origin of this.#all()) origin.close(error);
  }

  *#all(): Iterable<Origin> {
    yield* this.#kept.operator.values();
    yield* this.#kept.request.values();
  }

  /** Sockets alone don't keep the process alive, since most of them only wait: while a request is on its way, the wheel does. */
  #entered(): void {
    this.#active += 1;
    this.#wheel.add(this);
    if (this.#active === 1) this.#wheel.hold();
  }

  #left(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#wheel.letGo();
  }

  /** At the connections that wait, and those that are being made. */
  look(): boolean {
    const now = performance.now();
    let open = 0;
    for (const origin of this.#all()) {
      origin.sweep(now);
      open += origin.size;
    }
    return open > 0 || this.#active > 0;
  }

  #open(text: string, trust: Trust): Origin | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || (url.origin !== text && `${url.origin}/` !== text)) return undefined;
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
    if (this.size >= originLimit) this.#closeOldest();
    const origin = new Origin(endpointOf(url), url.host, this.#lookup(trust), this.#host);
    this.#kept[trust].set(text, origin);
    return origin;
  }

  /**
   * Makes room: closes those that were used longest ago and have nothing to do. One that the operator's own origin has
   * goes only when it has no connection left, so that many providers do not close each other's.
   */
  #closeOldest(): void {
    const waiting = new Set(this.#queue.map(({ origin }) => origin));
    const idle: { map: Map<string, Origin>; key: string; origin: Origin }[] = [];
    for (const trust of ['operator', 'request'] as const) {
      const map = this.#kept[trust];
      for (const [key, origin] of map) {
        const isIdle = origin.size === (trust === 'request' ? origin.idle : 0);
        if (isIdle && !waiting.has(origin)) idle.push({ map, key, origin });
      }
    }
    idle.sort((a, b) => a.origin.usedAt - b.origin.usedAt);
    for (const { map, key, origin } of idle.slice(0, this.size - originLimit + 1)) {
      map.delete(key);
      origin.closeIdle();
    }
  }
}

function endpointOf({ protocol, hostname, port }: URL): Endpoint {
  const isTls = protocol === 'https:';
  const host = unbracket(hostname);
  return { isTls, host, port: port === '' ? (isTls ? 443 : 80) : Number(port), serverName: isIP(host) === 0 ? host : undefined };
}

/** One character a byte where the body is small; such a text is written together with the head. */
function contentOf(body: { readonly oneByte?: string; bytes(): Buffer }): string | Buffer {
  if (body.oneByte !== undefined && body.oneByte.length <= oneWrite) return body.oneByte;
  const bytes = body.bytes();
  return bytes.length <= oneWrite ? bytes.toString('latin1') : bytes;
}
