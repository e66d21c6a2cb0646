import type { MetricsSnapshot } from '../../../telemetry/metrics/snapshot.ts';

export interface FiguresReportDeps {
  /** Undefined if metrics are off. */
  read(): Promise<MetricsSnapshot> | undefined;
  send(figures: MetricsSnapshot): void;
  /** Milliseconds. */
  monotonic(): number;
}

/** After a report, this many times its duration passes before the next one: with thousands of series, reports are rarer. */
const share = 100;
/** Maximum pause after a report, in milliseconds: a slow report may only mean that the machine was busy. */
const longest = 5000;

/** Reports the metrics of this process to the supervisor, so that little is lost when it dies. */
export class FiguresReport {
  readonly #deps: FiguresReportDeps;
  /** Set when a counter has changed since the last report. */
  hasChanges = false;
  #isBusy = false;
  #isOver = false;
  #dueAt = 0;

  constructor(deps: FiguresReportDeps) {
    this.#deps = deps;
  }

  async reportIfDue(): Promise<void> {
    const { read, send, monotonic } = this.#deps;
    const from = monotonic();
    if (!this.hasChanges || this.#isBusy || this.#isOver || from < this.#dueAt) return;
    this.hasChanges = false;
    this.#isBusy = true;
    try {
      const figures = await read();
      if (figures !== undefined && !this.#isOver) send(figures);
    } finally {
      const now = monotonic();
      this.#dueAt = now + Math.min((now - from) * share, longest);
      this.#isBusy = false;
    }
  }

  /** Reports all counters at a regular shutdown; no further requests are served. */
  async end(): Promise<void> {
    this.#isOver = true;
    const figures = await this.#deps.read();
    if (figures !== undefined) this.#deps.send(figures);
  }
}
