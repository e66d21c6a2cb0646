import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Trust } from '../../core/snapshot.ts';
import { wasClosedBefore } from './http1/connection.ts';
import { type ContinueSkipper, skipContinue } from './http1/skip-continue.ts';
import { OriginPool, type OriginPoolOptions } from './http1/origin-pool.ts';
import { ReadingTurns } from '../wire/reading-turns.ts';
import { closeAfterErrors } from '../wire/socket-errors.ts';
import { type PoolOptions, Pools, type Route } from './pools.ts';
import { readBeforeWriteErrors } from './read-first.ts';
import type { ResponseReceiver, WireBody, WireRequest } from '../wire/request.ts';
import { unsentBytes, type WritingSocket } from './unsent.ts';

export interface Upstream {
  send(request: WireRequest, route: Route, receiver: ResponseReceiver): void;
  /**
   * After a change of the egress rules: requests of this trust level use no connection that exists now. Idle ones are closed,
   * others after their response.
   */
  renew(trust: Trust): void;
  close(): Promise<void>;
}

/** Reason for an attempt that the gateway aborted. It is never shown. */
class Aborted extends Error {}

export interface UpstreamOptions extends OriginPoolOptions {
  /** `server.fast_path` of the active configuration; the default is true. */
  readonly fastPath?: (() => boolean) | undefined;
}

/** Plain requests are sent over the gateway's own connections. The library sends all others, or all if the fast path is off. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const undici = createUndiciUpstream(options);
  const origins = new OriginPool(options);
  return {
    send(request, route, receiver) {
      const isSentDirectly = options.fastPath?.() !== false && origins.send(request, route, receiver);
      if (!isSentDirectly) undici.send(request, route, receiver);
    },
    renew(trust) {
      origins.renew(trust);
      undici.renew(trust);
    },
    async close() {
      origins.close();
      await undici.close();
    },
  };
}

/**
 * Connection pools by origin on undici's `dispatch` with a handler: no stream object and no promise for a request.
 * The pools are unlimited on purpose: a connection limit is a silent queue; the bound is `server.max_in_flight`.
 */
function createUndiciUpstream(options: PoolOptions): Upstream {
  const pools = new Pools(options);
  const usedSockets = new WeakMap<object, ContinueSkipper>();
  const state: { writing: ResponseHandler | undefined } = { writing: undefined };

  // Distinguishes a reused connection from a new one: this channel fires in the same tick as onRequestStart.
  const onSendHeaders = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    const used = usedSockets.get(socket);
    const skipper = used ?? skipContinue(socket);
    if (used === undefined) {
      readBeforeWriteErrors(socket);
      closeAfterErrors(socket);
      usedSockets.set(socket, skipper);
    }
    skipper.begin();
    state.writing?.attachSocket(socket, used !== undefined);
    state.writing = undefined;
  };
  subscribe('undici:client:sendHeaders', onSendHeaders);

  return {
    send(request, route, receiver) {
      const isOnce = route.isOnce === true || (request.body.kind === 'stream' && !request.body.isRepeatable);
      const pool = isOnce ? pools.fresh(request.origin, route) : pools.for(request.origin, route);
      const body = bodyOf(request.body);
      const dispatch: Dispatcher.DispatchOptions = {
        path: request.path,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers,
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
      };
      pool.dispatch(dispatch, new ResponseHandler(receiver, state, isOnce ? () => pools.release(pool) : undefined));
    },
    renew: (trust) => pools.renew(trust),
    async close() {
      unsubscribe('undici:client:sendHeaders', onSendHeaders);
      await pools.destroy();
    },
  };
}

function bodyOf(body: WireBody): Buffer | Readable | null {
  if (body.kind === 'none') return null;
  // Any iterable is written with back-pressure, although the library's types name only some classes.
  return body.kind === 'stream' ? (body as unknown as Readable) : body.bytes();
}

/** The connection of a request, as far as the library does not handle it. */
interface LibrarySocket extends WritingSocket {
  readonly bytesRead: number;
  readonly writableLength: number;
  readonly errored: Error | null;
  destroy(): void;
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #receiver: ResponseReceiver;
  readonly #state: { writing: ResponseHandler | undefined };
  readonly #over: (() => void) | undefined;
  #socket: LibrarySocket | undefined;
  /** For a reused connection: the bytes it had read before, and when the request was written. */
  #readBefore = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #ended = false;
  #turns: ReadingTurns | undefined;

  /** @param over called at the end */
  constructor(receiver: ResponseReceiver, state: { writing: ResponseHandler | undefined }, over: (() => void) | undefined) {
    this.#receiver = receiver;
    this.#state = state;
    this.#over = over;
  }

  /** @param isReused the connection has served a request before, and may have been closed since */
  attachSocket(socket: LibrarySocket, isReused: boolean): void {
    this.#socket = socket;
    if (!isReused) return;
    this.#readBefore = socket.bytesRead;
    this.#writtenAt = performance.now();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#state.writing = this;
    const turns = new ReadingTurns(controller);
    this.#turns = turns;
    this.#receiver.connected({
      unsent: () => unsentBytes(this.#socket),
      pause: () => turns.pause(),
      resume: () => turns.resume(),
      // Creating an error is expensive, and after the end there is nothing to abort.
      abort: () => {
        if (!this.#ended) controller.abort(new Aborted('aborted'));
      },
    });
  }

  onRequestSent(): void {
    this.#receiver.sent();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    // Informational: the final response follows. Statuses below 100 are invalid.
    if (status >= 100 && status < 200) return;
    for (const name in headers) {
      const value = headers[name];
      if (Array.isArray(value)) headers[name] = value.join(', ');
    }
    this.#receiver.head(status, headers as Record<string, string>);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#turns?.count(chunk.length);
    this.#receiver.data(chunk);
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#turns?.end();
    this.#over?.();
    // For a body that ends with the connection, the library treats a reset as the end.
    const broken = this.#socket?.errored;
    // The provider responded before it read the whole request. The library would send the next one behind the rest.
    if ((this.#socket?.writableLength ?? 0) > 0) this.#socket?.destroy();
    if (broken) this.#receiver.failed(broken);
    else this.#receiver.finished();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#turns?.end();
    this.#over?.();
    this.#receiver.failed(error, this.#socket?.bytesRead === this.#readBefore && wasClosedBefore(this.#writtenAt, error));
  }
}
