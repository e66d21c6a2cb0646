import type { Server } from 'node:net';
import type { Log } from '../telemetry/log.ts';
import { rejectionReporter } from './log/reporters.ts';

/** Part of the open files of a process that client connections may use: the rest is for providers, files and reloads. */
const clientsPart = 3 / 4;

/** Maximum number of client connections of a process that may open this many files. */
export const connectionsFor = (openFiles: number | undefined): number =>
  openFiles === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(openFiles * clientsPart));

/** Number of open files that a process needs for this many client connections. */
export const openFilesFor = (connections: number): number => Math.ceil(connections / clientsPart);

/** What to do if `server.max_connections` is the limit, and if the limit of open files is. */
const hints = {
  setting: 'Raise server.max_connections, or find the clients that keep so many connections open.',
  openFiles: 'Raise the limit of open files (ulimit -n, LimitNOFILE of systemd), or find the clients that keep so many connections open.',
} as const;

export interface ConnectionLimitDeps {
  readonly log: Pick<Log, 'warn'>;
  monotonic(): number;
  /** Maximum number of open files of this process. */
  readonly openFiles: number | undefined;
  /** Called with each connection that is rejected. */
  readonly onRejected?: (() => void) | undefined;
}

/** `_connections`: Node's own count, which it compares with `maxConnections`. The documented way to it calls back later. */
type CountingServer = Server & { readonly _connections?: number };

/**
 * Limits the client connections of the servers of this process, and counts those that are rejected. If no file descriptor were
 * free, the system would close connections silently, and requests to providers would fail.
 */
export class ConnectionLimit {
  readonly #onRejected: (() => void) | undefined;
  readonly #report: ReturnType<typeof rejectionReporter>;
  readonly #processMax: number;
  readonly #servers = new Set<CountingServer>();
  #rejected = 0;
  /** Maximum number of open connections of each server. */
  max: number;

  constructor(max: number, { log, monotonic, openFiles, onRejected }: ConnectionLimitDeps) {
    this.max = max;
    this.#processMax = connectionsFor(openFiles);
    this.#onRejected = onRejected;
    this.#report = rejectionReporter(log, monotonic);
  }

  /** Number of connections rejected since the start. */
  get rejected(): number {
    return this.#rejected;
  }

  add(server: Server): void {
    this.#servers.add(server);
    // Node reads it with each connection that it has accepted.
    Object.defineProperty(server, 'maxConnections', { get: () => this.#maxOf(server) });
    server.on('drop', this.#onDrop).on('close', () => this.#servers.delete(server));
  }

  #maxOf(server: CountingServer): number {
    return Math.min(this.max, this.#processMax - (this.#open() - countOf(server)));
  }

  /** Open connections of all servers. */
  #open(): number {
    let open = 0;
    for (const server of this.#servers) open += countOf(server);
    return open;
  }

  /** Node has accepted a connection and closed it at once. */
  readonly #onDrop = (): void => {
    this.#rejected += 1;
    if (this.#open() >= this.#processMax) this.#report(this.#processMax, hints.openFiles);
    else this.#report(this.max, hints.setting);
    this.#onRejected?.();
  };
}

const countOf = ({ _connections: count }: CountingServer): number => count ?? 0;
