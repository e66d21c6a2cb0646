import { periodStart } from '../../core/limits/budget-period.ts';
import { type Budget, parseBudget } from '../../core/limits/caller-limits.ts';
import type { WrittenKey } from '../../config/edit/written.ts';

type Limits = WrittenKey['entry']['limits'] | null;

/** The budget of a key, if it can be read: what a command edits need not be valid. */
export function budgetOf(limits: Limits): Budget | undefined {
  const written: unknown = limits?.budget;
  return typeof written === 'string' ? parseBudget(written) : undefined;
}

/** The Unix days on which the current periods of the keys' budgets began. @param now Unix milliseconds */
export const budgetDays = (keys: readonly WrittenKey[], now: number): readonly number[] =>
  keys.flatMap(({ entry }) => {
    const budget = budgetOf(entry.limits);
    return budget === undefined ? [] : [periodStart(budget.period, now)];
  });

/**
 * The limits of a key as short texts: `60 requests/min`, `200k tokens/min`, `6% of 50USD/month`, `20 in flight`.
 *
 * @param spent of the budget in the current period, in 10⁻¹² dollars; undefined if it is not known
 */
export function limitTexts(limits: Limits, spent: bigint | undefined): readonly string[] {
  const { rate, tokens, budget, concurrency }: Readonly<Record<string, unknown>> = { ...limits };
  const texts = (value: unknown, text: (written: string) => string): readonly string[] =>
    typeof value === 'string' || typeof value === 'number' ? [text(String(value))] : [];
  return [
    ...texts(rate, (written) => written.replace('/', ' requests/')),
    ...texts(tokens, (written) => written.replace('/', ' tokens/')),
    ...texts(budget, (written) => `${usedShare(budgetOf(limits), spent)}${written}`),
    ...texts(concurrency, (written) => `${written} in flight`),
  ];
}

function usedShare(budget: Budget | undefined, spent: bigint | undefined): string {
  if (budget === undefined || spent === undefined) return '';
  return `${budget.pico === 0n ? 100n : (100n * spent) / budget.pico}% of `;
}
