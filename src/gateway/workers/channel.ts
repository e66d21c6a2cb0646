import type { SendHandle } from 'node:child_process';

/** What is said by one process to the other. An `id` asks for an answer. */
type Message =
  | { readonly name: string; readonly value: unknown; readonly id?: number }
  | { readonly answer: number; readonly value?: unknown; readonly failure?: string };

/** What is done about what the other process says; what is returned is its answer. */
export type Handlers = Readonly<Record<string, (value: never, handle: unknown) => unknown>>;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** The other process ended, does not answer in time, or could not do it. */
export class ChannelFault extends Error {
  override readonly name = 'ChannelFault';
  /** The other process did answer. */
  readonly isAnswer: boolean;

  constructor(message: string, isAnswer: boolean) {
    super(message);
    this.isAnswer = isAnswer;
  }
}

/** Calls between the supervisor and one of its workers, in both directions and in the order in which they were made. */
export class Channel {
  readonly #send: (message: Message, handle?: SendHandle) => boolean;
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #isClosed = false;

  /** @param send false where much waits to be sent; never throws */
  constructor(send: (message: object, handle?: SendHandle) => boolean, handlers: Handlers) {
    this.#send = send;
    this.#handlers = handlers;
  }

  /** @returns false where much waits to be sent */
  tell(name: string, value?: unknown, handle?: SendHandle): boolean {
    return this.#isClosed || this.#send({ name, value }, handle);
  }

  /**
   * @param limitMs undefined: it ends with the other process
   * @param late takes an answer that comes after the limit: the other process has given away what is in it
   * @throws ChannelFault
   */
  call(
    name: string,
    value: unknown,
    limitMs: number | undefined,
    { handle, late }: { readonly handle?: SendHandle; readonly late?: (value: unknown) => void } = {},
  ): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new ChannelFault('the process has ended', false));
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      const tooLate = (): void => {
        this.#settle(id)?.reject(new ChannelFault('the process did not respond in time', false));
        if (late !== undefined) this.#waiting.set(id, { resolve: late, reject: () => {}, timer: undefined });
      };
      const timer = limitMs === undefined ? undefined : setTimeout(tooLate, limitMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ name, value, id }, handle);
    });
  }

  /** A message came. */
  async take(raw: unknown, handle: unknown): Promise<void> {
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
      this.#reply({ answer: id, failure: error instanceof Error ? error.message : String(error) });
    }
  }

  /** The other process is gone: nothing is answered any more. */
  close(why: string): void {
    this.#isClosed = true;
    for (const id of this.#waiting.keys()) this.#settle(id)?.reject(new ChannelFault(why, false));
  }

  #reply(message: Message): void {
    if (!this.#isClosed) this.#send(message);
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}
