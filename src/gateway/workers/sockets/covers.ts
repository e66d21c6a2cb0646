import type { WorkerProcess } from '../process.ts';
import type { SharedSockets } from './shared.ts';

/**
 * Assigns the sockets of workers that died, are starting or do not respond to other workers, so that clients do not
 * wait for a replacement, which may never start.
 */
export class Covers {
  readonly #by = new Map<number, WorkerProcess>();

  /** @param workers all worker numbers @param up workers that serve and respond */
  assign(sockets: SharedSockets | undefined, workers: readonly number[], up: readonly WorkerProcess[]): void {
    if (sockets?.isDivided !== true) return;
    for (const worker of workers) {
      const by = this.#by.get(worker);
      const isUp = up.some((process) => process.worker === worker);
      if (by !== undefined && (isUp || !up.includes(by))) {
        by.channel.tell('uncover', worker);
        this.#by.delete(worker);
      }
      if (isUp || this.#by.has(worker)) continue;
      const next = up[worker % up.length];
      if (next === undefined) continue;
      next.channel.tell('cover', worker, sockets.of(worker));
      this.#by.set(worker, next);
    }
  }
}
