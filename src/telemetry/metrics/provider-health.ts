/** One slot is a minute, and so many make the window that is looked at. */
const slotMs = 60_000;
const slots = 5;
/** Attempts that must have failed, with none that worked, before a provider counts as down. */
const leastFailures = 3;

/** Attempts that worked, and that failed. */
export type HealthCounts = readonly [good: number, failed: number];

export const isUp = ([good, failed]: HealthCounts): boolean => good > 0 || failed < leastFailures;

/** How the attempts of the last five minutes at one provider ended. */
export class ProviderHealth {
  readonly #good: number[] = Array.from({ length: slots }, () => 0);
  readonly #failed: number[] = Array.from({ length: slots }, () => 0);
  #slot = 0;

  /** @param now Unix milliseconds */
  add(isFailure: boolean, now: number): void {
    this.#turn(now);
    const counts = isFailure ? this.#failed : this.#good;
    const at = this.#slot % slots;
    counts[at] = (counts[at] ?? 0) + 1;
  }

  isUp(now: number): boolean {
    return isUp(this.counts(now));
  }

  counts(now: number): HealthCounts {
    this.#turn(now);
    return [sum(this.#good), sum(this.#failed)];
  }

  /** Empties the slots that time has passed over. A time that was set back changes nothing. */
  #turn(now: number): void {
    const slot = Math.floor(now / slotMs);
    for (let passed = Math.max(this.#slot + 1, slot - slots + 1); passed <= slot; passed += 1) {
      this.#good[passed % slots] = 0;
      this.#failed[passed % slots] = 0;
    }
    this.#slot = Math.max(this.#slot, slot);
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
