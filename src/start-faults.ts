import type { StartFault } from './gateway-types.ts';
import { isLoopback, parseListen } from './transport/listen.ts';

/** What decides whether a listener may be opened. */
export interface Exposure {
  /** As written in `server.listen` or the flag. */
  readonly listen: string;
  readonly apiKeys: number;
  /** `server.open`. */
  readonly isOpen: boolean;
  /** Set where there is no file that could hold keys. */
  readonly isTryOut: boolean;
}

/** Why the data listener must not be opened to other hosts; undefined when it may. */
export function exposureFault({ listen, apiKeys, isOpen, isTryOut }: Exposure): StartFault | undefined {
  const address = parseListen(listen);
  if (address === undefined || isLoopback(address) || apiKeys > 0 || isOpen) return undefined;
  if (isTryOut) {
    return {
      exitCode: 3,
      message: `without a configuration the gateway serves this machine only, and ${listen} is reachable from other hosts`,
      hint: 'Leave --listen out, or write a gateway.yaml with api_keys.',
    };
  }
  return {
    exitCode: 3,
    message: `${listen} is reachable from other hosts and no API key is defined: anybody there could spend your provider credentials`,
    hint: 'Define a key:      gateway keys create my-app   (prints the entry for api_keys)\nor open it to all: server: {open: true}',
  };
}
