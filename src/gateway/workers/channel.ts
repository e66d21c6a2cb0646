import type { SendHandle } from 'node:child_process';
import { timeoutAfterReads } from '../../core/async/timeout-after-reads.ts';
import { errorMessage } from '../../core/error.ts';

/** A message between two processes. A message with an `id` expects an answer. */
type Message =
  | { readonly name: string; readonly value: unknown; readonly id?: number }
  | { readonly answer: number; readonly value?: unknown; readonly failure?: string };

/** Handlers by message name. The return value is the answer. */
export type Handlers = Readonly<Record<string, (value: never, handle: unknown) => unknown>>;

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** The other process ended, did not answer in time, or reported an error. */
export class ChannelFault extends Error {
  override readonly name = 'ChannelFault';
  /** True if the other process answered with an error. */
  readonly isReported: boolean;

  constructor(message: string, isAnswer: boolean) {
    super(message);
    this.isReported = isAnswer;
  }
}

/** Messages and calls between the supervisor and one of its workers, in both directions and in order. */
export class Channel {
  readonly #send: (message: Message, handle?: SendHandle) => boolean;
  readonly #handlers: Handlers;
  readonly #pending = new Map<number, PendingCall>();
  #last = 0;
  #isClosed = false;

  /** @param send returns false while its queue is long; never throws */
  constructor(send: (message: object, handle?: SendHandle) => boolean, handlers: Handlers) {
    this.#send = send;
    this.#handlers = handlers;
  }

  /** @returns false while the send queue is long */
  notify(name: string, value?: unknown, handle?: SendHandle): boolean {
    return this.#isClosed || this.#send({ name, value }, handle);
  }

  /**
   * @param limitMs undefined: waits until the other process ends
   * @param late receives an answer that arrives after the limit, because the other process has already handed over its
   * content
   * @throws ChannelFault
   */
  call(
    name: string,
    value: unknown,
    limitMs: number | undefined,
    { late }: { readonly late?: (value: unknown) => void } = {},
  ): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new ChannelFault('the process has ended', false));
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        const waiting = this.#settle(id);
        if (waiting === undefined) return;
        waiting.reject(new ChannelFault('the process did not respond in time', false));
        if (late !== undefined) this.#pending.set(id, { resolve: late, reject: () => {}, timer: undefined });
      };
      const timer = limitMs === undefined ? undefined : timeoutAfterReads(expire, limitMs);
      this.#pending.set(id, { resolve, reject, timer });
      this.#send({ name, value, id });
    });
  }

  /** Handles an incoming message. */
  async receive(raw: unknown, handle: unknown): Promise<void> {
    const message = raw as Message;
    if ('answer' in message) {
      const waiting = this.#settle(message.answer);
      if (message.failure === undefined) waiting?.resolve(message.value);
      else waiting?.reject(new ChannelFault(message.failure, true));
      return;
    }
    const { name, value, id } = message;
    try {
      const answer = this.#handlers[name]?.(value as never, handle);
      if (id !== undefined) this.#reply({ answer: id, value: answer instanceof Promise ? await answer : answer });
      else if (answer instanceof Promise) await answer;
    } catch (error) {
      if (id === undefined) throw error;
      this.#reply({ answer: id, failure: errorMessage(error) });
    }
  }

  /** Rejects all waiting calls: the other process has ended. */
  close(why: string): void {
    this.#isClosed = true;
    for (const id of this.#pending.keys()) this.#settle(id)?.reject(new ChannelFault(why, false));
  }

  #reply(message: Message): void {
    if (!this.#isClosed) this.#send(message);
  }

  #settle(id: number): PendingCall | undefined {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}
