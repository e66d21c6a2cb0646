import { GatewayError } from '../../../core/error.ts';
import { type RpcCall, type RpcReply, restored, type ProblemReport } from './protocol.ts';
import type { Peer, PeerEvents } from './peer.ts';

export interface RpcClientOptions {
  /** Starts the thread or the process that is asked (`startThread`, `startProcess`). */
  start(events: PeerEvents): Peer;
  /** Calls that may wait; more are refused. */
  readonly most: number;
  /** Milliseconds that a call may take: from when it was made, or where calls are pure from when it is next and the peer is ready. */
  readonly limitMs: number;
  /**
   * Calls change nothing: where one takes too long or the peer dies with it, that one fails, and the ones behind it are made
   * again to another peer.
   */
  readonly isPure?: boolean;
  /** Milliseconds without calls after which the peer ends; absent: it stays. */
  readonly idleMs?: number;
  /** What is wrong now, whenever that changes. */
  onProblems?(problems: readonly string[]): void;
  /** The peer died by itself, or was ended because a call took too long. */
  onDeath?(why: Error): void;
  /** The peer could not be started: `start` is called again at once, and gives one of another kind. */
  onUnstarted?(why: Error): void;
}

/** Numbers of calls are 32 bits in a pipe. */
const mostId = 0xffff_ffff;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly call: RpcCall;
  readonly limitMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Asks a thread or a process: started by the first call, replaced when it dies or does not respond in time. It never keeps
 * this process alive but while a call waits.
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

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * @param transfer memory that is handed over
   * @throws GatewayError `log_unavailable`; what the handler threw
   */
  call(name: string, argument: unknown, { limitMs = this.#options.limitMs, transfer = [] as ArrayBuffer[] } = {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(unavailable('The gateway is shutting down.'));
    if (this.#waiting.size >= this.#options.most) return Promise.reject(unavailable('Too many questions to the request log wait.'));
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

  /** What is asked, and does one call after the other in the order in which they came. */
  start(): Peer {
    if (this.#peer !== undefined) return this.#peer;
    // Nothing of an earlier one is listened to.
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
      died: ifCurrent((why) => this.#died(why, unavailable('The request log failed on this question.', why))),
      unstarted: ifCurrent((why) => {
        void this.#leave();
        this.#options.onUnstarted?.(why);
        this.#again();
      }),
    });
    this.#peer = peer;
    return peer;
  }

  /** Ends what is asked; the next call starts another. */
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

  /** @param said to whoever waits */
  #died(why: Error, said = why): void {
    this.#drop(said);
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

  /** @returns when it is gone */
  #leave(): Promise<void> | undefined {
    const peer = this.#peer;
    this.#peer = undefined;
    this.#isReady = false;
    clearTimeout(this.#idle);
    return peer?.end();
  }

  /** Another one does what waits. */
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
