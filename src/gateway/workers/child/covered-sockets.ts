import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { backlog } from '../../../transport/inbound/listener/listen.ts';

export interface CoveredSocketsDeps {
  serve(socket: Socket): void;
  onError(error: Error): void;
  /** Connections of one worker at most. */
  most(): number;
}

/** Sockets of other workers, on which this one listens as long as they don't. */
export class CoveredSockets {
  readonly #deps: CoveredSocketsDeps;
  readonly #servers = new Map<number, Server>();

  constructor(deps: CoveredSocketsDeps) {
    this.#deps = deps;
  }

  open(worker: number, handle: unknown): void {
    this.close(worker);
    const { serve, onError, most } = this.#deps;
    // As the server of `node:http` has its connections.
    const server = createServer({ allowHalfOpen: true, noDelay: true }, serve).on('error', onError);
    server.maxConnections = most();
    this.#servers.set(worker, server);
    server.listen(handle as ListenOptions, backlog);
  }

  /** Its connections stay. */
  close(worker: number): void {
    this.#servers.get(worker)?.close();
    this.#servers.delete(worker);
  }

  closeAll(): void {
    for (const worker of this.#servers.keys()) this.close(worker);
  }
}
