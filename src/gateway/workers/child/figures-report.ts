import type { Figures } from '../../../telemetry/metrics/figures.ts';

export interface FiguresReportDeps {
  /** Undefined where metrics are off. */
  read(): Promise<Figures> | undefined;
  tell(figures: Figures): void;
  /** Milliseconds. */
  monotonic(): number;
}

/** Part of the time that may be spent: who counts thousands of series tells them less often. */
const share = 100;
/** Milliseconds between two times at most: one that took long because the machine was busy says little. */
const longest = 5000;

/** Tells the supervisor what this process has counted, so that little is missing when it dies. */
export class FiguresReport {
  readonly #deps: FiguresReportDeps;
  /** Something was counted. */
  isNew = false;
  #isBusy = false;
  #isOver = false;
  #dueAt = 0;

  constructor(deps: FiguresReportDeps) {
    this.#deps = deps;
  }

  async look(): Promise<void> {
    const { read, tell, monotonic } = this.#deps;
    const from = monotonic();
    if (!this.isNew || this.#isBusy || this.#isOver || from < this.#dueAt) return;
    this.isNew = false;
    this.#isBusy = true;
    try {
      const figures = await read();
      if (figures !== undefined && !this.#isOver) tell(figures);
    } finally {
      const now = monotonic();
      this.#dueAt = now + Math.min((now - from) * share, longest);
      this.#isBusy = false;
    }
  }

  /** Tells all that was counted: the process ends in good form, and serves nothing any more. */
  async end(): Promise<void> {
    this.#isOver = true;
    const figures = await this.#deps.read();
    if (figures !== undefined) this.#deps.tell(figures);
  }
}
