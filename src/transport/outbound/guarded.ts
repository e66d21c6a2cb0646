import type { State } from './exchange/answer.ts';
import type { Receiver, Source } from './upstream.ts';

/** A receiver that accepts reports of errors thrown by its own callbacks. */
export interface Crashable extends Receiver {
  /** Ends only this request, because processing its response threw an error. */
  crashed(thrown: unknown): void;
}

/** The guarded receiver reports when its result is no longer needed. */
type Attempt = Crashable & { readonly state: State };

/**
 * Catches errors between the connection and the receiver of a response. Sockets and timers call these functions, where an
 * uncaught error would end the process or count as a broken connection.
 */
export class Guarded implements Crashable {
  readonly #to: Attempt;

  constructor(to: Attempt) {
    this.#to = to;
  }

  get isOver(): boolean {
    return this.#to.state === 'over';
  }

  crashed(thrown: unknown): void {
    this.#to.crashed(thrown);
  }

  connected(source: Source): void {
    try {
      this.#to.connected(source);
    } catch (thrown) {
      this.#to.crashed(thrown);
    }
  }

  sent(): void {
    try {
      this.#to.sent();
    } catch (thrown) {
      this.#to.crashed(thrown);
    }
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    try {
      this.#to.head(status, headers);
    } catch (thrown) {
      this.#to.crashed(thrown);
    }
  }

  data(chunk: Buffer): void {
    try {
      this.#to.data(chunk);
    } catch (thrown) {
      this.#to.crashed(thrown);
    }
  }

  finished(): void {
    try {
      this.#to.finished();
    } catch (thrown) {
      this.#to.crashed(thrown);
    }
  }

  failed(error: Error, isUnread?: boolean): void {
    try {
      this.#to.failed(error, isUnread);
    } catch (thrown) {
      this.#to.crashed(thrown);
    }
  }
}
