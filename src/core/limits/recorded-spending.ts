import type { Snapshot } from '../snapshot.ts';
import { periodStart } from './budget-period.ts';
import type { Budget } from './caller-limits.ts';
import { spenderName } from './spender-name.ts';

/** What callers have spent since the beginning of some Unix days: by day, then by name, in 10⁻¹² dollars. */
export type SpendingTotals = ReadonlyMap<number, ReadonlyMap<string, bigint>>;

/** What callers have spent, as the request log had it when it was last read. */
export class RecordedSpending {
  #totals: SpendingTotals = new Map();

  get totals(): SpendingTotals {
    return this.#totals;
  }

  /** Called with a new reading of the request log. */
  readonly use = (totals: SpendingTotals): void => {
    this.#totals = totals;
  };

  /** 0 if it is not known. @param sinceDay Unix day */
  readonly spent = (caller: string, sinceDay: number): bigint => this.#totals.get(sinceDay)?.get(caller) ?? 0n;
}

/** Who has a budget. */
export interface BudgetedCallers {
  /** Of keys by their names, and of virtual keys by `spenderName`. */
  readonly keys: ReadonlyMap<string, Budget>;
  /** Budgets of callers with tokens. */
  readonly tokens: readonly Budget[];
}

export function budgetedCallers({ apiKeys, jwt, providers }: Snapshot): BudgetedCallers {
  const keys = new Map<string, Budget>();
  for (const { name, limits } of apiKeys.values()) if (limits?.budget !== undefined) keys.set(name, limits.budget);
  // A token may name any of the keys, whose budget then applies to its caller.
  const ofKeys = [...keys.values()];
  for (const { virtualKey, limits } of providers.values())
    if (virtualKey !== undefined && limits?.budget !== undefined) keys.set(spenderName(virtualKey), limits.budget);
  const tokens = jwt === undefined ? [] : jwt.keyClaim === undefined ? budgetsOf(jwt.rules.limits?.budget) : ofKeys;
  return { keys, tokens };
}

/** The Unix days on which the current periods of these budgets began. @param now Unix milliseconds */
export const periodStarts = ({ keys, tokens }: BudgetedCallers, now: number): ReadonlySet<number> =>
  new Set([...keys.values(), ...tokens].map(({ period }) => periodStart(period, now)));

const budgetsOf = (budget: Budget | undefined): readonly Budget[] => (budget === undefined ? [] : [budget]);
