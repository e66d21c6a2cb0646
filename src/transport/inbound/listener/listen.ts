import type { AddressInfo, Server } from 'node:net';
import type { ListenAddress } from '../../../core/http/listen-address.ts';
import { listenOnPath } from './unix-socket.ts';

/** A server that listens. */
export interface Listening {
  /** The address as clients write it. */
  readonly url: string;
  /** Removes a socket from the file system, once nobody may connect any more. Never throws. */
  release(): void;
}

/**
 * Connections that the system holds until they are accepted: a thousand clients may come back in one second after a
 * restart, and what does not fit is reset. The system's own limit (`net.core.somaxconn`) counts where it is lower.
 */
export const backlog = 4096;

/** Starts listening; rejects with the system's error (`EADDRINUSE`, `EACCES`). */
export async function listen(server: Server, address: ListenAddress): Promise<Listening> {
  if ('path' in address) return { url: `unix:${address.path}`, release: await listenOnPath(server, address.path, address.mode) };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address.host, port: address.port, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, release: () => {} };
}
