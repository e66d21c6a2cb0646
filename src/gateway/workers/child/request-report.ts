import { Attempts } from '../../../admin/attempts.ts';
import type { LogRecord, PluginRecord } from '../../../core/records/record.ts';
import type { Beat } from '../messages.ts';

/** Requests whose times of plugins are told at most in one beat. */
const mostTimes = 64;
/** Records that are sent together at most; the others of that time are only counted. */
const mostRecords = 1000;
/** Milliseconds that records wait for others. */
const gatherMs = 100;

/** What a worker tells of the requests that it has finished. */
export class RequestReport {
  readonly #attempts = new Attempts();
  readonly #send: (records: readonly LogRecord[]) => boolean;
  #plugins: (readonly PluginRecord[])[] = [];
  #records: LogRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #finished = 0;
  #unsent = 0;
  #isBusy = false;
  /** Somebody wants the records. */
  isFollowed = false;

  /** @param send false where much waits to be sent */
  constructor(send: (records: readonly LogRecord[]) => boolean) {
    this.#send = send;
  }

  readonly add = (record: LogRecord): void => {
    this.#finished += 1;
    this.#attempts.add(record);
    if (this.#plugins.length < mostTimes) this.#plugins.push(record.plugins);
    if (!this.isFollowed || this.#isBusy || this.#records.length >= mostRecords) {
      this.#unsent += 1;
      this.#isBusy &&= this.isFollowed;
      if (!this.#isBusy) return;
    } else this.#records.push(record);
    this.#timer ??= setTimeout(() => this.flush(), gatherMs);
  };

  /** Sends the records that wait. Those that come while a slow reader has not taken them are counted. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const records = this.#records;
    this.#records = [];
    this.#isBusy = records.length > 0 && !this.#send(records);
  }

  /** What came since the last time. */
  take(): Pick<Beat, 'finished' | 'unsent' | 'attempts' | 'plugins'> {
    const taken = { finished: this.#finished, unsent: this.#unsent, attempts: this.#attempts.take(), plugins: this.#plugins };
    this.#finished = 0;
    this.#unsent = 0;
    this.#plugins = [];
    return taken;
  }
}
