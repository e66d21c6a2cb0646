import net, { createServer, type Server, type Socket } from 'node:net';
import type { SendHandle } from 'node:child_process';
import type { ListenAddress } from '../../../core/http/listen-address.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { listen } from '../../../transport/inbound/listener/listen.ts';
import { listenOnPath } from '../../../transport/inbound/listener/unix-socket.ts';

/** A socket that is bound: whoever it is handed to listens on it. */
type Bound = SendHandle & { close(): void; getsockname?(out: object): number };

/** Of libuv: several sockets share a port, and the system divides the connections among them. */
const reusePort = 2;

/**
 * Node's own way to a socket that is bound and not read. A server that listens would accept connections in this process.
 * @throws Error with the code of the system
 */
export function bind(address: string, port: number, type: 4 | 6 | -1, flags: number): Bound {
  const make = (net as unknown as { _createServerHandle(...args: unknown[]): Bound | number })._createServerHandle;
  const made = make(address, port, type, undefined, flags);
  if (typeof made === 'number') throw Object.assign(new Error(`bind ${address}`), { errno: made });
  return made;
}

/**
 * The sockets of a data listener that worker processes share. They belong to the supervisor: what the system has queued
 * on one is served by whoever comes in place of a dead worker, and nobody else gets the port meanwhile.
 */
export class SharedSockets {
  readonly url: string;
  readonly #bound: readonly Bound[];
  readonly #release: () => void;
  /** Keeps the port until a worker listens; what connects meanwhile waits. */
  readonly #keeper: Server | undefined;
  readonly #early: Socket[];

  private constructor(url: string, bound: readonly Bound[], early: Socket[], keeper: Server | undefined, release: () => void) {
    this.url = url;
    this.#bound = bound;
    this.#early = early;
    this.#keeper = keeper;
    this.#release = release;
  }

  /** Rejects with the system's error where the address is in use. @param count of workers @param bindTo as `bind`, for systems without shared ports */
  static async open(address: ListenAddress, count: number, bindTo = bind): Promise<SharedSockets> {
    if ('path' in address) {
      let bound: Bound | undefined;
      const take = (path: string): void => void (bound = bindTo(path, -1, -1, 0));
      const release = await listenOnPath(take, address.path, address.mode);
      return new SharedSockets(`unix:${address.path}`, bound === undefined ? [] : [bound], [], undefined, release);
    }
    const early: Socket[] = [];
    const waiting = (): Server => createServer({ pauseOnConnect: true }, (socket) => early.push(socket.on('error', () => {})));
    // Alone at first: a port that is shared could be that of another gateway.
    const alone = waiting();
    const { url } = await listen(alone, address);
    const { address: host, port, family } = alone.address() as net.AddressInfo;
    alone.close();
    const type = family === 'IPv6' ? 6 : 4;
    const made: Bound[] = [];
    try {
      // One more, which listens at once: a port that nobody listens on could be given away.
      for (let n = 0; n <= count; n += 1) made.push(bindTo(host, port, type, reusePort));
      const [keeper, ...bound] = made;
      return new SharedSockets(url, bound, early, await listening(waiting(), keeper), () => {});
    } catch (error) {
      for (const one of made) one.close();
      // The system says so when somebody listens, not when the socket is bound.
      if (errorCode(error) === 'EADDRINUSE') throw error;
      return new SharedSockets(url, [bindTo(host, port, type, 0)], early, undefined, () => {});
    }
  }

  /** Each worker has one of its own: nobody else reads what the system has queued on it. */
  get isDivided(): boolean {
    return this.#bound.length > 1;
  }

  /** For a worker, by its number from 1 on; one for all where the system has no shared ports. */
  of(worker: number): SendHandle {
    const found = this.#bound[(worker - 1) % this.#bound.length];
    if (found === undefined) throw new Error('the data listener is closed');
    return found;
  }

  /** All workers listen: what connected before is theirs. @returns those connections */
  served(): readonly Socket[] {
    this.#keeper?.close();
    return this.#early.splice(0);
  }

  /** Gives the sockets up: they are closed when no worker has them any more. */
  close(): void {
    this.#keeper?.close();
    for (const socket of this.#early) socket.destroy();
    for (const bound of this.#bound) bound.close();
  }

  /** Removes a socket from the file system. */
  release(): void {
    this.#release();
  }
}

function listening(server: Server, on: SendHandle | undefined): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(on, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}
