import type { ShownBudget, ShownWindow } from './limits-text.ts';

/** Limits of a key and what it has used of them, of all but requests as the request log has it; null where there is no limit. */
export interface UsedLimits {
  readonly rate: UsedWindow | null;
  /** Tokens of requests and responses together. */
  readonly tokens: UsedWindow | null;
  readonly budget: UsedBudget | null;
  /** Maximum requests in flight. */
  readonly concurrency: number | null;
}

export interface UsedWindow extends ShownWindow {
  /** In the last second, minute, hour or day. Null: not known, which is so for tokens per second. */
  readonly used: number | null;
}

export interface UsedBudget extends ShownBudget {
  /** In the current day, week or month (UTC), as an exact decimal; null: not known. */
  readonly spent_usd: string | null;
  /** When the next one begins. */
  readonly renews: number;
}
