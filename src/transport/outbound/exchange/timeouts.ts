import { type Endpoint, traitsOf } from '../../../core/endpoint.ts';
import type { TimeoutPhase } from '../../../core/plan.ts';
import type { Clocks } from '../../../core/snapshot.ts';
import { slowClientMs } from '../../wire/slow-client.ts';
import type { State } from './answer.ts';

/** The state that the timeouts of an attempt depend on. Monotonic times in milliseconds, undefined if not reached yet. */
export interface Watched {
  readonly state: State;
  readonly clocks: Clocks;
  readonly startedAt: number;
  /** Infinite while no connection is being opened. */
  readonly dialAt: number;
  readonly connectedAt: number | undefined;
  readonly sentAt: number | undefined;
  readonly firstAt: number | undefined;
  readonly asksForStream: boolean;
  readonly answer: { readonly lastAt: number; readonly isDrawn: boolean } | undefined;
}

/** Default time until the first byte of a stream. A whole response may take as long as `total` allows. */
const streamBeginsMs = 60_000;

/** Returns the timeout that expired, if any. Besides `total`, one timeout applies at a time. */
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

/** Limit of a timeout, in milliseconds. */
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

/** Uploads and downloads of any size, which only the idle timeout ends. `relay`: a route that the gateway does not interpret. */
export type Traffic = 'up' | 'down' | 'relay' | undefined;

export function trafficOf(endpoint: Endpoint | undefined): Traffic {
  const traits = endpoint === undefined ? undefined : traitsOf(endpoint);
  return traits?.body === 'passing' ? 'relay' : traits?.file;
}

/** The state that the timeouts of a file transfer depend on. Monotonic times in milliseconds. */
export interface WatchedTransfer {
  readonly state: State;
  readonly file: Traffic;
  readonly clocks: Clocks;
  readonly dialAt: number;
  readonly connectedAt: number | undefined;
  /** 0 before the first byte. */
  readonly heardAt: number;
  readonly upload: { readonly isStarved: boolean; readonly movedAt: number } | undefined;
  readonly answer: { readonly lastAt: number; readonly isDrawn: boolean } | undefined;
}

/** True when the client has read nothing of a flowing response for longer than allowed. */
export function isUntaken({ state, clocks, answer }: Pick<WatchedTransfer, 'state' | 'clocks' | 'answer'>, now: number): boolean {
  return state === 'flowing' && answer?.isDrawn === false && now - answer.lastAt > Math.max(clocks.idle, slowClientMs);
}

/**
 * Returns the side that was silent for too long during an upload or download. Bytes in either direction count as
 * activity, and there is no limit on the total time. A client that pauses within its form has a timeout of its own; for a
 * relayed body, this one applies.
 */
export function silence(watched: WatchedTransfer, now: number): 'connect' | 'provider' | 'client' | 'upload' | undefined {
  const { clocks, connectedAt, upload, answer } = watched;
  if (connectedAt === undefined) return now - watched.dialAt > clocks.connect ? 'connect' : undefined;
  if (watched.state === 'flowing' && answer?.isDrawn === false) return isUntaken(watched, now) ? 'client' : undefined;
  if (upload?.isStarved === true && answer === undefined) {
    return watched.file === 'relay' && now - upload.movedAt > clocks.idle ? 'upload' : undefined;
  }
  const movedAt = Math.max(connectedAt, watched.heardAt, upload?.movedAt ?? 0, answer?.lastAt ?? 0);
  return now - movedAt > clocks.idle ? 'provider' : undefined;
}
