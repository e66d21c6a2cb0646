import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import type { HeaderBag, HeaderPairs } from '../../../core/http/headers.ts';
import type { PassRequest, PassResult } from '../../../core/pass.ts';
import { Redactor } from '../../../core/secrets/redactor.ts';
import { isFinalStatus } from '../../../core/http/status.ts';
import type { Sweeper, Swept } from '../exchange/sweeper.ts';
import { EarlyBytes } from './early.ts';
import { brokeOff, notConnected, notReached, unknownStatus, wentSilent } from './faults.ts';
import { abnormalClose, closeFrame, FrameCounter } from './frames.ts';
import { answerHeaders, headerOf, overlay, relayHeaders, relaySubprotocols, toObject } from './headers.ts';
import { readRefusal } from './refusal.ts';
import { whenConnected } from './upstream-side.ts';

/** RFC 6455 7.4.1: an endpoint goes away. */
const goingAway = 1001;

export interface SocketParts {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly bag: HeaderBag;
  readonly pass: PassRequest;
  readonly sweeper: Sweeper;
  monotonic(): number;
  /** Gives the upgrade to the proxy library with this complete set of headers; returns the request it made. */
  forward(parts: SocketParts, headers: HeaderPairs): ClientRequest;
}

/**
 * One relayed WebSocket. The library joins the two sockets, so frames pass as they are; we look at them from the side.
 * Until the provider has agreed the client's socket is untouched, and an error can still be answered on it.
 */
