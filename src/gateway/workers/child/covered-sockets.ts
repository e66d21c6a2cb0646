import type { SendHandle } from 'node:child_process';
import type { Server } from 'node:net';
import { listening } from '../../../transport/inbound/listener/sockets/listen.ts';
import type { ListeningSockets } from '../../../transport/inbound/listener/sockets/listening-sockets.ts';

/** Listening sockets of other workers, which this worker serves while those workers do not listen. */
export class CoveredSockets {
  readonly #sockets: () => ListeningSockets | undefined;
  readonly #listeners = new Map<number, Server[]>();

  /** @param sockets those of this worker; undefined before it listens */
  constructor(sockets: () => ListeningSockets | undefined) {
    this.#sockets = sockets;
  }

  /** Listens on one socket of a worker. The sockets of each worker have a limit of connections of their own. */
  async open(worker: number, socket: SendHandle): Promise<void> {
    const listeners = this.#listeners.get(worker) ?? [];
    const listener = this.#sockets()?.createListener(listeners);
    if (listener === undefined) return;
    listeners.push(listener);
    this.#listeners.set(worker, listeners);
    await listening(listener, socket);
  }

  /** Stops listening on the sockets of a worker. Open connections stay. */
  close(worker: number): void {
    for (const listener of this.#listeners.get(worker) ?? []) listener.close();
    this.#listeners.delete(worker);
  }
}
