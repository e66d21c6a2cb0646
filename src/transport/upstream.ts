import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { UpstreamRequest } from '../core/provider.ts';
import { type PoolOptions, Pools, type Route } from './pools.ts';

/** What the wire tells about one request. Exactly one of `finished` and `failed` ends it. */
export interface Receiver {
  /** A connection is there and the request is being written. */
  connected(source: Source): void;
  /** The request is written whole. */
  sent(): void;
  head(status: number, headers: Readonly<Record<string, string>>): void;
  data(chunk: Buffer): void;
  finished(): void;
  failed(error: Error): void;
}

/** The sending end of an answer. */
export interface Source {
  pause(): void;
  resume(): void;
  abort(): void;
}

/** A request as it goes on the wire; a body of another kind than JSON is bytes all the same. */
export type WireRequest = Pick<UpstreamRequest, 'origin' | 'path' | 'method' | 'headers'> & {
  readonly body: WireBody;
};

export type WireBody =
  | { readonly kind: 'none' }
  /** Held: may be written again where a kept connection turns out to be dead. */
  | { readonly kind: 'json' | 'form'; bytes(): Buffer }
  | WireStream;

/** A body that is made while it is sent: a new pass each time it is iterated. */
export interface WireStream extends AsyncIterable<Uint8Array> {
  readonly kind: 'stream';
  /** It may be iterated more than once. */
  readonly isRepeatable: boolean;
}

export interface Upstream {
  send(request: WireRequest, route: Route, receiver: Receiver): void;
  close(): Promise<void>;
}

/** After a provider's restart every kept connection may be dead: so many of them are tried in a row. */
const staleLimit = 8;

/** Codes of a connection that is gone, as against an answer that can't be read. */
const closed: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Why an attempt was aborted from this side; never shown. */
class Aborted extends Error {}

/**
 * Connection pools by origin on undici's `dispatch` with a handler: no stream object and no promise for a request.
 * The pools are unlimited on purpose: a connection limit is a silent queue; the bound is `server.max_in_flight`.
 */
export function createUpstream(options: PoolOptions): Upstream {
  const pools = new Pools(options);
  const used = new WeakSet<object>();
  const state: { writing: Handler | undefined } = { writing: undefined };

  // Tells a reused connection from a fresh one: this channel fires in the same tick as onRequestStart.
  const onSendHeaders = (message: unknown): void => {
    const { socket } = message as { socket: object };
    if (state.writing !== undefined) state.writing.reused = used.has(socket);
    state.writing = undefined;
    used.add(socket);
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
      if (isOnce) {
        pool.dispatch(dispatch, new Handler(receiver, state, undefined, () => pools.drop(pool)));
        return;
      }
      let repeats = 0;
      const go = (): void => {
        const mayRepeat = repeats < staleLimit;
        repeats += 1;
        pool.dispatch(dispatch, new Handler(receiver, state, mayRepeat ? go : undefined));
      };
      go();
    },
    async close() {
      unsubscribe('undici:client:sendHeaders', onSendHeaders);
      await pools.destroy();
    },
  };
}

function bodyOf(body: WireBody): Buffer | Readable | null {
  if (body.kind === 'none') return null;
  // Any iterable is written as it comes, with back-pressure; the library's types name only those that it has classes for.
  return body.kind === 'stream' ? (body as unknown as Readable) : body.bytes();
}

class Handler implements Dispatcher.DispatchHandler {
  readonly #receiver: Receiver;
  readonly #state: { writing: Handler | undefined };
  readonly #again: (() => void) | undefined;
  readonly #over: (() => void) | undefined;
  reused = false;
  #answered = false;
  #ended = false;

  /** @param again sends the request once more; @param over is told of the end */
  constructor(receiver: Receiver, state: { writing: Handler | undefined }, again: (() => void) | undefined, over?: () => void) {
    this.#receiver = receiver;
    this.#state = state;
    this.#again = again;
    this.#over = over;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#state.writing = this;
    this.#receiver.connected({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      // An error is dear, and after the end nothing is left to abort.
      abort: () => {
        if (!this.#ended) controller.abort(new Aborted('aborted'));
      },
    });
  }

  onRequestSent(): void {
    this.#receiver.sent();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    // Informational: the answer is still to come. Below 100 there is no such class.
    if (status >= 100 && status < 200) return;
    this.#answered = true;
    for (const name in headers) {
      const value = headers[name];
      if (Array.isArray(value)) headers[name] = value.join(', ');
    }
    this.#receiver.head(status, headers as Record<string, string>);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#receiver.data(chunk);
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#over?.();
    this.#receiver.finished();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A kept-alive connection that the other side had already closed: once more, on another one.
    const isStale = this.reused && !this.#answered && 'code' in error && closed.has(error.code);
    if (isStale && this.#again !== undefined) {
      this.#again();
      return;
    }
    this.#over?.();
    this.#receiver.failed(error);
  }
}
