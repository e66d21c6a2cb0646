const slotMs = 10_000;
const slotCount = 6;

/** Counts the attempts of the last minute, in slots of ten seconds. Times are Unix milliseconds. */
export class MinuteWindow {
  readonly #totals = new Float64Array(slotCount);
  readonly #failed = new Float64Array(slotCount);
  /** Number of the newest slot, counted from 1970. */
  #newest = 0;

  add(now: number, worked: number, failed: number): void {
    const at = this.#advance(now) % slotCount;
    this.#totals[at] = (this.#totals[at] as number) + worked + failed;
    this.#failed[at] = (this.#failed[at] as number) + failed;
  }

  count(now: number): { readonly all: number; readonly failed: number } {
    this.#advance(now);
    return this.#sum();
  }

  #sum(): { readonly all: number; readonly failed: number } {
    const sum = (one: number, other: number): number => one + other;
    return { all: this.#totals.reduce(sum), failed: this.#failed.reduce(sum) };
  }

  clear(): void {
    this.#totals.fill(0);
    this.#failed.fill(0);
  }

  /** Clears slots older than a minute. Returns the number of the newest slot, also if the system time goes back a little. */
  #advance(now: number): number {
    const slot = Math.floor(now / slotMs);
    if (this.#newest - slot >= slotCount) this.#setBack(slot);
    else if (slot - this.#newest >= slotCount) this.clear();
    else {
      for (let old = this.#newest + 1; old <= slot; old += 1) {
        this.#totals[old % slotCount] = 0;
        this.#failed[old % slotCount] = 0;
      }
    }
    this.#newest = Math.max(slot, this.#newest);
    return this.#newest;
  }

  /** The system time was set back: existing counts move to the current slot, and expire after a minute. */
  #setBack(slot: number): void {
    const { all, failed } = this.#sum();
    this.clear();
    this.#totals[slot % slotCount] = all;
    this.#failed[slot % slotCount] = failed;
    this.#newest = slot;
  }
}
