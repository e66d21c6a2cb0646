import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname } from 'node:path';
import { StartError } from './types.ts';
import { type ListenAddress, listenAddress, type ListenSetting, listenText } from '../core/http/listen-address.ts';
import { listen, type Listening } from '../transport/inbound/listener/listen.ts';
import { errorCode } from '../core/text/error-code.ts';

/** Opens a listener. Error messages name `flag` and the matching setting as the way to choose another address. @throws StartError */
export async function openListener(server: Server, setting: ListenSetting, flag: keyof typeof settings): Promise<Listening> {
  const text = listenText(setting);
  const choice = `${flag} and ${settings[flag]}`;
  const address = listenAddress(setting);
  if (address === undefined) throw noAddress(text, flag);
  return await withClearError(() => listen(server, address), address, { text, choice });
}

/**
 * Opens the data listener with the given function.
 *
 * @throws StartError with the reason
 */
export async function openData<T>(setting: ListenSetting, open: (address: ListenAddress) => Promise<T>): Promise<T> {
  const text = listenText(setting);
  const address = listenAddress(setting);
  if (address === undefined) throw noAddress(text, '--listen');
  return await withClearError(() => open(address), address, { text, choice: '--listen and server.listen' });
}

function noAddress(text: string, flag: keyof typeof settings): StartError {
  return new StartError({
    exitCode: 3,
    message: `"${text}" is not an address to listen on.`,
    hint: `Write host:port or unix:/path (${flag}).`,
  });
}

async function withClearError<T>(open: () => Promise<T>, address: ListenAddress, { text, choice }: ListenerText): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    // Node reports EACCES for a missing directory, too.
    const isLost = 'path' in address && errorCode(cause) === 'EACCES' && !existsSync(dirname(address.path));
    const code = isLost ? 'ENOENT' : errorCode(cause);
    throw new StartError({
      exitCode: 1,
      message: `Can't listen on ${text}: ${reasons[code] ?? code}.`,
      hint: code === 'ENOTSOCK' ? `Delete it if it is not in use. ${choice} choose another path.` : `${choice} choose another address.`,
      cause,
    });
  }
}

/** How error messages name the address, and which settings change it. */
interface ListenerText {
  readonly text: string;
  readonly choice: string;
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
