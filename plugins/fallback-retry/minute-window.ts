const slotMs = 10_000;
const slots = 6;

/** Attempts within the last minute, in slots of ten seconds. Times are Unix milliseconds. */
export class MinuteWindow {
  readonly #all = new Float64Array(slots);
  readonly #failed = new Float64Array(slots);
  /** Number of the newest slot since 1970. */
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

  /** Empties what is over a minute old. The number of the newest slot; a clock that goes back a little stays in it. */
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

  /** The time of day was set back: what was counted is of now, and ends in a minute like all else. */
  #setBack(slot: number): void {
    const { all, failed } = this.#sum();
    this.clear();
    this.#all[slot % slots] = all;
    this.#failed[slot % slots] = failed;
    this.#newest = slot;
  }
}
