/** Length of a slot, and number of slots in the observed window: five minutes. */
const slotMs = 60_000;
const slots = 5;
/** Minimum number of failures, with no success, after which a provider is considered down. */
const minFailures = 3;

/** Successful and failed attempts. */
export type HealthCounts = readonly [good: number, failed: number];

export const isUp = ([good, failed]: HealthCounts): boolean => good > 0 || failed < minFailures;

/** Results of a provider's attempts in the last five minutes. */
export class ProviderHealth {
  readonly #good: number[] = Array.from({ length: slots }, () => 0);
  readonly #failed: number[] = Array.from({ length: slots }, () => 0);
  #slot = 0;

  /** @param now Unix milliseconds */
  add(isFailure: boolean, now: number): void {
    this.#expireSlots(now);
    const counts = isFailure ? this.#failed : this.#good;
    const at = this.#slot % slots;
    counts[at] = (counts[at] ?? 0) + 1;
  }

  isUp(now: number): boolean {
    return isUp(this.counts(now));
  }

  counts(now: number): HealthCounts {
    this.#expireSlots(now);
    return [sum(this.#good), sum(this.#failed)];
  }

  /** Clears the slots that have expired. A clock that was set back has no effect. */
  #expireSlots(now: number): void {
    const slot = Math.floor(now / slotMs);
    for (let passed = Math.max(this.#slot + 1, slot - slots + 1); passed <= slot; passed += 1) {
      this.#good[passed % slots] = 0;
      this.#failed[passed % slots] = 0;
    }
    this.#slot = Math.max(this.#slot, slot);
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
