import type { BudgetPeriod } from '#core/limits/budget-period.ts';

/** What was spent in one period of a budget. */
export interface SpentState {
  readonly period: BudgetPeriod;
  /** The Unix day on which the period began. */
  readonly since: number;
  /** In 10⁻¹² dollars. */
  readonly pico: bigint;
}

/** Maximum periods that are known: the current one, and another if the system time was wrong for a while. */
const maxPeriods = 2;

/** Adds up what a caller spends in each of the newest periods of its budget. */
export class Spent {
  readonly period: BudgetPeriod;
  /** By the Unix day on which the period began. */
  readonly #sums = new Map<number, bigint>();

  constructor(period: BudgetPeriod) {
    this.period = period;
  }

  get states(): readonly SpentState[] {
    return Array.from(this.#sums, ([since, pico]) => ({ period: this.period, since, pico }));
  }

  add(pico: bigint, since: number): void {
    this.#set(since, (this.#sums.get(since) ?? 0n) + pico);
  }

  /** Takes over a sum that others know, if it is higher. Returns the sum of the period. */
  merge(pico: bigint, since: number): bigint {
    const known = this.#sums.get(since) ?? 0n;
    if (pico <= known) return known;
    this.#set(since, pico);
    return pico;
  }

  /** Forgets the earliest period if there are too many, also if that is this one: a late message, or a long request. */
  #set(since: number, pico: bigint): void {
    this.#sums.set(since, pico);
    if (this.#sums.size > maxPeriods) this.#sums.delete(Math.min(...this.#sums.keys()));
  }
}
