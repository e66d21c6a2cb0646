import { GatewayError } from '../../../core/error.ts';
import { type RpcCall, type RpcReply, restoreError, type ProblemReport } from './protocol.ts';
import type { Peer, PeerEvents } from './peer.ts';

export interface RpcClientOptions {
  /** Starts the thread or the process that handles the calls (`startThread`, `startProcess`). */
  start(events: PeerEvents): Peer;
  /** Maximum pending calls. Further calls are rejected. */
  readonly maxPending: number;
  /** Milliseconds allowed for a call, from when it was made; for pure calls, from when it is next and the peer is ready. */
  readonly limitMs: number;
  /**
   * Calls change nothing. If one takes too long or the peer dies during it, only that call fails, and the calls after it
   * are repeated with another peer.
   */
  readonly isPure?: boolean;
  /** The error of a call that took too long. Undefined: that of a query to the request log. */
  timeoutError?(limitMs: number): Error;
  /** Milliseconds without calls after which the peer is ended. Undefined: it is kept. */
  readonly idleMs?: number;
  /** Called with the current problems whenever they change. */
  onProblems?(problems: readonly string[]): void;
  /** Called when the peer died, or was ended because a call took too long. */
  onPeerFailure?(why: Error): void;
  /** Called when the peer could not be started. `start` is called again at once, and must return a peer of another kind. */
  onStartFailure?(why: Error): void;
}

/** Call numbers have 32 bits in a pipe. */
const maxId = 0xffff_ffff;

interface PendingCall {
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
  readonly #pending = new Map<number, PendingCall>();
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
  get pending(): number {
    return this.#pending.size;
  }

  /**
   * @param transfer memory whose ownership is transferred
   * @throws GatewayError `log_unavailable`; the handler's error
   */
  call(name: string, argument: unknown, { limitMs = this.#options.limitMs, transfer = [] as ArrayBuffer[] } = {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(unavailableError('The gateway is shutting down.'));
    if (this.#pending.size >= this.#options.maxPending)
      return Promise.reject(unavailableError('Too many queries to the request log are waiting.'));
    clearTimeout(this.#idle);
    const peer = this.start();
    this.#lastId = (this.#lastId % maxId) + 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const pending: PendingCall = { resolve, reject, call: { id, name, argument }, limitMs, timer: undefined };
      this.#pending.set(id, pending);
      if (this.#options.isPure !== true) this.#startTimer(pending);
      else if (this.#pending.size === 1) this.#startFirstTimer();
      peer.keepProcessAlive(true);
      peer.post(pending.call, transfer);
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
      onReady: ifCurrent(() => {
        this.#isReady = true;
        this.#startFirstTimer();
      }),
      onMessage: ifCurrent((reply) => this.#receive(reply)),
      onExit: ifCurrent((why) => this.#failPeer(why, unavailableError('The request log failed on this query.', why))),
      onStartFailure: ifCurrent((why) => {
        void this.#endPeer();
        this.#options.onStartFailure?.(why);
        this.#repeatPending();
      }),
    });
    this.#peer = peer;
    return peer;
  }

  /** Ends the peer. The next call starts another one. */
  stop(): void {
    this.#replacePeer(unavailableError('The request log was opened again.'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const gone = this.#endPeer();
    this.#rejectAll(unavailableError('The gateway is shutting down.'));
    await gone;
  }

  #startFirstTimer(): void {
    const first = this.#pending.values().next().value;
    if (this.#isReady && first !== undefined) this.#startTimer(first);
  }

  #startTimer(pending: PendingCall): void {
    const { timeoutError = queryTimeoutError } = this.#options;
    pending.timer ??= setTimeout(() => this.#failPeer(timeoutError(pending.limitMs)), pending.limitMs);
  }

  /** @param callError the error for pending calls */
  #failPeer(why: Error, callError = why): void {
    this.#replacePeer(callError);
    this.#options.onPeerFailure?.(why);
  }

  #receive(reply: RpcReply | ProblemReport): void {
    if ('problems' in reply) {
      this.#options.onProblems?.(reply.problems);
      return;
    }
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    clearTimeout(pending.timer);
    if (this.#pending.size === 0) this.#becomeIdle();
    else this.#startFirstTimer();
    if ('error' in reply) pending.reject(restoreError(reply.error));
    else pending.resolve(reply.value);
  }

  #becomeIdle(): void {
    this.#peer?.keepProcessAlive(false);
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#idle = setTimeout(() => this.stop(), idleMs).unref();
  }

  #replacePeer(why: Error): void {
    void this.#endPeer();
    if (this.#options.isPure !== true) {
      this.#rejectAll(why);
      return;
    }
    const [first] = this.#pending.values();
    if (first === undefined) return;
    this.#pending.delete(first.call.id);
    clearTimeout(first.timer);
    first.reject(why);
    this.#repeatPending();
  }

  /** @returns a promise that resolves when the peer has ended */
  #endPeer(): Promise<void> | undefined {
    const peer = this.#peer;
    this.#peer = undefined;
    this.#isReady = false;
    clearTimeout(this.#idle);
    return peer?.end();
  }

  /** Repeats the pending calls with another peer. */
  #repeatPending(): void {
    if (this.#pending.size === 0) return;
    const peer = this.start();
    peer.keepProcessAlive(true);
    for (const { call } of this.#pending.values()) peer.post(call, []);
  }

  #rejectAll(why: Error): void {
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(why);
    }
    this.#pending.clear();
  }
}

export function queryTimeoutError(limitMs: number): GatewayError {
  return new GatewayError('log_unavailable', {
    message: `The request log did not respond within ${limitMs / 1000} s.`,
    hint: 'Narrow the filter, for example with since:1h.',
  });
}

function unavailableError(message: string, cause?: Error): GatewayError {
  return new GatewayError('log_unavailable', { message, cause });
}
