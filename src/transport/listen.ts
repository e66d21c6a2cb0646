import type { Server } from 'node:http';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';

/** Where a listener stands: a host and port, or a socket in the file system. */
export type ListenAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Reads `127.0.0.1:8787`, `[::1]:8787`, `:8787`, `8787` or `unix:/run/gw.sock`. Undefined when it is none of them. */
export function parseListen(text: string): ListenAddress | undefined {
  if (text.startsWith('unix:')) return text.length > 5 ? { path: text.slice(5) } : undefined;
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text);
  if (match === null || Number(match[3]) > 65535) return undefined;
  return { host: match[1] ?? (match[2] || (text.startsWith(':') ? '0.0.0.0' : '127.0.0.1')), port: Number(match[3]) };
}

/** True for an address that only this machine reaches. */
export function isLoopback(address: ListenAddress): boolean {
  return 'path' in address || address.host === 'localhost' || address.host === '::1' || address.host.startsWith('127.');
}

/** Starts listening; rejects with the system's error (`EADDRINUSE`, `EACCES`). Gives the address as clients write it. */
export async function listen(server: Server, address: ListenAddress): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const ready = (): void => {
      server.off('error', reject);
      resolve();
    };
    if ('path' in address) {
      rmSync(address.path, { force: true });
      server.listen({ path: address.path }, ready);
    } else {
      server.listen({ host: address.host, port: address.port }, ready);
    }
  });
  if ('path' in address) return `unix:${address.path}`;
  const { port } = server.address() as AddressInfo;
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
