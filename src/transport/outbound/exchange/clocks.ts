import type { TimeoutPhase } from '../../../core/plan.ts';
import type { Clocks } from '../../../core/snapshot.ts';
import type { State } from './answer.ts';

/** What the clocks of an attempt look at: moments on the monotonic clock in milliseconds, undefined where not reached. */
export interface Watched {
  readonly state: State;
  readonly clocks: Clocks;
  readonly startedAt: number;
  /** Infinite while nobody is being connected to. */
  readonly dialAt: number;
  readonly connectedAt: number | undefined;
  readonly sentAt: number | undefined;
  readonly firstAt: number | undefined;
  readonly asksForStream: boolean;
  readonly answer: { readonly lastAt: number; readonly isDrawn: boolean } | undefined;
}

/** How long a stream may take to begin where nobody has said so. A whole answer may take as long as `total` allows. */
const streamBeginsMs = 60_000;

/** The clock that has run out, if any: one of them counts at a time, the total beside it. */
export function expired(watched: Watched, now: number): TimeoutPhase | undefined {
  const { state, clocks, answer, sentAt } = watched;
  const since = now - watched.startedAt;
  if (since > clocks.total) return 'total';
  const isSilent = answer !== undefined && now - answer.lastAt > clocks.idle;
  if (state === 'flowing') return isSilent && answer.isDrawn ? 'idle' : undefined;
  if (clocks.request !== undefined && since > clocks.request) return 'request';
  if (watched.connectedAt === undefined) return now - watched.dialAt > clocks.connect ? 'connect' : undefined;
  if (watched.asksForStream ? watched.firstAt === undefined : state === 'waiting') {
    const limit = clocks.firstByte ?? (watched.asksForStream ? streamBeginsMs : Number.POSITIVE_INFINITY);
    return sentAt !== undefined && now - sentAt > limit ? 'first-byte' : undefined;
  }
  return isSilent ? 'idle' : undefined;
}

/** Milliseconds that the clock of a phase allows. */
export function limitOf(clocks: Clocks, phase: TimeoutPhase): number {
  switch (phase) {
    case 'first-byte':
      return clocks.firstByte ?? streamBeginsMs;
    case 'request':
      return clocks.request ?? clocks.total;
    default:
      return clocks[phase];
  }
}
