import { GatewayError } from '../error.ts';
import { formatSize } from '../text/units.ts';

/** Memory used by all requests, against one limit. */
export class MemoryBudget {
  /** Limit in bytes. */
  limit: number;
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Reserves bytes. Returns false and reserves nothing if they do not fit. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.limit) return false;
    this.#used += bytes;
    return true;
  }

  /** Counts bytes that are already in use, even beyond the limit. */
  add(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }

  /** Returns the error for a request that needs more than is available. */
  exceeded(): GatewayError {
    return new GatewayError('overloaded', {
      message: `The memory for requests is full: the limit is ${formatSize(this.limit)}.`,
      hint: 'Send the request again in a moment, or raise server.memory.',
    });
  }
}

/** The memory that one request has reserved from a budget. `close` returns all of it. */
export class MemoryReservation {
  readonly budget: MemoryBudget;
  #bytes = 0;
  #isClosed = false;

  constructor(budget: MemoryBudget) {
    this.budget = budget;
  }

  /** Reserves bytes; fails after `end` or `close`, because they would never be returned. @throws GatewayError `overloaded` */
  take(bytes: number): void {
    if (this.#isClosed || !this.budget.take(bytes)) throw this.budget.exceeded();
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
    this.budget.give(bytes);
  }

  /** Sets the number of reserved bytes. @throws GatewayError `overloaded` */
  set(bytes: number): void {
    if (bytes > this.#bytes) this.take(bytes - this.#bytes);
    else if (bytes < this.#bytes) this.give(this.#bytes - bytes);
  }

  /** The request is over: reserves nothing further. Reserved bytes count until `close`. */
  end(): void {
    this.#isClosed = true;
  }

  /** Returns all bytes for good. May be called more than once. */
  close(): void {
    this.#isClosed = true;
    this.give(this.#bytes);
  }
}
