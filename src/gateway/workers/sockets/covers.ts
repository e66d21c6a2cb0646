import type { WorkerProcess } from '../process.ts';
import type { SharedSockets } from './shared.ts';

/**
 * Who listens on the sockets of workers that are gone, start or do not respond: whoever connects does not wait for the
 * next worker, which may never come.
 */
export class Covers {
  readonly #by = new Map<number, WorkerProcess>();

  /** @param workers their numbers @param up those that serve and respond */
  look(sockets: SharedSockets | undefined, workers: readonly number[], up: readonly WorkerProcess[]): void {
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
