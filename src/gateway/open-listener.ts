import type { Server } from 'node:http';
import { StartError } from './types.ts';
import { listenAddress, type ListenSetting, listenText } from '../core/http/listen-address.ts';
import { listen, type Listening } from '../transport/inbound/listener/listen.ts';
import { errorCode } from '../core/text/error-code.ts';

/** Listens, or says why that is not possible. `flag`, and the setting of the same name, choose another address. */
export async function openListener(server: Server, setting: ListenSetting, flag: keyof typeof settings): Promise<Listening> {
  const text = listenText(setting);
  const choice = `${flag} and ${settings[flag]}`;
  const address = listenAddress(setting);
  if (address === undefined)
    throw new StartError({
      exitCode: 3,
      message: `"${text}" is not an address to listen on.`,
      hint: `Write host:port or unix:/path (${flag}).`,
    });
  try {
    return await listen(server, address);
  } catch (cause) {
    const code = errorCode(cause);
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
  ENOENT: 'its folder does not exist',
};
