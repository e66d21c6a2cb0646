import type { Schedule } from '../../core/async/schedule.ts';
import { parseDecimal } from '../../core/cost/decimal.ts';
import { type BudgetedCallers, budgetedCallers, periodStarts, type SpendingTotals } from '../../core/limits/recorded-spending.ts';
import type { LogReader } from '../../core/logs/reader.ts';
import type { Snapshot } from '../../core/snapshot.ts';

export interface SpendingReaderDeps {
  snapshot(): Snapshot;
  /** Undefined if no request log is kept. */
  logs(): Pick<LogReader, 'spent'> | undefined;
  /** Called after each reading. */
  onRead(totals: SpendingTotals): void;
  /** Called when the request log cannot be read any more; the last reading stays in use. */
  onFault(error: unknown): void;
  readonly schedule: Schedule;
  /** Unix milliseconds. */
  now(): number;
}

/** Milliseconds between two readings: other gateways may use the same request log. */
const intervalMs = 15_000;

/**
 * Reads from the request log what callers with a budget have spent, so that budgets hold across restarts, and for several
 * gateways with one log together. Does nothing while no caller has a budget.
 */
export class SpendingReader {
  readonly #deps: SpendingReaderDeps;
  #cancel = (): void => {};
  #isDue = false;
  #isReading = false;
  #isFailing = false;
  #isClosed = false;

  constructor(deps: SpendingReaderDeps) {
    this.#deps = deps;
  }

  /** A configuration was applied: reads now if it has budgets, and regularly from then on. */
  configured(): void {
    this.#isDue = true;
    if (!this.#isReading) void this.#readAll();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** Never rejects. One reading at a time, so that a slow store is not queried twice. */
  async #readAll(): Promise<void> {
    this.#cancel();
    this.#isReading = true;
    let hasBudgets = false;
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      const callers = budgetedCallers(this.#deps.snapshot());
      hasBudgets = callers.keys.size > 0 || callers.tokens.length > 0;
      if (hasBudgets) await this.#readOnce(callers);
    }
    this.#isReading = false;
    if (hasBudgets && !this.#isClosed) this.#cancel = this.#deps.schedule(intervalMs, () => this.configured());
  }

  async #readOnce(callers: BudgetedCallers): Promise<void> {
    try {
      await this.#read(callers);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed) this.#deps.onFault(error);
      this.#isFailing = true;
    }
  }

  async #read(callers: BudgetedCallers): Promise<void> {
    const logs = this.#deps.logs();
    if (logs === undefined) return;
    const totals = new Map<number, ReadonlyMap<string, bigint>>();
    for (const day of periodStarts(callers, this.#deps.now())) {
      // The names of callers with tokens are not known: those that have spent most.
      const ofTokens = callers.tokens.length > 0 ? await logs.spent(day) : {};
      const spent = Object.entries({ ...ofTokens, ...(await logs.spent(day, [...callers.keys.keys()])) });
      totals.set(day, new Map(spent.map(([name, { cost_usd: cost }]) => [name, parseDecimal(cost) ?? 0n])));
    }
    this.#deps.onRead(totals);
  }
}
