import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { DenseSet } from '../core/memory/dense-set.ts';
import type { Handling } from '../pipeline/handle.ts';
import type { Connections } from '../transport/inbound/listener/connections.ts';

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

  async run(server: Server, connections: Connections, plan: DrainPlan): Promise<void> {
    this.#stopping = true;
    connections.startDraining(performance.now());
    if (plan.delayMs > 0) await pause(plan.delayMs);
    // Accepts the connections already queued by the system first: closing the listener would reset them.
    await afterPoll();
    // Not the HTTP server's `close`: it treats a connection as idle as soon as the response was written, and would cut
    // off data that a slow client has not received yet.
    NetServer.prototype.close.call(server);
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
    server.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves after the event loop has read all readable sockets. */
function afterPoll(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
