import type { Server } from 'node:net';
import type { Log } from '../telemetry/log.ts';
import { refusalReporter } from './log/reporters.ts';

export interface ConnectionLimitDeps {
  readonly log: Pick<Log, 'warn'>;
  monotonic(): number;
  /** Called with each connection that is refused. */
  readonly onRefused?: (() => void) | undefined;
}

const hint = 'Raise server.max_connections, or find the clients that keep so many connections open.';

/** Limits the client connections of the servers of this process, and counts those that are refused. */
export class ConnectionLimit {
  readonly #onRefused: (() => void) | undefined;
  readonly #report: ReturnType<typeof refusalReporter>;
  readonly #servers = new Set<Server>();
  #most: number;
  #refused = 0;

  /** @param most maximum number of open connections of each server */
  constructor(most: number, { log, monotonic, onRefused }: ConnectionLimitDeps) {
    this.#most = most;
    this.#onRefused = onRefused;
    this.#report = refusalReporter(log, monotonic);
  }

  /** Number of connections refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  set most(most: number) {
    this.#most = most;
    for (const server of this.#servers) server.maxConnections = most;
  }

  add(server: Server): void {
    server.maxConnections = this.#most;
    this.#servers.add(server);
    server.on('drop', this.#onDrop).on('close', () => this.#servers.delete(server));
  }

  /** Node has accepted a connection and closed it at once. */
  readonly #onDrop = (): void => {
    this.#refused += 1;
    this.#report(this.#most, hint);
    this.#onRefused?.();
  };
}
