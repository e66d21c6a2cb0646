import type { GatewayKeyEntry } from '../../config/schema/index.ts';
import { nextPeriodStart, periodStart } from '../../core/limits/budget-period.ts';
import { type CallerLimits, compileLimits, type WindowLimit } from '../../core/limits/caller-limits.ts';
import { shownLimits } from '../../core/limits/limits-text.ts';
import type { Figures, LogReader, Spent } from '../../core/logs/reader.ts';
import { toStorable } from '../../query/text.ts';
import type { UsedLimits } from '../../core/limits/used-limits.ts';
import { figuresOf } from './named-figures.ts';

/** A key and its limits. */
export interface LimitedKey {
  readonly name: string;
  readonly limits: CallerLimits;
}

/** The keys that have limits. */
export const limitedKeys = (keys: readonly (readonly [name: string, entry: GatewayKeyEntry])[]): readonly LimitedKey[] =>
  keys.flatMap(([name, entry]) => {
    const limits = compileLimits(entry.limits);
    return limits === undefined ? [] : [{ name, limits }];
  });

/** Requests of a key that count against its rate now. */
export type RequestsUsed = (key: string, rate: WindowLimit) => number;

/** What the request log has about the use of limits. */
export interface LimitUse {
  /** Length of a window of tokens in milliseconds → figures of a key in the last window. */
  readonly windows: ReadonlyMap<number, (name: string) => Figures>;
  /** Unix day → what each key has spent since. */
  readonly spent: ReadonlyMap<number, Readonly<Record<string, Spent>>>;
}

export const unknownUse: LimitUse = { windows: new Map(), spent: new Map() };

/** Records are stored about a second after the request, so the log does not show what was used in the last second. */
const leastWindowMs = 60_000;
/**
 * Reads what these keys have used of their limits.
 *
 * @param now Unix milliseconds
 * @throws GatewayError
 */
export async function readLimitUse(logs: Pick<LogReader, 'stats' | 'spent'>, keys: readonly LimitedKey[], now: number): Promise<LimitUse> {
  const windows = new Map<number, (name: string) => Figures>();
  for (const [windowMs, inWindow] of byWindow(keys)) {
    windows.set(windowMs, await figuresOf(logs, 'key', namesOf(inWindow), timeText(now - windowMs), `until:${timeText(now)}`));
  }
  const spent = new Map<number, Readonly<Record<string, Spent>>>();
  for (const [day, ofDay] of byPeriodStart(keys, now)) spent.set(day, await logs.spent(day, namesOf(ofDay)));
  return { windows, spent };
}

const namesOf = (keys: readonly LimitedKey[]): readonly string[] => keys.map(({ name }) => name);

const timeText = (at: number): string => new Date(at).toISOString();

const byWindow = (keys: readonly LimitedKey[]): ReadonlyMap<number, readonly LimitedKey[]> =>
  groupedBy(keys, ({ tokens }) => (tokens !== undefined && tokens.windowMs >= leastWindowMs ? [tokens.windowMs] : []));

const byPeriodStart = (keys: readonly LimitedKey[], now: number): ReadonlyMap<number, readonly LimitedKey[]> =>
  groupedBy(keys, ({ budget }) => (budget === undefined ? [] : [periodStart(budget.period, now)]));

/** The keys by each of their values. */
function groupedBy(
  keys: readonly LimitedKey[],
  valuesOf: (limits: CallerLimits) => readonly number[],
): ReadonlyMap<number, readonly LimitedKey[]> {
  const groups = new Map<number, LimitedKey[]>();
  for (const key of keys) for (const value of new Set(valuesOf(key.limits))) groups.set(value, [...(groups.get(value) ?? []), key]);
  return groups;
}

/**
 * The limits of a key with what it has used of them.
 *
 * @param requestsUsed undefined: not asked
 * @param now Unix milliseconds
 */
export function keyLimits(
  { name, limits }: LimitedKey,
  { windows, spent }: LimitUse,
  requestsUsed: RequestsUsed | undefined,
  now: number,
): UsedLimits {
  const { rate, tokens, budget, concurrency } = shownLimits(limits);
  const figures = windows.get(limits.tokens?.windowMs ?? 0)?.(name);
  const amounts = budget === null ? undefined : spent.get(periodStart(budget.period, now));
  return {
    rate: rate === null || limits.rate === undefined ? null : { ...rate, used: requestsUsed?.(name, limits.rate) ?? null },
    tokens: tokens === null ? null : { ...tokens, used: figures === undefined ? null : figures.tokens_in + figures.tokens_out },
    budget:
      budget === null
        ? null
        : {
            ...budget,
            spent_usd: amounts === undefined ? null : (amounts[toStorable(name)]?.cost_usd ?? '0'),
            renews: nextPeriodStart(budget.period, now),
          },
    concurrency,
  };
}
