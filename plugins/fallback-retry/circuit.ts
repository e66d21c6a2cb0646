import type { CircuitPolicy } from '#core/snapshot.ts';
import { MinuteWindow } from './minute-window.ts';

/** Message to other worker processes about a circuit: ended attempts, or a change of its state. */
export type CircuitMessage =
  | { readonly id: string; readonly worked: number; readonly failed: number }
  /** Unix milliseconds until which the target is skipped; 0: closed. */
  | { readonly id: string; readonly since: number; readonly until: number };

/** Change of a circuit's state by an attempt; undefined: no change. */
export type CircuitChange = 'opened' | 'closed' | undefined;

/** Milliseconds for which successful attempts are collected before a message, so that most requests send none. */
const reportIntervalMs = 1000;

/**
 * The circuit breaker of one target. Closed, it counts failures. Open, it blocks all requests until the cool-down is over,
 * and then admits one request, whose attempt closes it or opens it again. All times are Unix milliseconds.
 */
export class Circuit {
  readonly #id: string;
  readonly #send: (message: CircuitMessage) => void;
  readonly #recent = new MinuteWindow();
  /** Failures since the last successful attempt. */
  #consecutiveFailures = 0;
  /** Time of opening, and time until which the target is skipped; 0 while it is closed. */
  #openedAt = 0;
  #openUntil = 0;
  /** Successful attempts that were not sent to the other processes yet, and the time of the last message. */
  #unsentSuccesses = 0;
  #sentAt = 0;

  constructor(id: string, send: (message: CircuitMessage) => void) {
    this.#id = id;
    this.#send = send;
  }

  /** Milliseconds until the target is tried again; 0: it may be tried now. */
  wait(policy: CircuitPolicy, now: number): number {
    this.#correctTimes(policy, now);
    return Math.max(0, this.#openUntil - now);
  }

  /** True if the target is skipped, or tried by only one request. */
  get isOpen(): boolean {
    return this.#openUntil !== 0;
  }

  /** Its state as a message. */
  get state(): CircuitMessage {
    return { id: this.#id, since: this.#openedAt, until: this.#openUntil };
  }

  /** Reserves the trial after the cool-down for this request. The others use another target. */
  reserveTrial(policy: CircuitPolicy, now: number): void {
    if (this.#openUntil !== 0) this.#changeState(this.#openedAt, now + policy.cooldownMs);
  }

  /** @param began start of the attempt. An attempt from before the circuit opened is ignored */
  recordResult(policy: CircuitPolicy, hasFailed: boolean, { began, now }: { readonly began: number; readonly now: number }): CircuitChange {
    this.#correctTimes(policy, now);
    if (this.#openUntil === 0) return hasFailed ? this.#countFailure(policy, now) : this.#countSuccess(policy, now);
    if (began < this.#openedAt) return undefined;
    this.#changeState(hasFailed ? now : 0, hasFailed ? now + policy.cooldownMs : 0);
    return hasFailed ? 'opened' : 'closed';
  }

  receive(message: CircuitMessage, now: number): void {
    if ('until' in message) return this.#setState(message.since, message.until);
    if (this.#openUntil !== 0) return;
    this.#consecutiveFailures = message.failed + (message.worked > 0 ? 0 : this.#consecutiveFailures);
    this.#recent.add(now, message.worked, message.failed);
  }

  /** If the system time was set back, the cool-down does not become longer, new attempts count, and successes are sent. */
  #correctTimes({ cooldownMs }: CircuitPolicy, now: number): void {
    this.#sentAt = Math.min(this.#sentAt, now);
    this.#openedAt = Math.min(this.#openedAt, now);
    this.#openUntil = Math.min(this.#openUntil, now + cooldownMs);
  }

  #countFailure(policy: CircuitPolicy, now: number): CircuitChange {
    this.#consecutiveFailures += 1;
    this.#recent.add(now, 0, 1);
    if (this.#exceedsLimit(policy, now)) {
      this.#changeState(now, now + policy.cooldownMs);
      return 'opened';
    }
    this.#sendCounts(1, now);
    return undefined;
  }

  #countSuccess({ share }: CircuitPolicy, now: number): undefined {
    const endsFailures = this.#consecutiveFailures > 0;
    this.#consecutiveFailures = 0;
    if (share !== undefined) {
      this.#recent.add(now, 1, 0);
      this.#unsentSuccesses += 1;
    } else if (endsFailures) this.#unsentSuccesses = 1;
    if (endsFailures || (share !== undefined && now - this.#sentAt >= reportIntervalMs)) this.#sendCounts(0, now);
  }

  #exceedsLimit({ failures, share, minimum }: CircuitPolicy, now: number): boolean {
    if (failures !== undefined && this.#consecutiveFailures >= failures) return true;
    if (share === undefined) return false;
    const { all, failed } = this.#recent.count(now);
    return all >= minimum && failed >= share * all;
  }

  #sendCounts(failed: number, now: number): void {
    this.#send({ id: this.#id, worked: this.#unsentSuccesses, failed });
    this.#unsentSuccesses = 0;
    this.#sentAt = now;
  }

  #changeState(since: number, until: number): void {
    this.#setState(since, until);
    this.#send(this.state);
  }

  /** Resets the counts. */
  #setState(since: number, until: number): void {
    this.#openedAt = since;
    this.#openUntil = until;
    this.#consecutiveFailures = 0;
    this.#unsentSuccesses = 0;
    this.#recent.clear();
  }
}
