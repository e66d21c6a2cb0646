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

/**
 * Number of sockets on which one of these processes listens. They leave at least 63 of 64 files of a process for other
 * uses, even those of all processes together.
 */
export const socketsFor = (openFiles = Number.POSITIVE_INFINITY, processes = 1): number =>
  Math.min(maxSockets, Math.max(1, Math.floor(openFiles / processes / 64)));

/** In a gateway saturated by 128 connections, 400 new ones a second wait 20 ms for their response with these, and seconds with four. */
const maxSockets = 16;

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
 * Limits the client connections of the listeners of this process, and counts those that are rejected. If no file descriptor were
 * free, the system would close connections silently, and requests to providers would fail.
 */
export class ConnectionLimit {
  readonly #onRejected: (() => void) | undefined;
  readonly #report: ReturnType<typeof rejectionReporter>;
  readonly #processMax: number;
  /** Groups of listeners that share one limit, by listener. */
  readonly #groups = new Map<CountingServer, object>();
  #rejected = 0;
  /** Maximum number of open connections of each group of listeners. */
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

  /** @param group the listeners of one group share the limit */
  add(listener: Server, group: object): void {
    this.#groups.set(listener, group);
    // Node reads it with each connection that it has accepted.
    Object.defineProperty(listener, 'maxConnections', { get: () => this.#maxOf(listener, group) });
    listener.on('drop', this.#onDrop).on('close', () => this.#groups.delete(listener));
  }

  #maxOf(listener: CountingServer, group: object): number {
    return countOf(listener) + Math.min(this.max - this.#open(group), this.#processMax - this.#open());
  }

  /** Open connections of a group, or of all listeners. */
  #open(group?: object): number {
    let open = 0;
    for (const [listener, its] of this.#groups) if (group === undefined || its === group) open += countOf(listener);
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
