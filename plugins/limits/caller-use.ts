import type { BudgetPeriod } from '#core/limits/budget-period.ts';
import type { Budget, WindowLimit } from '#core/limits/caller-limits.ts';
import { SlidingWindow, type WindowState } from './sliding-window.ts';
import { Spent, type SpentState } from './spent.ts';

/** Message to other worker processes: what a caller has used since the last message, or all that is known. */
export type UseMessage =
  | { readonly id: string; readonly requests?: WindowCount; readonly tokens?: WindowCount; readonly spent?: SpentState }
  | { readonly id: string; readonly known: KnownUse };

interface WindowCount {
  readonly windowMs: number;
  readonly count: number;
}

interface KnownUse {
  readonly requests: WindowState | undefined;
  readonly tokens: WindowState | undefined;
  readonly spent: SpentState | undefined;
}

/**
 * A process uses one hundredth of a limit before it informs the others: under low limits each request sends a message,
 * under high ones few do.
 */
const unsentShare = 100;

/** What one caller has used. Times are Unix milliseconds. */
export class CallerUse {
  readonly #id: string;
  readonly #send: (message: UseMessage) => void;
  #requests: SlidingWindow | undefined;
  #tokens: SlidingWindow | undefined;
  #spent: Spent | undefined;
  #unsentRequests = 0;
  #unsentTokens = 0;
  #unsentPico = 0n;

  /** @param id of the caller */
  constructor(id: string, send: (message: UseMessage) => void) {
    this.#id = id;
    this.#send = send;
  }

  /** All of it as a message. */
  get known(): UseMessage {
    return { id: this.#id, known: { requests: this.#requests?.state, tokens: this.#tokens?.state, spent: this.#spent?.state } };
  }

  requests(windowMs: number): SlidingWindow {
    return (this.#requests = windowOf(this.#requests, windowMs));
  }

  tokens(windowMs: number): SlidingWindow {
    return (this.#tokens = windowOf(this.#tokens, windowMs));
  }

  spent(period: BudgetPeriod): Spent {
    if (this.#spent?.period !== period) this.#spent = new Spent(period);
    return this.#spent;
  }

  addRequest({ max, windowMs }: WindowLimit, now: number): void {
    this.requests(windowMs).add(1, now);
    this.#unsentRequests += 1;
    if (this.#unsentRequests * unsentShare < max) return;
    this.#send({ id: this.#id, requests: { windowMs, count: this.#unsentRequests } });
    this.#unsentRequests = 0;
  }

  addTokens({ max, windowMs }: WindowLimit, count: number, now: number): void {
    this.tokens(windowMs).add(count, now);
    this.#unsentTokens += count;
    if (this.#unsentTokens * unsentShare < max) return;
    this.#send({ id: this.#id, tokens: { windowMs, count: this.#unsentTokens } });
    this.#unsentTokens = 0;
  }

  /** @param since the Unix day on which the period began */
  addCost({ pico: max, period }: Budget, pico: bigint, since: number): void {
    this.spent(period).add(pico, since);
    this.#unsentPico += pico;
    if (this.#unsentPico * BigInt(unsentShare) < max) return;
    this.#send({ id: this.#id, spent: { period, since, pico: this.#unsentPico } });
    this.#unsentPico = 0n;
  }

  /** Another process sent what it has counted. */
  receive(message: UseMessage, now: number): void {
    if ('known' in message) {
      const { requests, tokens, spent } = message.known;
      if (requests !== undefined) this.requests(requests.windowMs).merge(requests, now);
      if (tokens !== undefined) this.tokens(tokens.windowMs).merge(tokens, now);
      if (spent !== undefined) this.spent(spent.period).merge(spent.pico, spent.since);
      return;
    }
    const { requests, tokens, spent } = message;
    if (requests !== undefined) this.requests(requests.windowMs).add(requests.count, now);
    if (tokens !== undefined) this.tokens(tokens.windowMs).add(tokens.count, now);
    if (spent !== undefined) this.spent(spent.period).add(spent.pico, spent.since);
  }
}

/** After a reload that changes the length of the window, counting begins anew. */
const windowOf = (window: SlidingWindow | undefined, windowMs: number): SlidingWindow =>
  window?.windowMs === windowMs ? window : new SlidingWindow(windowMs);
