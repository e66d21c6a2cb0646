import { isIP } from 'node:net';
import { readToken } from '../../admin/auth/token-file.ts';
import { readAdmin, type WrittenAdmin } from '../../config/edit/written.ts';
import { defaultAdminListen, isLoopbackHost, listenAddress, type ListenSetting, listenText } from '../../core/http/listen-address.ts';
import { printable } from '../../core/text/printable.ts';
import { stateDirPath } from '../../store/state-dir.ts';
import { CommandError, exitCodes } from '../command.ts';
import { findConfig } from '../find-config.ts';
import type { CliIo } from '../io.ts';

/** Flags of every command that asks a running gateway. */
export interface AdminFlags {
  /** `--admin`: http://host:port, host:port or unix:/path. */
  readonly admin?: string | undefined;
  /** `-c`. */
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
  /** False with `--no-color`. */
  readonly color?: boolean | undefined;
}

/** Where the admin API is, and what proves who asks. */
export interface AdminTarget {
  /** For people: a URL without a path, or `unix:/path`. */
  readonly shown: string;
  readonly isTls: boolean;
  readonly address: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  readonly token: string | undefined;
  /** Why the configuration was not read as a whole: an address or a state directory may be missing here. */
  readonly fault: string | undefined;
}

/**
 * Finds the gateway: the flag, `$GATEWAY_ADMIN`, `server.admin.listen` of the configuration, the usual address. The token
 * of the configuration or of its state directory goes to this machine only.
 *
 * @throws CommandError
 */
export function adminTarget({ admin, config }: AdminFlags, io: Pick<CliIo, 'env' | 'cwd'>): AdminTarget {
  const named = admin ?? io.env['GATEWAY_ADMIN'];
  const written = readWritten(config, io);
  // A slip of the hand in its name must not lead to another gateway.
  const isNamed = named !== undefined && named !== '';
  if (!isNamed && config !== undefined && written?.isRead === false)
    throw new CommandError(exitCodes.invalid, printable(written.fault ?? 'the configuration cannot be read'));
  const place = placeOf(isNamed ? named : (written?.listen ?? defaultAdminListen));
  const own = io.env['GATEWAY_ADMIN_TOKEN'];
  const token = own !== undefined && own !== '' ? own : isLocal(place) ? written?.token : undefined;
  return { ...place, token, fault: written?.fault };
}

/** Without what cannot be read: the address may be named, and the token in the environment. */
function readWritten(config: string | undefined, { env, cwd }: Pick<CliIo, 'env' | 'cwd'>): WrittenAdmin | undefined {
  const found = findConfig(config, { env, cwd });
  if (!('path' in found)) return undefined;
  const written = readAdmin(found, { cwd, env });
  const dir = stateDirPath({ setting: written.stateDir, configPath: found.path, cwd });
  return { ...written, token: written.token ?? (dir === undefined ? undefined : readToken(dir)) };
}

type Place = Omit<AdminTarget, 'token' | 'fault'>;

const isLocal = ({ address }: Place): boolean => 'socketPath' in address || isLoopbackHost(address.host.toLowerCase());

function placeOf(setting: ListenSetting): Place {
  const text = listenText(setting);
  if (/^https?:\/\//i.test(text)) return byUrl(text);
  const address = listenAddress(setting);
  if (address === undefined) throw wrong(text);
  if ('path' in address) return { shown: `unix:${address.path}`, isTls: false, address: { socketPath: address.path } };
  if (address.port === 0)
    throw new CommandError(exitCodes.usage, 'the admin listener is on a port that the system chose', 'Name its address with --admin.');
  // Who listens on all addresses of the machine listens on this one.
  const host = address.host === '0.0.0.0' ? '127.0.0.1' : address.host === '::' ? '::1' : address.host;
  return {
    shown: `http://${isIP(host) === 6 ? `[${host}]` : host}:${address.port}`,
    isTls: false,
    address: { host, port: address.port },
  };
}

function byUrl(text: string): Place {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') throw wrong(text);
  const isTls = url.protocol === 'https:';
  return {
    shown: url.origin,
    isTls,
    address: { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (isTls ? 443 : 80)) },
  };
}

const wrong = (text: string): CommandError =>
  new CommandError(exitCodes.usage, `"${text}" is not an address of a gateway`, 'Write http://host:port, host:port or unix:/path.');
