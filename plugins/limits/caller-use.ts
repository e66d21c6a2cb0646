import type { BudgetPeriod } from '#core/limits/budget-period.ts';
import type { Budget, WindowLimit } from '#core/limits/caller-limits.ts';
import { SlidingWindow, type WindowState } from '#core/limits/sliding-window.ts';
import { Spent, type SpentState } from './spent.ts';

/** Message to other worker processes: what a caller has used since the last message, or all that is known. */
export type UseMessage =
  | { readonly id: string; readonly tokens?: WindowCount; readonly spent?: SpentState }
  | { readonly id: string; readonly known: KnownUse };

interface WindowCount {
  readonly windowMs: number;
  readonly count: number;
}

interface KnownUse {
  readonly tokens: readonly WindowState[];
  readonly spent: readonly SpentState[];
}

/** A count, and the part of it that the other processes do not know yet. */
interface SharedWindow {
  readonly window: SlidingWindow;
  unsent: number;
}

interface SharedSum {
  readonly spent: Spent;
  /** Of the period that began on the day `since`. */
  unsent: bigint;
  since: number;
}

/**
 * A process uses one hundredth of a limit before it informs the others: under low limits each request sends a message,
 * under high ones few do.
 */
const unsentShare = 100;

/**
 * What one caller has used, for each unit of a limit on its own: after a reload that changes it, requests that began before
 * still end under the earlier one. Times are Unix milliseconds.
 */
export class CallerUse {
  readonly #id: string;
  readonly #send: (message: UseMessage) => void;
  readonly #tokens: SharedWindow[] = [];
  readonly #sums: SharedSum[] = [];

  /** @param id of the caller */
  constructor(id: string, send: (message: UseMessage) => void) {
    this.#id = id;
    this.#send = send;
  }

  /** All of it as a message. */
  get known(): UseMessage {
    const spent = this.#sums.flatMap((sum) => sum.spent.states);
    return { id: this.#id, known: { tokens: this.#tokens.map(({ window }) => window.state), spent } };
  }

  tokens(windowMs: number): SlidingWindow {
    return windowOf(this.#tokens, windowMs).window;
  }

  spent(period: BudgetPeriod): Spent {
    return this.#sumOf(period).spent;
  }

  addTokens(limit: WindowLimit, tokens: number, now: number): void {
    const count = added(windowOf(this.#tokens, limit.windowMs), limit.max, tokens, now);
    if (count > 0) this.#send({ id: this.#id, tokens: { windowMs: limit.windowMs, count } });
  }

  /** @param since the Unix day on which the period began */
  addCost({ pico: max, period }: Budget, pico: bigint, since: number): void {
    const sum = this.#sumOf(period);
    sum.spent.add(pico, since);
    // Requests of the period before can end between those of the current one.
    if (sum.since !== since) this.#sendSum(sum);
    sum.since = since;
    sum.unsent += pico;
    if (sum.unsent * BigInt(unsentShare) >= max) this.#sendSum(sum);
  }

  #sendSum(sum: SharedSum): void {
    const { spent, since, unsent: pico } = sum;
    if (pico > 0n) this.#send({ id: this.#id, spent: { period: spent.period, since, pico } });
    sum.unsent = 0n;
  }

  /** Another process sent what it has counted. */
  receive(message: UseMessage, now: number): void {
    if ('known' in message) {
      const { tokens, spent } = message.known;
      for (const state of tokens) this.tokens(state.windowMs).merge(state, now);
      for (const { period, pico, since } of spent) this.spent(period).merge(pico, since);
      return;
    }
    const { tokens, spent } = message;
    if (tokens !== undefined) this.tokens(tokens.windowMs).add(tokens.count, now);
    if (spent !== undefined) this.spent(spent.period).add(spent.pico, spent.since);
  }

  #sumOf(period: BudgetPeriod): SharedSum {
    let sum = this.#sums.find(({ spent }) => spent.period === period);
    if (sum === undefined) this.#sums.push((sum = { spent: new Spent(period), unsent: 0n, since: 0 }));
    return sum;
  }
}

function windowOf(windows: SharedWindow[], windowMs: number): SharedWindow {
  let shared = windows.find(({ window }) => window.windowMs === windowMs);
  if (shared === undefined) windows.push((shared = { window: new SlidingWindow(windowMs), unsent: 0 }));
  return shared;
}

/** Counts, and returns the count that others should learn of: 0 while it is too small. */
function added(shared: SharedWindow, max: number, count: number, now: number): number {
  shared.window.add(count, now);
  shared.unsent += count;
  if (shared.unsent * unsentShare < max) return 0;
  const { unsent } = shared;
  shared.unsent = 0;
  return unsent;
}
