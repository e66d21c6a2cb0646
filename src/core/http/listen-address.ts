import { isIPv4 } from 'node:net';

/** Address of a listener: a host and port, or a Unix socket, with its mode if configured. */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string; readonly mode?: number | undefined };

/** `server.listen` as written: a string, or a socket with its mode, such as `"0660"`. */
export type ListenSetting = string | { readonly unix: string; readonly mode?: string | undefined };

/** Default address of the data listener: this machine only. */
export const defaultListen = '127.0.0.1:8787';
/** Default address of the dashboard and admin API. */
export const defaultAdminListen = '127.0.0.1:8788';

/** Returns the setting as text, without its mode. */
export function listenText(setting: ListenSetting): string {
  return typeof setting === 'string' ? setting : `unix:${setting.unix}`;
}

/** Returns undefined if the setting is not an address. */
export function listenAddress(setting: ListenSetting): ListenAddress | undefined {
  if (typeof setting === 'string') return parseListen(setting);
  return { path: setting.unix, mode: setting.mode === undefined ? undefined : Number.parseInt(setting.mode, 8) };
}

/** Parses `127.0.0.1:8787`, `[::1]:8787`, `:8787`, `8787` or `unix:/run/gw.sock`. Returns undefined for anything else. */
export function parseListen(text: string): ListenAddress | undefined {
  if (text.startsWith('unix:')) return text.length > 5 ? { path: text.slice(5) } : undefined;
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text);
  if (match === null || Number(match[3]) > 65535) return undefined;
  return { host: match[1] ?? (match[2] || (text.startsWith(':') ? '0.0.0.0' : '127.0.0.1')), port: Number(match[3]) };
}

/** True for an address that can be reached only from this machine. */
export function isLoopback(address: ListenAddress): boolean {
  return 'path' in address || isLoopbackHost(address.host.toLowerCase());
}

/** True for a name or address that always means this machine. Expects lower case, without brackets. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (host.startsWith('127.') && isIPv4(host)) || host.endsWith('.localhost');
}

/** `[::1]` → `::1`. */
export function unbracket(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** The host name in a `Host` header: in lower case, without port, brackets and trailing dot. Empty if the header is not valid. */
export function hostNameOf(host: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+?)\.?)(?::\d{1,5})?$/.exec(host.toLowerCase());
  return match?.[1] ?? match?.[2] ?? '';
}
