import { type Endpoint, traitsOf } from '../../../core/endpoint.ts';
import type { TimeoutPhase } from '../../../core/plan.ts';
import type { Clocks } from '../../../core/snapshot.ts';
import { slowClientMs } from '../../wire/slow-client.ts';
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

/** Bytes of any number go up or come down, so that only silence ends them. `relay`: nobody knows what they are. */
export type Traffic = 'up' | 'down' | 'relay' | undefined;

export function trafficOf(endpoint: Endpoint | undefined): Traffic {
  const traits = endpoint === undefined ? undefined : traitsOf(endpoint);
  return traits?.body === 'passing' ? 'relay' : traits?.file;
}

/** What the clocks of a file on its way look at: moments on the monotonic clock in milliseconds. */
export interface WatchedTransfer {
  readonly state: State;
  readonly file: Traffic;
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
 * and no time in all. A client that pauses in the middle of its form has its own clock; a relayed body has this one too.
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
