import type { LogRecord } from '../../core/records/record.ts';

type Listener = (record: LogRecord) => void;

/** Listeners for finished requests: the terminal, the live tail, metrics. */
export class RecordListeners {
  #listeners: readonly Listener[] = [];
  readonly #onFault: (error: unknown) => void;

  /** @param onFault called with an error thrown by a listener; must not throw */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** @returns a function that removes the listener */
  add(listener: Listener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== listener);
    };
  }

  readonly notify = (record: LogRecord): void => {
    for (const listener of this.#listeners) {
      try {
        listener(record);
      } catch (error) {
        this.#onFault(error);
      }
    }
  };
}
