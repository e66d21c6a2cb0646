import type { CircuitPolicy } from '#core/snapshot.ts';
import { MinuteWindow } from './minute-window.ts';

/** Message to other worker processes about a circuit: ended attempts, or a change of its state. */
export type CircuitMessage =
  | { readonly id: string; readonly worked: number; readonly failed: number }
  /** Unix milliseconds until which the target is skipped; 0: closed. */
  | { readonly id: string; readonly since: number; readonly until: number };

/** Change of a circuit's state by an attempt; undefined: no change. */
export type Turn = 'opened' | 'closed' | undefined;

/** Milliseconds for which successful attempts are collected before a message, so that most requests send none. */
const gatherMs = 1000;

/**
 * The circuit breaker of one target. Closed, it counts failures. Open, it blocks all requests until the cool-down is over,
 * and then admits one request, whose attempt closes it or opens it again. All times are Unix milliseconds.
 */
export class Circuit {
  readonly #id: string;
  readonly #send: (message: CircuitMessage) => void;
  readonly #recent = new MinuteWindow();
  /** Failures since the last successful attempt. */
  #row = 0;
  /** Time of opening, and time until which the target is skipped; 0 while it is closed. */
  #since = 0;
  #until = 0;
  /** Successful attempts that were not sent to the other processes yet, and the time of the last message. */
  #unsent = 0;
  #sentAt = 0;

  constructor(id: string, send: (message: CircuitMessage) => void) {
    this.#id = id;
    this.#send = send;
  }

  /** Milliseconds until the target is tried again; 0: it may be tried now. */
  wait(policy: CircuitPolicy, now: number): number {
    this.#keepTo(policy, now);
    return Math.max(0, this.#until - now);
  }

  /** True if the target is skipped, or tried by only one request. */
  get isOpen(): boolean {
    return this.#until !== 0;
  }

  /** Reserves the trial after the cool-down for this request. The others use another target. */
  try(policy: CircuitPolicy, now: number): void {
    if (this.#until !== 0) this.#turn(this.#since, now + policy.cooldownMs);
  }

  /** @param began start of the attempt. An attempt from before the circuit opened is ignored */
  note(policy: CircuitPolicy, hasFailed: boolean, { began, now }: { readonly began: number; readonly now: number }): Turn {
    this.#keepTo(policy, now);
    if (this.#until === 0) return hasFailed ? this.#failed(policy, now) : this.#worked(policy, now);
    if (began < this.#since) return undefined;
    this.#turn(hasFailed ? now : 0, hasFailed ? now + policy.cooldownMs : 0);
    return hasFailed ? 'opened' : 'closed';
  }

  receive(word: CircuitMessage, now: number): void {
    if ('until' in word) return this.#set(word.since, word.until);
    if (this.#until !== 0) return;
    this.#row = word.failed + (word.worked > 0 ? 0 : this.#row);
    this.#recent.add(now, word.worked, word.failed);
  }

  /** If the system time was set back, the cool-down does not become longer, and new attempts count. */
  #keepTo({ cooldownMs }: CircuitPolicy, now: number): void {
    if (now >= this.#since) return;
    this.#since = now;
    this.#until = Math.min(this.#until, now + cooldownMs);
  }

  #failed(policy: CircuitPolicy, now: number): Turn {
    this.#row += 1;
    this.#recent.add(now, 0, 1);
    if (this.#isTooMuch(policy, now)) {
      this.#turn(now, now + policy.cooldownMs);
      return 'opened';
    }
    this.#sendCounts(1, now);
    return undefined;
  }

  #worked({ share }: CircuitPolicy, now: number): undefined {
    const endsRow = this.#row > 0;
    this.#row = 0;
    if (share !== undefined) {
      this.#recent.add(now, 1, 0);
      this.#unsent += 1;
    } else if (endsRow) this.#unsent = 1;
    if (endsRow || (share !== undefined && now - this.#sentAt >= gatherMs)) this.#sendCounts(0, now);
  }

  #isTooMuch({ failures, share, minimum }: CircuitPolicy, now: number): boolean {
    if (failures !== undefined && this.#row >= failures) return true;
    if (share === undefined) return false;
    const { all, failed } = this.#recent.count(now);
    return all >= minimum && failed >= share * all;
  }

  #sendCounts(failed: number, now: number): void {
    this.#send({ id: this.#id, worked: this.#unsent, failed });
    this.#unsent = 0;
    this.#sentAt = now;
  }

  #turn(since: number, until: number): void {
    this.#set(since, until);
    this.#send({ id: this.#id, since, until });
  }

  /** Resets the counts. */
  #set(since: number, until: number): void {
    this.#since = since;
    this.#until = until;
    this.#row = 0;
    this.#unsent = 0;
    this.#recent.clear();
  }
}
