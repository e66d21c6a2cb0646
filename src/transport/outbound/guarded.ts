import type { AttemptState } from './exchange/upstream-body.ts';
import type { ResponseReceiver, ResponseControl } from '../wire/request.ts';

/** A receiver that accepts reports of errors thrown by its own callbacks. */
export interface CrashAwareReceiver extends ResponseReceiver {
  /** Ends only this request, because processing its response threw an error. */
  crashed(thrown: unknown): void;
}

/** The guarded receiver reports when its result is no longer needed. */
type GuardedTarget = CrashAwareReceiver & { readonly state: AttemptState };

/**
 * Catches errors between the connection and the receiver of a response. Sockets and timers call these functions, where an
 * uncaught error would end the process or count as a broken connection.
 */
export class Guarded implements CrashAwareReceiver {
  readonly #target: GuardedTarget;

  constructor(to: GuardedTarget) {
    this.#target = to;
  }

  get isOver(): boolean {
    return this.#target.state === 'over';
  }

  crashed(thrown: unknown): void {
    this.#target.crashed(thrown);
  }

  connected(source: ResponseControl): void {
    try {
      this.#target.connected(source);
    } catch (thrown) {
      this.#target.crashed(thrown);
    }
  }

  sent(): void {
    try {
      this.#target.sent();
    } catch (thrown) {
      this.#target.crashed(thrown);
    }
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    try {
      this.#target.head(status, headers);
    } catch (thrown) {
      this.#target.crashed(thrown);
    }
  }

  data(chunk: Buffer): void {
    try {
      this.#target.data(chunk);
    } catch (thrown) {
      this.#target.crashed(thrown);
    }
  }

  finished(): void {
    try {
      this.#target.finished();
    } catch (thrown) {
      this.#target.crashed(thrown);
    }
  }

  failed(error: Error, isUnread?: boolean): void {
    try {
      this.#target.failed(error, isUnread);
    } catch (thrown) {
      this.#target.crashed(thrown);
    }
  }
}
