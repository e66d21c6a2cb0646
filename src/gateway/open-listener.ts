import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname } from 'node:path';
import { StartError } from './types.ts';
import { type ListenAddress, listenAddress, type ListenSetting, listenText } from '../core/http/listen-address.ts';
import { listen, type Listening } from '../transport/inbound/listener/sockets/listen.ts';
import { errorCode } from '../core/text/error-code.ts';

/** Opens a server on an address. See `openAddress`. */
export const openListener = (server: Server, setting: ListenSetting, flag: keyof typeof settings): Promise<Listening> =>
  openAddress(setting, flag, (address) => listen(server, address));

/**
 * Opens a listener with the given function. Error messages name `flag` and the matching setting as the way to choose another
 * address.
 *
 * @throws StartError with the reason
 */
export async function openAddress<T>(
  setting: ListenSetting,
  flag: keyof typeof settings,
  open: (address: ListenAddress) => Promise<T>,
): Promise<T> {
  const text = listenText(setting);
  const address = listenAddress(setting);
  if (address === undefined)
    throw new StartError({
      exitCode: 3,
      message: `"${text}" is not an address to listen on.`,
      hint: `Write host:port or unix:/path (${flag}).`,
    });
  try {
    return await open(address);
  } catch (cause) {
    // Node reports EACCES for a missing directory, too.
    const isLost = 'path' in address && errorCode(cause) === 'EACCES' && !existsSync(dirname(address.path));
    const code = isLost ? 'ENOENT' : errorCode(cause);
    const choice = `${flag} and ${settings[flag]}`;
    throw new StartError({
      exitCode: 1,
      message: `Can't listen on ${text}: ${reasons[code] ?? code}.`,
      hint: code === 'ENOTSOCK' ? `Delete it if it is not in use. ${choice} choose another path.` : `${choice} choose another address.`,
      cause,
    });
  }
}

const settings = {
  '--listen': 'server.listen',
  '--probe-listen': 'server.probe_listen',
  '--admin-listen': 'server.admin.listen',
} as const;

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use',
  EACCES: 'the system does not allow it',
  ENOTSOCK: 'the path exists and is not a socket',
  ENOENT: 'its directory does not exist',
};
