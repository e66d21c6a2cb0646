import { setImmediate as afterPoll, setTimeout as pause } from 'node:timers/promises';
import { DenseSet } from '../core/memory/dense-set.ts';
import type { Handling } from '../pipeline/handle.ts';
import type { Connections } from '../transport/inbound/listener/connections.ts';
import type { ListeningSockets } from '../transport/inbound/listener/sockets/listening-sockets.ts';

/** What a shutdown waits for, and how long. */
export interface DrainPlan {
  /** Milliseconds during which new connections are still accepted, so that a load balancer sees the failing probe first. */
  readonly delayMs: number;
  /** Milliseconds that running requests get after the delay. */
  readonly timeoutMs: number;
}

/** Interval between two checks of the running requests, in milliseconds. */
const checkEvery = 20;

/**
 * Minimum idle time of a keep-alive connection before it is closed, in milliseconds. A busy client sends its next
 * request within this time, gets a response with `connection: close`, and reconnects elsewhere without an error.
 */
const quietMs = 1000;

/**
 * Graceful shutdown. Readiness fails at once, and each response asks the client to reconnect. New connections are
 * accepted until the delay is over. Requests on existing connections are served until the timeout; the remaining ones
 * then end with a well-formed error.
 */
export class Drain {
  readonly running = new DenseSet<Handling>();
  #stopping = false;
  #refusing = false;

  /** True from the start of the shutdown: `/readyz` returns 503. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** True when the timeout for running requests is over: new requests are rejected. */
  get isRefusing(): boolean {
    return this.#refusing;
  }

  async run(sockets: ListeningSockets, connections: Connections, plan: DrainPlan): Promise<void> {
    this.#stopping = true;
    connections.startDraining(performance.now());
    if (plan.delayMs > 0) await pause(plan.delayMs);
    await sockets.stop();
    const end = performance.now() + plan.timeoutMs;
    while (performance.now() < end) {
      await afterPoll();
      const openConnections = connections.closeIdle(performance.now(), quietMs);
      if (openConnections === 0 && this.running.size === 0) break;
      await pause(checkEvery);
    }
    this.#refusing = true;
    this.running.each((handling) => handling.stop());
    // The error events are written together with their records, one turn of the event loop later.
    for (let turns = 0; this.running.size > 0 && turns < 50; turns += 1) await pause(checkEvery);
    await sockets.close();
  }
}
