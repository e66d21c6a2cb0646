import { timeoutAfterReads } from '../../../core/async/timeout-after-reads.ts';
import { GatewayError } from '../../../core/error.ts';
import { QueryTimeoutError } from '../query-timeout-error.ts';
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
   * are sent to another peer.
   */
  readonly isPure?: boolean;
  /** Milliseconds that a pure call waits for the calls before it. Undefined: no limit. */
  readonly maxWaitMs?: number;
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
  /** Of its limit, or while a pure call waits, of its wait. */
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
      peer.keepProcessAlive(true);
      if (this.#options.isPure !== true) {
        this.#startTimer(pending);
        peer.post(pending.call, transfer);
      } else if (this.#pending.size === 1) this.#sendNext();
      else this.#limitWait(pending);
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
        this.#sendNext();
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

  /** Sends the next pure call. The peer gets one at a time, so that the others can stop waiting. */
  #sendNext(): void {
    const [next] = this.#pending.values();
    if (next === undefined) return;
    clearTimeout(next.timer);
    next.timer = undefined;
    const peer = this.start();
    peer.keepProcessAlive(true);
    peer.post(next.call, []);
    this.#startFirstTimer();
  }

  #limitWait(pending: PendingCall): void {
    const { maxWaitMs } = this.#options;
    if (maxWaitMs === undefined) return;
    pending.timer = setTimeout(() => {
      // A busy machine may take long to start the peer.
      if (!this.#isReady) return this.#limitWait(pending);
      this.#pending.delete(pending.call.id);
      pending.reject(waitError(maxWaitMs));
    }, maxWaitMs);
  }

  #startFirstTimer(): void {
    const first = this.#pending.values().next().value;
    if (this.#isReady && first !== undefined) this.#startTimer(first);
  }

  #startTimer(pending: PendingCall): void {
    const { timeoutError = (ms: number) => new QueryTimeoutError(ms) } = this.#options;
    const { limitMs, call } = pending;
    const expire = (): void => {
      if (this.#pending.get(call.id) === pending) this.#failPeer(timeoutError(limitMs));
    };
    pending.timer ??= timeoutAfterReads(expire, limitMs);
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
    else if (this.#options.isPure === true) this.#sendNext();
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
    this.#sendNext();
  }

  /** @returns a promise that resolves when the peer has ended */
  #endPeer(): Promise<void> | undefined {
    const peer = this.#peer;
    this.#peer = undefined;
    this.#isReady = false;
    clearTimeout(this.#idle);
    return peer?.end();
  }

  #rejectAll(why: Error): void {
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(why);
    }
    this.#pending.clear();
  }
}

function waitError(limitMs: number): GatewayError {
  return new GatewayError('log_unavailable', {
    message: `The request log did not start this query within ${limitMs / 1000} s, because earlier queries take long.`,
    hint: 'Check whether its database is slow or locked, and try again.',
  });
}

function unavailableError(message: string, cause?: Error): GatewayError {
  return new GatewayError('log_unavailable', { message, cause });
}
