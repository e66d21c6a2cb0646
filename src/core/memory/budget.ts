import { GatewayError } from '../error.ts';
import { formatSize } from '../text/units.ts';

/** All bytes that are held in memory for requests, against one limit. */
export class Budget {
  /** Bytes. */
  limit: number;
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Counts more bytes. False where that many do not fit any more: nothing is counted then. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.limit) return false;
    this.#used += bytes;
    return true;
  }

  /** Counts bytes that are there already, whether they fit or not. */
  add(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }

  /** What a request is answered that needs more than there is. */
  exceeded(): GatewayError {
    return new GatewayError('overloaded', {
      message: `The memory for requests is full: the limit is ${formatSize(this.limit)}.`,
      hint: 'Send the request again in a moment. Setting: server.memory',
    });
  }
}

/** What one holder has of a budget; it gives back what it took, however it ends. */
export class Hold {
  readonly budget: Budget;
  #bytes = 0;
  #isClosed = false;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /** After `close` nothing is taken any more: nobody would give it back. @throws GatewayError `overloaded` */
  take(bytes: number): void {
    if (this.#isClosed || !this.budget.take(bytes)) throw this.budget.exceeded();
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
    this.budget.give(bytes);
  }

  /** Holds exactly so many bytes from now on. @throws GatewayError `overloaded` */
  set(bytes: number): void {
    if (bytes > this.#bytes) this.take(bytes - this.#bytes);
    else if (bytes < this.#bytes) this.give(this.#bytes - bytes);
  }

  /** Gives everything back, for good. May be called more than once. */
  close(): void {
    this.#isClosed = true;
    this.give(this.#bytes);
  }
}
