import type { SendHandle } from 'node:child_process';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import type { ListenAddress } from '../../../../core/http/listen-address.ts';
import { listenOnPath } from './unix-socket.ts';

/** A listening server. */
export interface Listening {
  /** The address in the form clients use. */
  readonly url: string;
  /** Removes a Unix socket from the file system, after the listener is closed. Never throws. */
  release(): void;
}

/** Host and port of a TCP socket. */
export type PortAddress = Extract<ListenAddress, { readonly port: number }>;

/**
 * Length of the accept queue: after a restart, a thousand clients may reconnect within a second, and connections beyond
 * the queue are reset. The system limit (`net.core.somaxconn`) applies if it is lower.
 */
const backlog = 4096;

/** Starts listening; rejects with the system's error (`EADDRINUSE`, `EACCES`). */
export async function listen(server: Server, address: ListenAddress): Promise<Listening> {
  if ('path' in address) {
    const { path, mode } = address;
    return { url: `unix:${path}`, release: await listenOnPath((bound) => listening(server, { path: bound }), path, mode) };
  }
  const { host, port } = address;
  await listening(server, { host, port });
  return { url: urlOf(host, addressOf(server)), release: () => {} };
}

/**
 * Listens on the first of several sockets that share an address (SO_REUSEPORT), and resolves to the address. Rejects with
 * the system's error if it cannot share addresses, or if another socket listens there, even one that would share it: two
 * gateways must not.
 */
export async function listenShared(server: Server, { host, port }: PortAddress): Promise<AddressInfo> {
  // Port 0: the system never chooses a port that another socket has.
  const at = port === 0 ? { host, port } : { host: (await unusedAddress({ host, port })).address, port };
  await listening(server, { ...at, reusePort: true });
  return addressOf(server);
}

/** Resolves to an address that no socket had a moment ago. Rejects with the system's error if another one listens there. */
export async function unusedAddress({ host, port }: PortAddress): Promise<AddressInfo> {
  const exclusive = createServer();
  await listening(exclusive, { host, port });
  const address = addressOf(exclusive);
  exclusive.close();
  return address;
}

/** Resolves when the server listens; rejects with the system's error. @param on an address, or a bound socket */
export function listening(server: Server, on: ListenOptions | SendHandle): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(on, backlog, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The URL that clients on this machine use. @param configured the host as configured */
export function urlOf(configured: string, { port }: AddressInfo): string {
  const host = configured === '0.0.0.0' || configured === '::' ? '127.0.0.1' : configured;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const addressOf = (server: Server): AddressInfo => server.address() as AddressInfo;
