import type { BudgetPeriod } from '#core/limits/budget-period.ts';

/** What was spent in one period of a budget. */
export interface SpentState {
  readonly period: BudgetPeriod;
  /** The Unix day on which the period began. */
  readonly since: number;
  /** In 10⁻¹² dollars. */
  readonly pico: bigint;
}

/** Adds up what a caller spends in the newest period of its budget. */
export class Spent {
  readonly period: BudgetPeriod;
  #since = 0;
  #pico = 0n;

  constructor(period: BudgetPeriod) {
    this.period = period;
  }

  get state(): SpentState {
    return { period: this.period, since: this.#since, pico: this.#pico };
  }

  /** An amount of an earlier period is ignored: a message may arrive late, and the system time may be set back. */
  add(pico: bigint, since: number): void {
    this.#begin(since);
    if (since === this.#since) this.#pico += pico;
  }

  /** Takes over a sum that others know, if it is higher. Returns the sum of the period. */
  merge(pico: bigint, since: number): bigint {
    this.#begin(since);
    if (since < this.#since) return pico;
    if (pico > this.#pico) this.#pico = pico;
    return this.#pico;
  }

  #begin(since: number): void {
    if (since <= this.#since) return;
    this.#since = since;
    this.#pico = 0n;
  }
}
