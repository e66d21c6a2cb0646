import type { Server } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { listenOnPath } from './unix-socket.ts';

/** Where a listener is: a host and port, or a socket in the file system, with its mode if that was chosen. */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string; readonly mode?: number | undefined };

/** `server.listen` as written: text, or a socket with its mode, such as `"0660"`. */
export type ListenSetting = string | { readonly unix: string; readonly mode?: string | undefined };

/** A setting as text, without its mode. */
export function listenText(setting: ListenSetting): string {
  return typeof setting === 'string' ? setting : `unix:${setting.unix}`;
}

/** Undefined when the setting is no address. */
export function listenAddress(setting: ListenSetting): ListenAddress | undefined {
  if (typeof setting === 'string') return parseListen(setting);
  return { path: setting.unix, mode: setting.mode === undefined ? undefined : Number.parseInt(setting.mode, 8) };
}

/** Reads `127.0.0.1:8787`, `[::1]:8787`, `:8787`, `8787` or `unix:/run/gw.sock`. Undefined when it is none of them. */
export function parseListen(text: string): ListenAddress | undefined {
  if (text.startsWith('unix:')) return text.length > 5 ? { path: text.slice(5) } : undefined;
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text);
  if (match === null || Number(match[3]) > 65535) return undefined;
  return { host: match[1] ?? (match[2] || (text.startsWith(':') ? '0.0.0.0' : '127.0.0.1')), port: Number(match[3]) };
}

/** True for an address that only this machine reaches. */
export function isLoopback(address: ListenAddress): boolean {
  return 'path' in address || isLoopbackHost(address.host.toLowerCase());
}

/** True for a name or address that means this machine to every program on it. Lower case, without brackets. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (host.startsWith('127.') && isIPv4(host)) || host.endsWith('.localhost');
}

/** A server that listens. */
export interface Listening {
  /** The address as clients write it. */
  readonly url: string;
  /** Removes a socket from the file system; once, when nobody may connect any more. */
  release(): void;
}

/** Starts listening; rejects with the system's error (`EADDRINUSE`, `EACCES`). */
export async function listen(server: Server, address: ListenAddress): Promise<Listening> {
  if ('path' in address) return { url: `unix:${address.path}`, release: await listenOnPath(server, address.path, address.mode) };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address.host, port: address.port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, release: () => {} };
}
