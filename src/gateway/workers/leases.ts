/** Asks a worker for what it does not use, and resolves when `returned` was called for it: later where the worker is slow. */
type GiveBack<W> = (worker: W, owner: string) => Promise<unknown>;

/** Shares of a key's limit that a worker gets at once: a quarter of its part, so that a busy one rarely asks. */
const parts = 4;

/**
 * What each key may have in flight, lent to worker processes: the sum of what is lent never exceeds the limit. What a
 * worker does not use comes back when another one needs it, or when it dies.
 */
export class KeyLeases<W> {
  readonly #workers: number;
  readonly #giveBack: GiveBack<W>;
  /** Owner of a key → worker → how many it has. */
  readonly #lent = new Map<string, Map<W, number>>();
  /** One question about a key after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(workers: number, giveBack: GiveBack<W>) {
    this.#workers = workers;
    this.#giveBack = giveBack;
  }

  /** Lends some to a worker. Resolves to how many it got: none where all are in use. */
  ask(worker: W, owner: string, limit: number): Promise<number> {
    const turn = (this.#turns.get(owner) ?? Promise.resolve()).then(() => this.#lend(worker, owner, limit));
    const settled = turn.catch(() => {});
    this.#turns.set(owner, settled);
    void settled.then(() => this.#turns.get(owner) === settled && this.#turns.delete(owner));
    return turn;
  }

  /** A worker gives some back, asked or by itself. */
  returned(worker: W, owner: string, count: number): void {
    this.#change(owner, worker, -count);
  }

  /** A worker is gone, and its requests with it. */
  forget(worker: W): void {
    for (const [owner, lent] of this.#lent) this.#change(owner, worker, -(lent.get(worker) ?? 0));
  }

  async #lend(worker: W, owner: string, limit: number): Promise<number> {
    if (this.#free(owner, limit) <= 0) {
      const others = [...(this.#lent.get(owner) ?? [])].flatMap(([other]) => (other === worker ? [] : [other]));
      await Promise.allSettled(others.map((other) => this.#giveBack(other, owner)));
    }
    const most = Math.max(1, Math.floor(limit / (this.#workers * parts)));
    const count = Math.max(0, Math.min(this.#free(owner, limit), most));
    this.#change(owner, worker, count);
    return count;
  }

  #free(owner: string, limit: number): number {
    let free = limit;
    for (const count of this.#lent.get(owner)?.values() ?? []) free -= count;
    return free;
  }

  #change(owner: string, worker: W, by: number): void {
    const lent = this.#lent.get(owner) ?? new Map<W, number>();
    const count = Math.max(0, (lent.get(worker) ?? 0) + by);
    if (count === 0) lent.delete(worker);
    else lent.set(worker, count);
    if (lent.size === 0) this.#lent.delete(owner);
    else this.#lent.set(owner, lent);
  }
}
