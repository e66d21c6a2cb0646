import { GatewayError } from '../../../core/error.ts';
import { type RpcCall, type RpcReply, restored, type ProblemReport } from './protocol.ts';
import type { Peer, PeerEvents } from './peer.ts';

export interface RpcClientOptions {
  /** Starts the thread or the process that handles the calls (`startThread`, `startProcess`). */
  start(events: PeerEvents): Peer;
  /** Maximum pending calls. Further calls are rejected. */
  readonly most: number;
  /** Milliseconds allowed for a call, from when it was made; for pure calls, from when it is next and the peer is ready. */
  readonly limitMs: number;
  /**
   * Calls change nothing. If one takes too long or the peer dies during it, only that call fails, and the calls after it
   * are repeated with another peer.
   */
  readonly isPure?: boolean;
  /** Milliseconds without calls after which the peer is ended. Undefined: it is kept. */
  readonly idleMs?: number;
  /** Called with the current problems whenever they change. */
  onProblems?(problems: readonly string[]): void;
  /** Called when the peer died, or was ended because a call took too long. */
  onDeath?(why: Error): void;
  /** Called when the peer could not be started. `start` is called again at once, and must return a peer of another kind. */
  onUnstarted?(why: Error): void;
}

/** Call numbers have 32 bits in a pipe. */
const mostId = 0xffff_ffff;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly call: RpcCall;
  readonly limitMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Calls a thread or a process. It is started by the first call, and replaced if it dies or does not respond in time. It
 * keeps this process alive only while a call is pending.
 */
export class RpcClient {
  readonly #options: RpcClientOptions;
  readonly #waiting = new Map<number, Waiting>();
  #peer: Peer | undefined;
  #isReady = false;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: RpcClientOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#peer !== undefined;
  }

  /** Number of pending calls. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * @param transfer memory whose ownership is transferred
   * @throws GatewayError `log_unavailable`; the handler's error
   */
  call(name: string, argument: unknown, { limitMs = this.#options.limitMs, transfer = [] as ArrayBuffer[] } = {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(unavailable('The gateway is shutting down.'));
    if (this.#waiting.size >= this.#options.most) return Promise.reject(unavailable('Too many queries to the request log are waiting.'));
    clearTimeout(this.#idle);
    const peer = this.start();
    this.#lastId = (this.#lastId % mostId) + 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { resolve, reject, call: { id, name, argument }, limitMs, timer: undefined };
      this.#waiting.set(id, waiting);
      if (this.#options.isPure !== true) this.#arm(waiting);
      else if (this.#waiting.size === 1) this.#armFirst();
      peer.hold(true);
      peer.post(waiting.call, transfer);
    });
  }

  /** Returns the peer, starting one if needed. It handles the calls one after another, in order. */
  start(): Peer {
    if (this.#peer !== undefined) return this.#peer;
    // Ignore events of an earlier peer.
    const ifCurrent =
      <A extends unknown[]>(then: (...given: A) => void) =>
      (...given: A): void => {
        if (this.#peer === peer) then(...given);
      };
    const peer = this.#options.start({
      ready: ifCurrent(() => {
        this.#isReady = true;
        this.#armFirst();
      }),
      take: ifCurrent((reply) => this.#take(reply)),
      died: ifCurrent((why) => this.#died(why, unavailable('The request log failed on this query.', why))),
      unstarted: ifCurrent((why) => {
        void this.#leave();
        this.#options.onUnstarted?.(why);
        this.#again();
      }),
    });
    this.#peer = peer;
    return peer;
  }

  /** Ends the peer. The next call starts another one. */
  stop(): void {
    this.#drop(unavailable('The request log was opened again.'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const gone = this.#leave();
    this.#rejectAll(unavailable('The gateway is shutting down.'));
    await gone;
  }

  #armFirst(): void {
    const first = this.#waiting.values().next().value;
    if (this.#isReady && first !== undefined) this.#arm(first);
  }

  #arm(waiting: Waiting): void {
    waiting.timer ??= setTimeout(() => this.#died(tooSlow(waiting.limitMs)), waiting.limitMs);
  }

  /** @param callError the error for pending calls */
  #died(why: Error, callError = why): void {
    this.#drop(callError);
    this.#options.onDeath?.(why);
  }

  #take(reply: RpcReply | ProblemReport): void {
    if ('problems' in reply) {
      this.#options.onProblems?.(reply.problems);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    clearTimeout(waiting.timer);
    if (this.#waiting.size === 0) this.#rest();
    else this.#armFirst();
    if ('error' in reply) waiting.reject(restored(reply.error));
    else waiting.resolve(reply.value);
  }

  #rest(): void {
    this.#peer?.hold(false);
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#idle = setTimeout(() => this.stop(), idleMs).unref();
  }

  #drop(why: Error): void {
    void this.#leave();
    if (this.#options.isPure !== true) {
      this.#rejectAll(why);
      return;
    }
    const [first] = this.#waiting.values();
    if (first === undefined) return;
    this.#waiting.delete(first.call.id);
    clearTimeout(first.timer);
    first.reject(why);
    this.#again();
  }

  /** @returns a promise that resolves when the peer has ended */
  #leave(): Promise<void> | undefined {
    const peer = this.#peer;
    this.#peer = undefined;
    this.#isReady = false;
    clearTimeout(this.#idle);
    return peer?.end();
  }

  /** Repeats the pending calls with another peer. */
  #again(): void {
    if (this.#waiting.size === 0) return;
    const peer = this.start();
    peer.hold(true);
    for (const { call } of this.#waiting.values()) peer.post(call, []);
  }

  #rejectAll(why: Error): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(why);
    }
    this.#waiting.clear();
  }
}

export function tooSlow(limitMs: number): GatewayError {
  return new GatewayError('log_unavailable', {
    message: `The request log did not respond within ${limitMs / 1000} s.`,
    hint: 'Narrow the filter, for example with since:1h.',
  });
}

function unavailable(message: string, cause?: Error): GatewayError {
  return new GatewayError('log_unavailable', { message, cause });
}
