import { readListeners } from '../../config/edit/written.ts';
import { defaultListen, listenAddress, type ListenSetting, listenText, unbracket } from '../../core/http/listen-address.ts';
import { findConfig } from '../find-config.ts';
import type { CliIo } from '../io.ts';
import { CommandError, exitCodes } from '../command.ts';

/** Address of `/readyz`. */
export interface HealthTarget {
  /** Address for messages: a URL, or `unix:/path`. */
  readonly shown: string;
  readonly isTls: boolean;
  readonly address: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  readonly path: string;
  /** Problems that prevented reading the configuration completely. */
  readonly faults: readonly string[];
}

interface Flags {
  readonly url?: string | undefined;
  readonly config?: string | undefined;
}

/**
 * Target of the flags or the configuration.
 * @throws CommandError
 */
export function healthTarget({ url, config }: Flags, { env, cwd }: Pick<CliIo, 'env' | 'cwd'>): HealthTarget {
  if (url !== undefined) return targetOfUrl(url);
  const found = findConfig(config, { env, cwd });
  if ('stdin' in found) throw usageError('the configuration is read from standard input: name the address of the gateway with --url');
  if (!('path' in found)) return targetOfListener(defaultListen, []);
  const { listen, probeListen, faults, isRead } = readListeners(found, { cwd, env });
  if (!isRead) throw usageError(faults.join('\n  '));
  return targetOfListener(probeListen ?? listen ?? defaultListen, faults);
}

function targetOfUrl(text: string): HealthTarget {
  if (!/^https?:\/\//i.test(text)) return targetOfListener(text, []);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') throw usageError(notAnAddress(text));
  const isTls = url.protocol === 'https:';
  const path = url.pathname === '/' ? '/readyz' : url.pathname;
  const address = { host: unbracket(url.hostname), port: Number(url.port || (isTls ? 443 : 80)) };
  return { shown: `${url.origin}${path}`, isTls, address, path, faults: [] };
}

function targetOfListener(setting: ListenSetting, faults: readonly string[]): HealthTarget {
  const address = listenAddress(setting);
  if (address === undefined) throw usageError([notAnAddress(listenText(setting)), ...faults].join('\n  '));
  if ('path' in address)
    return { shown: `unix:${address.path}`, isTls: false, address: { socketPath: address.path }, path: '/readyz', faults };
  const { port } = address;
  if (port === 0) throw usageError('the gateway listens on a port that the system chose: name its address with --url');
  // A listener on all addresses also accepts connections on loopback.
  const host = address.host === '0.0.0.0' ? '127.0.0.1' : address.host === '::' ? '::1' : address.host;
  const shown = `http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`;
  return { shown, isTls: false, address: { host, port }, path: '/readyz', faults };
}

const usageError = (message: string): CommandError => new CommandError(exitCodes.usage, message);
const notAnAddress = (text: string): string => `"${text}" is not an address of a gateway: write http://host:port, host:port or unix:/path`;
