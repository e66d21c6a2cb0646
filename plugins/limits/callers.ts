import { maxCallers } from '#core/limits/rates.ts';
import { BoundedCache } from '#core/memory/bounded-cache.ts';
import { CallerUse, type UseMessage } from './caller-use.ts';

/** Milliseconds until other processes are informed. */
const pauseMs = 5;

/** The callers of one process. */
export class Callers {
  readonly #uses = new BoundedCache<CallerUse>(maxCallers);
  readonly #send: (messages: readonly UseMessage[]) => void;
  #unsent: UseMessage[] = [];

  constructor(send: (messages: readonly UseMessage[]) => void) {
    this.#send = send;
  }

  of(id: string): CallerUse {
    const known = this.#uses.get(id);
    if (known !== undefined) return known;
    const made = new CallerUse(id, this.#queue);
    this.#uses.set(id, made, 1);
    return made;
  }

  receive(messages: readonly UseMessage[], now: number): void {
    for (const message of messages) this.of(message.id).receive(message, now);
  }

  *known(): Iterable<readonly UseMessage[]> {
    for (const use of this.#uses.values()) yield [use.known];
  }

  /** To send a message to other processes costs up to a third of the CPU time of a request: those of a few milliseconds are one. */
  readonly #queue = (message: UseMessage): void => {
    if (this.#unsent.push(message) === 1) setTimeout(this.#flush, pauseMs).unref();
  };

  readonly #flush = (): void => {
    const messages = this.#unsent;
    this.#unsent = [];
    this.#send(messages);
  };
}
