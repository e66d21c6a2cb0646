import type { MemoryBudget } from '../../../core/memory/budget.ts';
import type { Attempt, Outcome } from '../../../core/plan.ts';
import type { Sweepable } from '../../wire/sweeper.ts';

/** Dependencies of an exchange. */
export interface ExchangeSettings {
  monotonic(): number;
  /** Called with the size of each chunk of a file that is downloaded, in bytes. */
  passed(bytes: number): void;
  /** Called each time the response repeats the attempt's credential. */
  onEcho(attempt: Attempt): void;
  /** Maximum bytes of the response that the record keeps. */
  readonly maxRecorded: number;
  /** Maximum bytes of a response that is neither a stream nor a file. */
  readonly maxResponse: number;
  readonly budget: MemoryBudget;
  /** Monotonic time of the request's arrival. */
  readonly arrivedAt: number;
  /** Monotonic time at which the attempt began; undefined: now. Set for its second request, after another token was fetched. */
  readonly begunAt?: number;
  settle(outcome: Outcome): void;
  /** Called once when nothing is in progress any more. */
  over(exchange: Sweepable): void;
}
