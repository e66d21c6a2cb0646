const slotMs = 10_000;
const slots = 6;

/** Counts the attempts of the last minute, in slots of ten seconds. Times are Unix milliseconds. */
export class MinuteWindow {
  readonly #all = new Float64Array(slots);
  readonly #failed = new Float64Array(slots);
  /** Number of the newest slot, counted from 1970. */
  #newest = 0;

  add(now: number, worked: number, failed: number): void {
    const at = this.#move(now) % slots;
    this.#all[at] = (this.#all[at] as number) + worked + failed;
    this.#failed[at] = (this.#failed[at] as number) + failed;
  }

  count(now: number): { readonly all: number; readonly failed: number } {
    this.#move(now);
    return this.#sum();
  }

  #sum(): { readonly all: number; readonly failed: number } {
    const sum = (one: number, other: number): number => one + other;
    return { all: this.#all.reduce(sum), failed: this.#failed.reduce(sum) };
  }

  clear(): void {
    this.#all.fill(0);
    this.#failed.fill(0);
  }

  /** Clears slots older than a minute. Returns the number of the newest slot, also if the system time goes back a little. */
  #move(now: number): number {
    const slot = Math.floor(now / slotMs);
    if (this.#newest - slot >= slots) this.#setBack(slot);
    else if (slot - this.#newest >= slots) this.clear();
    else {
      for (let old = this.#newest + 1; old <= slot; old += 1) {
        this.#all[old % slots] = 0;
        this.#failed[old % slots] = 0;
      }
    }
    this.#newest = Math.max(slot, this.#newest);
    return this.#newest;
  }

  /** The system time was set back: existing counts move to the current slot, and expire after a minute. */
  #setBack(slot: number): void {
    const { all, failed } = this.#sum();
    this.clear();
    this.#all[slot % slots] = all;
    this.#failed[slot % slots] = failed;
    this.#newest = slot;
  }
}
