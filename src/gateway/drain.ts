import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { DenseSet } from '../core/memory/dense-set.ts';
import type { Handling } from '../pipeline/handle.ts';
import type { Connections } from '../transport/inbound/listener/connections.ts';

/** What a stop waits for, and for how long. */
export interface DrainPlan {
  /** Milliseconds in which new connections are still accepted, so that a load balancer notices the probe first. */
  readonly delayMs: number;
  /** Milliseconds for running requests after that. */
  readonly timeoutMs: number;
}

/** How often the running requests are counted, in milliseconds. */
const lookEvery = 20;

/**
 * How long a kept connection must have been idle before it is closed, in milliseconds. A busy client sends its next
 * request within this time, is answered with `connection: close`, and moves away without a failure.
 */
const quietMs = 1000;

/**
 * The gateway's way to a stop: not ready at once, and each answer asks the client to reconnect. New connections are
 * accepted until the delay is over. Requests on connections that are there are served until the timeout, and what is
 * left then is ended with a well-formed error.
 */
export class Drain {
  readonly running = new DenseSet<Handling>();
  #stopping = false;
  #refusing = false;

  /** Set from the first moment of a stop: `/readyz` says 503. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** The time for running requests is over: new ones are refused. */
  get isRefusing(): boolean {
    return this.#refusing;
  }

  async run(server: Server, connections: Connections, plan: DrainPlan): Promise<void> {
    this.#stopping = true;
    connections.leave(performance.now());
    if (plan.delayMs > 0) await pause(plan.delayMs);
    // What the system has connected already is accepted first: it would be reset when the listener closes.
    await afterPoll();
    // Not the HTTP server's own `close`: it takes a connection for idle as soon as its answer was handed over, and cuts
    // off the rest that a slow client has not taken yet.
    NetServer.prototype.close.call(server);
    const end = performance.now() + plan.timeoutMs;
    while (performance.now() < end) {
      await afterPoll();
      const left = connections.closeQuiet(performance.now(), quietMs);
      if (left === 0 && this.running.size === 0) break;
      await pause(lookEvery);
    }
    this.#refusing = true;
    this.running.each((handling) => handling.stop());
    // The error events are written when their records are: one turn of the loop later.
    for (let turns = 0; this.running.size > 0 && turns < 50; turns += 1) await pause(lookEvery);
    server.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves right after the event loop has read all sockets that had something to read. */
function afterPoll(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
