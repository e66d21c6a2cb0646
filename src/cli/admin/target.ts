import { isIP } from 'node:net';
import { readToken } from '../../admin/auth/token-file.ts';
import { readAdmin, type WrittenAdmin } from '../../config/edit/written.ts';
import {
  defaultAdminListen,
  isLoopbackHost,
  listenAddress,
  type ListenSetting,
  listenText,
  unbracket,
} from '../../core/http/listen-address.ts';
import { printable } from '../../core/text/printable.ts';
import { stateDirPath } from '../../store/state-dir.ts';
import { CommandError, type CommonFlags, exitCodes } from '../command.ts';
import { findConfig } from '../find-config.ts';
import type { CliIo } from '../io.ts';

/** Flags of every command that calls a running gateway. */
export interface AdminFlags extends CommonFlags {
  /** `--admin`: http://host:port, host:port or unix:/path. */
  readonly admin?: string | undefined;
}

/** Address of the admin API, and the token that authenticates the caller. */
export interface AdminTarget {
  /** Address for messages: a URL without a path, or `unix:/path`. */
  readonly shown: string;
  readonly isTls: boolean;
  readonly address: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  readonly token: string | undefined;
  /** True if there is a configuration file. */
  readonly hasConfig: boolean;
  /** Why the configuration could not be read completely. Its address or state directory may therefore be missing here. */
  readonly fault: string | undefined;
}

/**
 * Finds the gateway: by the flag, `$GATEWAY_ADMIN`, `server.admin.listen` of the configuration, or the default address.
 * A token from the configuration or its state directory is sent only to this machine.
 *
 * @throws CommandError
 */
export function adminTarget({ admin, config }: AdminFlags, io: Pick<CliIo, 'env' | 'cwd'>): AdminTarget {
  // A variable that is not set must not select another gateway.
  if (admin === '') throw new CommandError(exitCodes.usage, 'the address after --admin is empty');
  const named = admin ?? io.env['GATEWAY_ADMIN'];
  const written = readAdminConfig(config, io);
  // A misspelled file name must not select another gateway.
  const isNamed = named !== undefined && named !== '';
  if (!isNamed && config !== undefined && written?.isRead === false)
    throw new CommandError(exitCodes.invalid, printable(written.fault ?? 'the configuration cannot be read'));
  const listener = parseAddress(isNamed ? named : (written?.listen ?? defaultAdminListen));
  // A line of a file with Windows line ends leaves a carriage return.
  const environmentToken = io.env['GATEWAY_ADMIN_TOKEN']?.trim();
  const token =
    environmentToken !== undefined && environmentToken !== '' ? environmentToken : isLocal(listener) ? written?.token : undefined;
  if (token !== undefined && /[^\x20-\x7e\x80-\xff]/.test(token))
    throw new CommandError(exitCodes.forbidden, 'the admin token contains a character that no header can have');
  return { ...listener, token, hasConfig: written !== undefined, fault: written?.fault };
}

/** Reads what can be read: the address may be given by a flag, and the token by the environment. */
function readAdminConfig(config: string | undefined, { env, cwd }: Pick<CliIo, 'env' | 'cwd'>): WrittenAdmin | undefined {
  const found = findConfig(config, { env, cwd });
  if (!('path' in found)) return undefined;
  const written = readAdmin(found, { cwd, env });
  const dir = stateDirPath({ setting: written.stateDir, configPath: found.path, cwd });
  return { ...written, token: written.token ?? (dir === undefined ? undefined : readToken(dir)) };
}

type ListenerAddress = Omit<AdminTarget, 'token' | 'hasConfig' | 'fault'>;

const isLocal = ({ address }: ListenerAddress): boolean => 'socketPath' in address || isLoopbackHost(address.host.toLowerCase());

function parseAddress(setting: ListenSetting): ListenerAddress {
  const text = listenText(setting);
  if (/^https?:\/\//i.test(text)) return parseUrl(text);
  const address = listenAddress(setting);
  if (address === undefined) throw invalidAddress(text);
  if ('path' in address) return { shown: `unix:${address.path}`, isTls: false, address: { socketPath: address.path } };
  if (address.port === 0)
    throw new CommandError(exitCodes.usage, 'the admin listener is on a port that the system chose', 'Give its address with --admin.');
  // A listener on all addresses also accepts connections on loopback.
  const host = address.host === '0.0.0.0' ? '127.0.0.1' : address.host === '::' ? '::1' : address.host;
  return {
    shown: `http://${isIP(host) === 6 ? `[${host}]` : host}:${address.port}`,
    isTls: false,
    address: { host, port: address.port },
  };
}

function parseUrl(text: string): ListenerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') throw invalidAddress(text);
  const isTls = url.protocol === 'https:';
  return {
    shown: url.origin,
    isTls,
    address: { host: unbracket(url.hostname), port: Number(url.port || (isTls ? 443 : 80)) },
  };
}

const invalidAddress = (text: string): CommandError =>
  new CommandError(exitCodes.usage, `"${text}" is not an address of a gateway`, 'Write http://host:port, host:port or unix:/path.');
