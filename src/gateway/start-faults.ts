import type { StartFault } from './types.ts';
import { isLoopback, parseListen } from '../core/http/listen-address.ts';

/** What decides whether a listener may be opened. */
export interface Exposure {
  /** As written in `server.listen` or the flag. */
  readonly listen: string;
  readonly hasKeys: boolean;
  /** What serves until now asks for keys. */
  readonly hadKeys: boolean;
  /** `server.open`. */
  readonly isOpen: boolean;
  /** Set where there is no file that could hold keys. */
  readonly isTryOut: boolean;
}

/** Why the data listener must not be opened to callers without a key; undefined when it may. */
export function exposureFault({ listen, hasKeys, hadKeys, isOpen, isTryOut }: Exposure): StartFault | undefined {
  if (hasKeys || isOpen) return undefined;
  const address = parseListen(listen);
  if (address === undefined || isLoopback(address)) return hadKeys ? lastKeyGone : undefined;
  if (isTryOut) {
    return {
      exitCode: 3,
      message: `without a configuration, the gateway serves only this machine, but ${listen} is reachable from other hosts`,
      hint: 'Omit --listen, or write a gateway.yaml with api_keys.',
    };
  }
  return {
    exitCode: 3,
    message: `${listen} is reachable from other hosts and no API key is defined: anyone on the network could use your provider credentials`,
    hint: 'Define a key:      gateway keys create my-app   (prints the lines for api_keys)\nor serve everyone: server: {open: true}',
  };
}

/** What is in front of a loopback listener may publish it. */
const lastKeyGone: StartFault = {
  exitCode: 3,
  message:
    'the new configuration removes the last API key, so every caller could use your provider credentials. Define a key, or set server.open: true',
};
