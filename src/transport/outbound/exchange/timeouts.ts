import { type Endpoint, traitsOf } from '../../../core/endpoint.ts';
import type { TimeoutPhase } from '../../../core/plan.ts';
import type { Timeouts } from '../../../core/snapshot.ts';
import { slowClientMs } from '../../wire/slow-client.ts';
import type { AttemptState } from './upstream-body.ts';

/** The state that the timeouts of an attempt depend on. Monotonic times in milliseconds, undefined if not reached yet. */
export interface TimedAttempt {
  readonly state: AttemptState;
  readonly timeouts: Timeouts;
  readonly startedAt: number;
  /** Infinite while no connection is being opened. */
  readonly dialAt: number;
  readonly connectedAt: number | undefined;
  readonly sentAt: number | undefined;
  readonly firstAt: number | undefined;
  readonly isStreamRequested: boolean;
  readonly body: { readonly lastAt: number; readonly isBeingRead: boolean } | undefined;
}

/**
 * True if the system has taken bytes of the request since the last call. The first-byte timeout begins when all are sent, which
 * takes time for a large body, unless the provider stops reading it.
 *
 * @param unsent bytes of the request that the system has not taken yet
 */
export function isStillSending(watched: { readonly sentAt: number | undefined; unsent: number }, unsent: number): boolean {
  const isChanged = watched.unsent !== unsent;
  watched.unsent = unsent;
  return isChanged && watched.sentAt !== undefined;
}

/** Default time until the first byte of a stream. A whole response may take as long as `total` allows. */
const streamBeginsMs = 60_000;

/** Returns the timeout that expired, if any. Besides `total`, one timeout applies at a time. */
export function expiredTimeout(watched: TimedAttempt, now: number): TimeoutPhase | undefined {
  const { state, timeouts, body, sentAt } = watched;
  const since = now - watched.startedAt;
  if (since > timeouts.total) return 'total';
  const isIdle = body !== undefined && now - body.lastAt > timeouts.idle;
  if (state === 'flowing') return isIdle && body.isBeingRead ? 'idle' : undefined;
  if (timeouts.request !== undefined && since > timeouts.request) return 'request';
  if (watched.connectedAt === undefined) return now - watched.dialAt > timeouts.connect ? 'connect' : undefined;
  if (watched.isStreamRequested ? watched.firstAt === undefined : state === 'waiting') {
    const limit = timeouts.firstByte ?? (watched.isStreamRequested ? streamBeginsMs : Number.POSITIVE_INFINITY);
    return sentAt !== undefined && now - sentAt > limit ? 'first-byte' : undefined;
  }
  return isIdle ? 'idle' : undefined;
}

/** Limit of a timeout, in milliseconds. */
export function limitOf(timeouts: Timeouts, phase: TimeoutPhase): number {
  switch (phase) {
    case 'first-byte':
      return timeouts.firstByte ?? streamBeginsMs;
    case 'request':
      return timeouts.request ?? timeouts.total;
    default:
      return timeouts[phase];
  }
}

/** Uploads and downloads of any size, which only the idle timeout ends. `relay`: a route that the gateway does not interpret. */
export type TransferKind = 'up' | 'down' | 'relay' | undefined;

export function transferKindOf(endpoint: Endpoint | undefined): TransferKind {
  const traits = endpoint === undefined ? undefined : traitsOf(endpoint);
  return traits?.body === 'passing' ? 'relay' : traits?.file;
}

/** The state that the timeouts of a file transfer depend on. Monotonic times in milliseconds. */
export interface TimedTransfer extends Pick<TimedAttempt, 'state' | 'timeouts' | 'dialAt' | 'connectedAt' | 'body'> {
  readonly transfer: TransferKind;
  /** 0 before the first byte. */
  readonly lastReceivedAt: number;
  readonly upload: { readonly isWaitingForData: boolean; readonly lastActivityAt: number } | undefined;
}

/** True when the client has read nothing of a flowing response for longer than allowed. */
export function isClientNotReading({ state, timeouts, body }: Pick<TimedTransfer, 'state' | 'timeouts' | 'body'>, now: number): boolean {
  return state === 'flowing' && body?.isBeingRead === false && now - body.lastAt > Math.max(timeouts.idle, slowClientMs);
}

/**
 * Returns the side that was silent for too long during an upload or download. Bytes in either direction count as
 * activity, and there is no limit on the total time. A client that pauses within its form has a timeout of its own; for a
 * relayed body, this one applies.
 */
export function silentSide(watched: TimedTransfer, now: number): 'connect' | 'provider' | 'client' | 'upload' | undefined {
  const { timeouts, connectedAt, upload, body } = watched;
  if (connectedAt === undefined) return now - watched.dialAt > timeouts.connect ? 'connect' : undefined;
  if (watched.state === 'flowing' && body?.isBeingRead === false) return isClientNotReading(watched, now) ? 'client' : undefined;
  if (upload?.isWaitingForData === true && body === undefined) {
    return watched.transfer === 'relay' && now - upload.lastActivityAt > timeouts.idle ? 'upload' : undefined;
  }
  const lastActivityAt = Math.max(connectedAt, watched.lastReceivedAt, upload?.lastActivityAt ?? 0, body?.lastAt ?? 0);
  return now - lastActivityAt > timeouts.idle ? 'provider' : undefined;
}
