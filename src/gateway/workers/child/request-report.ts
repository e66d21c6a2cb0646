import { Attempts } from '../../../admin/attempts.ts';
import type { LogRecord, PluginRecord } from '../../../core/records/record.ts';
import type { Heartbeat } from '../messages.ts';

/** Maximum number of requests per beat whose plugin times are reported. */
const maxTimes = 64;
/** Maximum number of records per message; further ones are only counted. */
const maxRecords = 1000;
/** Milliseconds for which records are collected before they are sent. */
const collectMs = 100;

/** Report of a worker on the requests that it has finished. */
export class RequestReport {
  readonly #attempts = new Attempts();
  readonly #send: (records: readonly LogRecord[]) => boolean;
  #plugins: (readonly PluginRecord[])[] = [];
  #records: LogRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #finished = 0;
  #unsent = 0;
  #isBusy = false;
  /** True if the supervisor wants the records. */
  isFollowed = false;

  /** @param send returns false while the send queue is long */
  constructor(send: (records: readonly LogRecord[]) => boolean) {
    this.#send = send;
  }

  readonly add = (record: LogRecord): void => {
    this.#finished += 1;
    this.#attempts.add(record);
    if (this.#plugins.length < maxTimes) this.#plugins.push(record.plugins);
    if (!this.isFollowed || this.#isBusy || this.#records.length >= maxRecords) {
      this.#unsent += 1;
      this.#isBusy &&= this.isFollowed;
      if (!this.#isBusy) return;
    } else this.#records.push(record);
    this.#timer ??= setTimeout(() => this.flush(), collectMs);
  };

  /** Sends the collected records. While a slow reader blocks the channel, further records are only counted. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const records = this.#records;
    this.#records = [];
    this.#isBusy = records.length > 0 && !this.#send(records);
  }

  /** Returns the counts since the last call and resets them. */
  take(): Pick<Heartbeat, 'finished' | 'unsent' | 'attempts' | 'plugins'> {
    const counts = { finished: this.#finished, unsent: this.#unsent, attempts: this.#attempts.drain(), plugins: this.#plugins };
    this.#finished = 0;
    this.#unsent = 0;
    this.#plugins = [];
    return counts;
  }
}
