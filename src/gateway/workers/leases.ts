/** Asks a worker to return what it does not use. Resolves when it has called `returned`, which a slow worker does later. */
type GiveBack<W> = (worker: W, owner: string) => Promise<unknown>;

/** A worker gets a quarter of its share of a key's limit at a time, so that a busy worker asks rarely. */
const parts = 4;

/**
 * Leases parts of each key's in-flight limit to worker processes: the sum of all leases never exceeds the limit. What a
 * worker does not use is returned when another one needs it, or when the worker dies.
 */
export class KeyLeases<W> {
  readonly #workers: number;
  readonly #giveBack: GiveBack<W>;
  /** Owner of a key → worker → leased number. */
  readonly #lent = new Map<string, Map<W, number>>();
  /** Requests for the leases of one key run one after another. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(workers: number, giveBack: GiveBack<W>) {
    this.#workers = workers;
    this.#giveBack = giveBack;
  }

  /** Grants a lease to a worker. Resolves to the number granted: 0 if the limit is in use. */
  ask(worker: W, owner: string, limit: number): Promise<number> {
    const turn = (this.#turns.get(owner) ?? Promise.resolve()).then(() => this.#lend(worker, owner, limit));
    const settled = turn.catch(() => {});
    this.#turns.set(owner, settled);
    void settled.then(() => this.#turns.get(owner) === settled && this.#turns.delete(owner));
    return turn;
  }

  /** Called when a worker returns a part of its lease, on request or not. */
  returned(worker: W, owner: string, count: number): void {
    this.#change(owner, worker, -count);
  }

  /** A worker has ended, and its requests with it. */
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
