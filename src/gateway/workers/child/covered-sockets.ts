import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { backlog } from '../../../transport/inbound/listener/listen.ts';

export interface CoveredSocketsDeps {
  serve(socket: Socket): void;
  onError(error: Error): void;
  /** Limits the connections of a server. */
  limit(server: Server): void;
}

/** Listening sockets of other workers, which this worker serves while those workers do not listen. */
export class CoveredSockets {
  readonly #deps: CoveredSocketsDeps;
  readonly #servers = new Map<number, Server>();

  constructor(deps: CoveredSocketsDeps) {
    this.#deps = deps;
  }

  open(worker: number, handle: unknown): void {
    this.close(worker);
    const { serve, onError, limit } = this.#deps;
    // Same socket options as a `node:http` server.
    const server = createServer({ allowHalfOpen: true, noDelay: true }, serve).on('error', onError);
    limit(server);
    this.#servers.set(worker, server);
    server.listen(handle as ListenOptions, backlog);
  }

  /** Stops listening. Open connections stay. */
  close(worker: number): void {
    this.#servers.get(worker)?.close();
    this.#servers.delete(worker);
  }

  closeAll(): void {
    for (const worker of this.#servers.keys()) this.close(worker);
  }
}
