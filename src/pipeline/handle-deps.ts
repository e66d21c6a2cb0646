import type { MemoryBudget } from '../core/memory/budget.ts';
import type { Dialect } from '../core/dialect.ts';
import type { DialectName } from '../core/endpoint.ts';
import type { Send } from '../core/plan.ts';
import type { LogRecord } from '../core/records/record.ts';
import type { DenseSetMember } from '../core/memory/dense-set.ts';
import type { GroupCommit } from './record/group-commit.ts';
import type { InFlightLimiter } from './in-flight.ts';
import type { Admitted } from '../core/context.ts';
import type { GatewayError } from '../core/error.ts';
import type { Schedule } from '../core/async/schedule.ts';

/** Dependencies of the request handling. */
export interface HandleDeps {
  readonly send: Send;
  readonly commit: GroupCommit;
  readonly inFlightLimiter: InFlightLimiter;
  readonly budget: MemoryBudget;
  readonly dialects: Readonly<Record<DialectName, Dialect>>;
  monotonic(): number;
  /** Waits between attempts. */
  readonly schedule: Schedule;
  /** `dry`: plugins may not write or send anything, and get no record. Default: live. */
  readonly mode?: 'dry';
  /**
   * Assigns uncaught errors to this request, if they are caused by what the current callback starts from here on. Call
   * it first in a callback.
   */
  enter(requestId: string): void;
  /** Reports an internal error of the gateway or of a plugin: operators see its stack, callers never do. Never throws. */
  onDefect(error: unknown, requestId: string): void;
  /** A WebSocket was opened. */
  onSocket?(socket: OpenSocket, ctx: Pick<Admitted, 'facts' | 'snapshot'>): void;
  /** The request is over: its record is written and its last bytes are sent. */
  onFinished(record: LogRecord): void;
  /** Nothing of the request is left in this process: the client has read the last byte, or has disconnected. */
  onReleased(handling: DenseSetMember): void;
}

/** A WebSocket of a client. */
export interface OpenSocket extends DenseSetMember {
  stop(error: GatewayError, end: 'fault'): void;
}
