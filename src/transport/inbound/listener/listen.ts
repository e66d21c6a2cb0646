import type { AddressInfo, ListenOptions, Server } from 'node:net';
import type { ListenAddress } from '../../../core/http/listen-address.ts';
import { listenOnPath } from './unix-socket.ts';

/** A listening server. */
export interface Listening {
  /** The address in the form clients use. */
  readonly url: string;
  /** Removes a Unix socket from the file system, after the listener is closed. Never throws. */
  release(): void;
}

/**
 * Length of the accept queue: after a restart, a thousand clients may reconnect within a second, and connections beyond
 * the queue are reset. The system limit (`net.core.somaxconn`) applies if it is lower.
 */
export const backlog = 4096;

/** Starts listening; rejects with the system's error (`EADDRINUSE`, `EACCES`). */
export async function listen(server: Server, address: ListenAddress): Promise<Listening> {
  if ('path' in address) {
    const { path, mode } = address;
    return { url: `unix:${path}`, release: await listenOnPath((bound) => listening(server, { path: bound, backlog }), path, mode) };
  }
  await listening(server, { host: address.host, port: address.port, backlog });
  const { port } = server.address() as AddressInfo;
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, release: () => {} };
}

function listening(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
