import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { Roll } from './core/roll.ts';
import type { Handling } from './pipeline/handle.ts';

/** What a stop waits for, and for how long. */
export interface DrainPlan {
  /** Milliseconds in which new requests are still taken, so that a load balancer notices the probe first. */
  readonly delayMs: number;
  /** Milliseconds for running answers after that. */
  readonly timeoutMs: number;
}

/** How often the running requests are counted, in milliseconds. */
const lookEvery = 20;

/**
 * The gateway's way to a stop (ux.md 2.6): not ready at once, no new requests after the delay, running answers to
 * their end within the timeout, and what is left is ended with a well-formed error.
 */
export class Drain {
  readonly running = new Roll<Handling>();
  #stopping = false;
  #refusing = false;

  /** Set from the first moment of a stop: `/readyz` says 503. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** New requests are refused. */
  get isRefusing(): boolean {
    return this.#refusing;
  }

  async run(server: Server, plan: DrainPlan): Promise<void> {
    this.#stopping = true;
    if (plan.delayMs > 0) await pause(plan.delayMs);
    this.#refusing = true;
    // Not the HTTP server's own `close`: it takes a connection for idle as soon as its answer was handed over, and cuts
    // off the rest that a slow client has not taken yet. Idle ones stay: a request on them is refused and closes them.
    NetServer.prototype.close.call(server);
    const end = performance.now() + plan.timeoutMs;
    while (this.running.size > 0 && performance.now() < end) await pause(lookEvery);
    this.running.each((handling) => handling.stop());
    // The error events are written when their records are: one turn of the loop later.
    for (let turns = 0; this.running.size > 0 && turns < 50; turns += 1) await pause(lookEvery);
    server.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
