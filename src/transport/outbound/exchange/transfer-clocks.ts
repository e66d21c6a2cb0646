import type { Clocks } from '../../../core/snapshot.ts';
import type { State } from './answer.ts';

/** A client that takes nothing of an answer may do so for this long: it holds a connection, but nobody waits in vain. */
export const slowClientMs = 10 * 60_000;

/** What the clocks of a file on its way look at: moments on the monotonic clock in milliseconds. */
export interface WatchedTransfer {
  readonly state: State;
  readonly clocks: Clocks;
  readonly dialAt: number;
  readonly connectedAt: number | undefined;
  /** 0 before the first. */
  readonly heardAt: number;
  readonly upload: { readonly isStarved: boolean; readonly movedAt: number } | undefined;
  readonly answer: { readonly lastAt: number; readonly isDrawn: boolean } | undefined;
}

/** True when the client has taken nothing of an answer that flows for as long as a client may. */
export function isUntaken({ state, clocks, answer }: Pick<WatchedTransfer, 'state' | 'clocks' | 'answer'>, now: number): boolean {
  return state === 'flowing' && answer?.isDrawn === false && now - answer.lastAt > Math.max(clocks.idle, slowClientMs);
}

/**
 * Who has been silent for too long while a file goes up or comes down: bytes in either direction count,
 * and no time in all. A client that pauses in the middle of its form has its own clock.
 */
export function silence(watched: WatchedTransfer, now: number): 'connect' | 'provider' | 'client' | undefined {
  const { clocks, connectedAt, upload, answer } = watched;
  if (connectedAt === undefined) return now - watched.dialAt > clocks.connect ? 'connect' : undefined;
  if (watched.state === 'flowing' && answer?.isDrawn === false) return isUntaken(watched, now) ? 'client' : undefined;
  if (upload?.isStarved === true && answer === undefined) return undefined;
  const movedAt = Math.max(connectedAt, watched.heardAt, upload?.movedAt ?? 0, answer?.lastAt ?? 0);
  return now - movedAt > clocks.idle ? 'provider' : undefined;
}
