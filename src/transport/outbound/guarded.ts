import type { State } from './exchange/answer.ts';
import type { Receiver, Source } from './upstream.ts';

/** A receiver that can be told that one of its own steps threw. */
export interface Crashable extends Receiver {
  /** Ends this request, and no other: what is made of its answer has a defect. */
  crashed(thrown: unknown): void;
}

/** What is guarded knows when nobody waits for it any more. */
type Attempt = Crashable & { readonly state: State };

/**
 * The border between the wire and what reads answers. Sockets and timers call in here; a throw that went on would end the
 * process, or be taken for a broken connection.
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
