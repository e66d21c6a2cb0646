import net, { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { SendHandle } from 'node:child_process';
import { getSystemErrorName } from 'node:util';
import type { ListenAddress } from '../../../core/http/listen-address.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { listenShared, unusedAddress, urlOf } from '../../../transport/inbound/listener/sockets/listen.ts';
import { listenOnPath } from '../../../transport/inbound/listener/sockets/unix-socket.ts';

/** A bound socket, not listening yet. The process that receives the handle listens on it. */
type Bound = SendHandle & { close(): void };

/** Flag of libuv (SO_REUSEPORT): several sockets share a port, and the kernel distributes connections among them. */
const reusePort = 2;

const typeOf = ({ family }: AddressInfo): 4 | 6 => (family === 'IPv6' ? 6 : 4);

/**
 * Creates a bound socket with an internal function of Node. A `net.Server` would accept connections in this process.
 *
 * @throws Error with the code of the operating system
 */
export function bind(address: string, port: number, type: 4 | 6 | -1, flags: number): Bound {
  const make = (net as unknown as { _createServerHandle(...args: unknown[]): Bound | number })._createServerHandle;
  const made = make(address, port, type, undefined, flags);
  if (typeof made === 'number') throw Object.assign(new Error(`bind ${address}`), { code: getSystemErrorName(made) });
  return made;
}

/**
 * The sockets of a data listener that worker processes share. The supervisor owns them: connections queued on the
 * socket of a dead worker are served by its replacement, and no other process can take the port in between.
 */
export class SharedSockets {
  readonly url: string;
  /** The sockets of each worker; one list for all workers if the system has no shared ports. */
  readonly #bound: readonly (readonly Bound[])[];
  readonly #release: () => void;
  /** Holds the port until a worker listens; connections made meanwhile wait. */
  readonly #portHolder: Server | undefined;
  readonly #earlyConnections: Socket[];

  private constructor(url: string, bound: readonly Bound[][], early: Socket[], keeper: Server | undefined, release: () => void) {
    this.url = url;
    this.#bound = bound;
    this.#earlyConnections = early;
    this.#portHolder = keeper;
    this.#release = release;
  }

  /**
   * Binds the address. Rejects with the system's error if it is in use.
   *
   * @param workers number of workers
   * @param perWorker number of sockets of each worker
   * @param bindTo replaces `bind` on systems without shared ports
   */
  static async open(address: ListenAddress, workers: number, perWorker: number, bindTo = bind): Promise<SharedSockets> {
    if ('path' in address) {
      let bound: Bound | undefined;
      const take = (path: string): void => void (bound = bindTo(path, -1, -1, 0));
      const release = await listenOnPath(take, address.path, address.mode);
      return new SharedSockets(`unix:${address.path}`, bound === undefined ? [] : [[bound]], [], undefined, release);
    }
    const early: Socket[] = [];
    const made: Bound[] = [];
    // One extra socket that listens at once: a port that no socket listens on could be assigned to another process, or to
    // another gateway that starts and finds it unused, too.
    const portHolder = createServer({ pauseOnConnect: true }, (socket) => early.push(socket.on('error', () => {})));
    try {
      const first = await listenShared(portHolder, address);
      const share = (): Bound => {
        const bound = bindTo(first.address, first.port, typeOf(first), reusePort);
        made.push(bound);
        return bound;
      };
      const bound = Array.from({ length: workers }, () => Array.from({ length: perWorker }, share));
      return new SharedSockets(urlOf(address.host, first), bound, early, portHolder, () => {});
    } catch (error) {
      portHolder.close();
      for (const one of made) one.close();
      if (errorCode(error) === 'EADDRINUSE') throw error;
      const unused = await unusedAddress(address);
      const bound = [[bindTo(unused.address, unused.port, typeOf(unused), 0)]];
      return new SharedSockets(urlOf(address.host, unused), bound, early, undefined, () => {});
    }
  }

  /** True if each worker has its own sockets, whose queued connections only it accepts. */
  get hasSocketsPerWorker(): boolean {
    return this.#bound.length > 1;
  }

  /** Sockets for a worker, by its number from 1. */
  of(worker: number): readonly SendHandle[] {
    return this.#bound[(worker - 1) % this.#bound.length] ?? [];
  }

  /** Called when all workers listen. Returns the connections accepted before that, for the workers to serve. */
  takeEarlyConnections(): readonly Socket[] {
    this.#portHolder?.close();
    return this.#earlyConnections.splice(0);
  }

  /** Closes the supervisor's handles: the sockets close when no worker has them either. */
  close(): void {
    this.#portHolder?.close();
    for (const socket of this.#earlyConnections) socket.destroy();
    for (const bound of this.#bound.flat()) bound.close();
  }

  /** Removes a Unix socket from the file system. */
  release(): void {
    this.#release();
  }
}
