import type { Budget } from '../core/memory/budget.ts';
import type { Dialect } from '../core/dialect.ts';
import type { DialectName } from '../core/endpoint.ts';
import type { Send } from '../core/plan.ts';
import type { LogRecord } from '../core/records/record.ts';
import type { DenseSetMember } from '../core/memory/dense-set.ts';
import type { GroupCommit } from './record/group-commit.ts';
import type { Shares } from './in-flight.ts';

/** What the handling of a request needs from outside. */
export interface HandleDeps {
  readonly send: Send;
  readonly seal: GroupCommit;
  readonly shares: Shares;
  readonly budget: Budget;
  readonly dialects: Readonly<Record<DialectName, Dialect>>;
  monotonic(): number;
  /**
   * What the running callback of node begins from here on, and nobody catches, is known to belong to this request. Call
   * it as the first step of a callback.
   */
  enter(requestId: string): void;
  /** A defect of the gateway or of a plugin: shown to operators with its stack, never to callers. Never throws. */
  onDefect(error: unknown, requestId: string): void;
  /** The request is over: its record is written and its end has left. */
  onOver(record: LogRecord): void;
  /** Nothing of it is left in this process: a slow client has taken the last byte, or is gone. */
  onLeft(handling: DenseSetMember): void;
}