export class SocketTransfer implements Swept {
  place: number | undefined;
  readonly #parts: SocketParts;
  readonly #startedAt: number;
  readonly #offered: readonly string[];
  readonly #fromClient = new FrameCounter();
  readonly #fromProvider = new FrameCounter();
  #settle: ((result: PassResult | Promise<PassResult>) => void) | undefined;
  #out: ClientRequest | undefined;
  readonly #redactor: Redactor | undefined;
  #early: EarlyBytes | undefined;
  #upstream: Duplex | undefined;
  #connectedAt: number | undefined;
  #firstAt: number | undefined;
  #movedAt: number;
  #status: number | undefined;
  #bytesIn = 0;
  #bytesOut = 0;
  #ending: { readonly kind: PassResult['kind']; readonly error: GatewayError | undefined } | undefined;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#startedAt = parts.monotonic();
    const { secrets } = parts.pass;
    this.#redactor = secrets === undefined ? undefined : new Redactor(secrets, parts.pass);
    this.#movedAt = this.#startedAt;
    this.#offered = relaySubprotocols(parts.req.headers['sec-websocket-protocol']);
  }

  run(): Promise<PassResult> {
    const { req, socket, sweeper, pass, bag } = this.#parts;
    return new Promise((resolve) => {
      this.#settle = resolve;
      if (socket.destroyed) {
        this.#finish('client_gone');
      } else if (req.method !== 'GET' || req.headers.upgrade?.toLowerCase() !== 'websocket') {
        this.#finish(
          'refused',
          new GatewayError('invalid_header', { message: 'The request is not a WebSocket upgrade.', param: 'upgrade' }),
        );
      } else {
        socket.on('close', this.#onClientClose).on('error', noop);
        sweeper.add(this);
        const headers = overlay(relayHeaders(bag.entries(), bag, pass.withheld), pass.headers);
        this.#send(headers.concat(this.#handshake()));
      }
    });
  }

  /** The client has the provider's agreement: its socket speaks WebSocket from here on. */
  get isJoined(): boolean {
    return this.#upstream !== undefined;
  }

  /** Ends it from our side: both get a close frame where one may stand. */
  stop(error: GatewayError): void {
    this.#close('interrupted', error);
  }

  /** A defect on its way: the end of this one. */
  crashed(thrown: unknown): void {
    const error = fromUnknown(thrown);
    if (this.#upstream === undefined) this.#finish('refused', error);
    else {
      this.#ending ??= { kind: 'interrupted', error };
      this.#cut();
    }
  }

  #send(headers: HeaderPairs): void {
    try {
      this.#follow(this.#parts.forward(this.#parts, headers));
      this.#early = new EarlyBytes(this.#parts.socket, this.#onClientClose);
    } catch (thrown) {
      this.#finish('refused', fromUnknown(thrown));
    }
  }

  /** The headers of the upgrade itself; the key is the client's own, so the provider's answer to it fits. */
  #handshake(): HeaderPairs {
    const { headers } = this.#parts.req;
    const out: HeaderPairs = ['connection', 'Upgrade', 'upgrade', 'websocket'];
    for (const name of ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions'] as const) {
      const value = headers[name];
      if (typeof value === 'string') out.push(name, value);
    }
    if (this.#offered.length > 0) out.push('sec-websocket-protocol', this.#offered.join(', '));
    return out;
  }

  /**
   * The library writes a refused upgrade, and nothing at all for an error, straight to the socket and closes it. Ours
   * must be an error in the client's shape behind a record, so its two listeners are replaced on this one request.
   */
  #follow(out: ClientRequest): void {
    this.#out = out;
    const join = out.listeners('upgrade')[0];
    out.removeAllListeners('upgrade').removeAllListeners('response').removeAllListeners('error');
    out.on('socket', (socket: Socket) => whenConnected(socket, this.#onConnected));
    out.on('error', (error) => this.#onFailure(error));
    out.on('response', (answer) => this.#onRefused(answer));
    out.on('upgrade', (answer: IncomingMessage, upstream: Duplex, head: Buffer) => {
      upstream.on('error', noop);
      try {
        if (!this.#agree(answer, upstream) || join === undefined) upstream.destroy();
        else Reflect.apply(join, out, [answer, upstream, head]);
        this.#watch(upstream);
      } catch (thrown) {
        upstream.destroy();
        this.crashed(thrown);
      }
    });
  }

  readonly #onConnected = (): void => {
    this.#connectedAt = this.#parts.monotonic();
    this.#movedAt = this.#connectedAt;
  };

  /** An error before the upgrade; afterwards the closing of the sockets tells everything. */
  #onFailure(error: Error): void {
    if (this.#upstream !== undefined) return;
    if (error instanceof GatewayError) this.#finish('refused', error);
    else this.#finish('unreachable', notReached(error, this.#parts.pass.address.origin));
  }

  #onRefused(answer: IncomingMessage): void {
    this.#status = answer.statusCode;
    this.#firstAt = this.#parts.monotonic();
    this.#movedAt = this.#firstAt;
    if (isFinalStatus(answer.statusCode ?? 0)) {
      readRefusal(answer, this.#redactor)
        .then((error) => this.#finish('refused', error))
        .catch((thrown: unknown) => this.crashed(thrown));
    } else this.#finish('interrupted', unknownStatus(answer.statusCode));
  }

  // ---- joined -----------------------------------------------------------------------------------

  /** The provider agreed: its head is made ours before the library writes it. False when it can't be passed on. */
  #agree(answer: IncomingMessage, upstream: Duplex): boolean {
    const { pass, bag, monotonic } = this.#parts;
    if (this.#settle === undefined) return false;
    this.#status = answer.statusCode;
    this.#firstAt = monotonic();
    let ours: HeaderPairs | GatewayError;
    try {
      ours = pass.onHead(101, []);
    } catch (thrown) {
      ours = fromUnknown(thrown);
    }
    if (ours instanceof GatewayError) {
      this.#finish('refused', ours);
      return false;
    }
    this.#upstream = upstream;
    this.#early?.giveBack();
    const all = answerHeaders(answer.rawHeaders, bag);
    const passed = this.#redactor === undefined ? all : this.#redactor.pairs(all);
    this.#hideIn(upstream);
    const head = overlay(passed, ['connection', 'Upgrade', 'upgrade', 'websocket', ...ours]);
    answer.headers = toObject(this.#withProtocol(head)) as IncomingMessage['headers'];
    return true;
  }

  /** Only what was sent on may be chosen. A browser that offered a key beside `realtime` must see one of them chosen. */
  #withProtocol(head: HeaderPairs): HeaderPairs {
    const chosen = headerOf(head, 'sec-websocket-protocol');
    if (chosen !== undefined) return this.#offered.includes(chosen) ? head : without(head, 'sec-websocket-protocol');
    return this.#offered.includes('realtime') ? [...head, 'sec-websocket-protocol', 'realtime'] : head;
  }

  /**
   * Frames pass as they come, so the credential is overwritten in their bytes before the library's pipe has them. That
   * fits in uncompressed frames; what a compressed one says, nobody looks at.
   */
  #hideIn(upstream: Duplex): void {
    const redactor = this.#redactor;
    if (redactor === undefined) return;
    upstream.on('data', (chunk: Buffer) => redactor.passing(chunk));
    // Whoever listens starts the flow; the library's pipe is to do that.
    upstream.pause();
  }

  /** Behind the library's pipes, so that neither sees less than the other. */
  #watch(upstream: Duplex): void {
    if (this.#upstream === undefined) return;
    const { socket, monotonic } = this.#parts;
    socket.on('data', (chunk: Buffer) => {
      this.#movedAt = monotonic();
      this.#bytesIn += chunk.length;
      this.#fromClient.push(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      this.#movedAt = monotonic();
      this.#bytesOut += chunk.length;
      this.#fromProvider.push(chunk);
    });
    upstream.on('close', this.#onProviderClose);
    this.#movedAt = monotonic();
    if (socket.destroyed) this.#onClientClose();
  }

  /** What is written already still goes out, then the other side is closed too: no half of a pair stays behind. */
  readonly #onClientClose = (): void => {
    if (this.#upstream === undefined) {
      this.#finish('client_gone');
      return;
    }
    this.#ending ??= this.#isClosed() ? whole : { kind: 'client_gone', error: undefined };
    endSoon(this.#upstream);
    if (this.#upstream.destroyed) this.#finish(this.#ending.kind, this.#ending.error);
  };

  readonly #onProviderClose = (): void => {
    const { socket } = this.#parts;
    this.#ending ??= this.#isClosed() ? whole : { kind: 'interrupted', error: brokeOff() };
    endSoon(socket);
    if (socket.destroyed) this.#finish(this.#ending.kind, this.#ending.error);
  };

  #isClosed(): boolean {
    return this.#fromClient.closeCode !== abnormalClose || this.#fromProvider.closeCode !== abnormalClose;
  }

  // ---- clocks and the end -----------------------------------------------------------------------

  sweep(now: number): void {
    const { clocks, address } = this.#parts.pass;
    if (this.#connectedAt === undefined) {
      if (now - this.#startedAt > clocks.connect) this.#finish('timeout', notConnected(clocks.connect, address.origin));
    } else if (now - this.#movedAt > clocks.idle) {
      if (this.#ending === undefined) this.#close('timeout', wentSilent('provider', clocks.idle, this.#upstream !== undefined));
      else this.#cut();
    }
  }

  #close(kind: PassResult['kind'], error: GatewayError): void {
    const upstream = this.#upstream;
    if (upstream === undefined) {
      this.#finish(kind === 'interrupted' ? 'unreachable' : kind, error);
      return;
    }
    this.#ending ??= { kind, error };
    this.#movedAt = this.#parts.monotonic();
    const { socket } = this.#parts;
    if (this.#fromProvider.isAtBoundary && socket.writable) socket.write(closeFrame(goingAway, false));
    if (this.#fromClient.isAtBoundary && upstream.writable) upstream.write(closeFrame(goingAway, true));
    endSoon(socket);
    endSoon(upstream);
  }

  /** A side that does not take its last bytes. */
  #cut(): void {
    this.#parts.socket.destroy();
    this.#upstream?.destroy();
  }

  #finish(kind: PassResult['kind'], error?: GatewayError): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    const { socket, sweeper, pass } = this.#parts;
    sweeper.delete(this);
    socket.off('close', this.#onClientClose);
    if (this.#upstream === undefined) {
      this.#out?.destroy();
      this.#early?.giveBack();
    }
    const result = { ...this.#facts(), kind, error };
    settle(this.#upstream === undefined ? result : pass.onEnd(result).then(() => result));
  }

  #facts(): Omit<PassResult, 'kind' | 'error'> {
    const since = (at: number | undefined): number | undefined => (at === undefined ? undefined : at - this.#startedAt);
    const isJoined = this.#upstream !== undefined;
    return {
      status: this.#status,
      headSent: isJoined,
      bodySent: isJoined,
      bytesIn: this.#bytesIn,
      bytesOut: this.#bytesOut,
      close: isJoined ? { client: this.#fromClient.closeCode, provider: this.#fromProvider.closeCode } : undefined,
      frames: isJoined ? { in: this.#fromClient.frames, out: this.#fromProvider.frames } : undefined,
      connectMs: since(this.#connectedAt),
      firstByteMs: since(this.#firstAt),
    };
  }
}

const whole = { kind: 'whole', error: undefined } as const;
const noop = (): void => {};

function without(pairs: HeaderPairs, name: string): HeaderPairs {
  return pairs.filter((_, i) => pairs[i - (i % 2)] !== name);
}

/** Writes what is waiting, then closes both directions; `destroySoon` is what net and TLS sockets have for it. */
function endSoon(socket: Duplex): void {
  if ('destroySoon' in socket && typeof socket.destroySoon === 'function') socket.destroySoon();
  else socket.end(() => socket.destroy());
}
