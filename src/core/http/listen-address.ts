import { isIPv4 } from 'node:net';

/** Where a listener is: a host and port, or a socket in the file system, with its mode if that was chosen. */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string; readonly mode?: number | undefined };

/** `server.listen` as written: text, or a socket with its mode, such as `"0660"`. */
export type ListenSetting = string | { readonly unix: string; readonly mode?: string | undefined };

/** Where a gateway listens whose configuration does not say: this machine only. */
export const defaultListen = '127.0.0.1:8787';
/** The same of its dashboard and admin API. */
export const defaultAdminListen = '127.0.0.1:8788';

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
