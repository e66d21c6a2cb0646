/** Asks a worker to return what it does not use. Resolves when it has called `returned`, which a slow worker does later. */
type ReclaimLease<W> = (worker: W, owner: string) => Promise<unknown>;

/** A worker gets a quarter of its share of a key's limit at a time, so that a busy worker asks rarely. */
const leaseDivisor = 4;

/**
 * Leases parts of each key's in-flight limit to worker processes: the sum of all leases never exceeds the limit. What a
 * worker does not use is returned when another one needs it, or when the worker dies.
 */
export class KeyLeases<W> {
  readonly #workers: number;
  readonly #reclaim: ReclaimLease<W>;
  /** Owner of a key → worker → leased number. */
  readonly #leased = new Map<string, Map<W, number>>();
  /** Requests for the leases of one key run one after another. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(workers: number, giveBack: ReclaimLease<W>) {
    this.#workers = workers;
    this.#reclaim = giveBack;
  }

  /** Grants a lease to a worker. Resolves to the number granted: 0 if the limit is in use. */
  lease(worker: W, owner: string, limit: number): Promise<number> {
    const turn = (this.#queues.get(owner) ?? Promise.resolve()).then(() => this.#grant(worker, owner, limit));
    const settled = turn.catch(() => {});
    this.#queues.set(owner, settled);
    void settled.then(() => this.#queues.get(owner) === settled && this.#queues.delete(owner));
    return turn;
  }

  /** Called when a worker returns a part of its lease, on request or not. */
  returned(worker: W, owner: string, count: number): void {
    this.#change(owner, worker, -count);
  }

  /** A worker has ended, and its requests with it. */
  forget(worker: W): void {
    for (const [owner, leased] of this.#leased) this.#change(owner, worker, -(leased.get(worker) ?? 0));
  }

  async #grant(worker: W, owner: string, limit: number): Promise<number> {
    if (this.#free(owner, limit) <= 0) {
      const others = [...(this.#leased.get(owner) ?? [])].flatMap(([other]) => (other === worker ? [] : [other]));
      await Promise.allSettled(others.map((other) => this.#reclaim(other, owner)));
    }
    const maxPerLease = Math.max(1, Math.floor(limit / (this.#workers * leaseDivisor)));
    const count = Math.max(0, Math.min(this.#free(owner, limit), maxPerLease));
    this.#change(owner, worker, count);
    return count;
  }

  #free(owner: string, limit: number): number {
    let free = limit;
    for (const count of this.#leased.get(owner)?.values() ?? []) free -= count;
    return free;
  }

  #change(owner: string, worker: W, by: number): void {
    const leased = this.#leased.get(owner) ?? new Map<W, number>();
    const count = Math.max(0, (leased.get(worker) ?? 0) + by);
    if (count === 0) leased.delete(worker);
    else leased.set(worker, count);
    if (leased.size === 0) this.#leased.delete(owner);
    else this.#leased.set(owner, leased);
  }
}
