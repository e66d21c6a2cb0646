import type { WorkerProcess } from '../process.ts';
import type { SharedSockets } from './shared.ts';

/**
 * Assigns the sockets of workers that died, are starting or do not respond to other workers, so that clients do not
 * wait for a replacement, which may never start.
 */
export class SocketCover {
  readonly #by = new Map<number, WorkerProcess>();

  /** @param workers all worker numbers @param responsive workers that serve and respond */
  assign(sockets: SharedSockets | undefined, workers: readonly number[], responsive: readonly WorkerProcess[]): void {
    if (sockets?.hasSocketsPerWorker !== true) return;
    for (const worker of workers) {
      const by = this.#by.get(worker);
      const isUp = responsive.some((process) => process.worker === worker);
      if (by !== undefined && (isUp || !responsive.includes(by))) {
        by.channel.notify('uncover', worker);
        this.#by.delete(worker);
      }
      if (isUp || this.#by.has(worker)) continue;
      const next = responsive[worker % responsive.length];
      if (next === undefined) continue;
      for (const socket of sockets.of(worker)) next.channel.notify('cover', worker, socket);
      this.#by.set(worker, next);
    }
  }
}
