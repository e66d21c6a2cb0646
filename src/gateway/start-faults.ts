import type { ReloadResult } from '../config/reload/reloader.ts';
import { openStateDir, type StateDir, StateDirError, StateDirHeld, type StateDirRequest } from '../store/state-dir.ts';
import { StartError, type StartFault } from './types.ts';
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

const heldHint =
  'Stop it, or write another server.state_dir for this one. With server.state_dir_shared: true each has a folder of its own in it.';

/** @throws StartError */
export function openState(request: StateDirRequest): StateDir {
  try {
    return openStateDir(request);
  } catch (error) {
    if (error instanceof StateDirHeld) throw new StartError({ exitCode: 1, message: error.message, hint: heldHint });
    if (error instanceof StateDirError)
      throw new StartError({ exitCode: 3, message: error.message, hint: 'without state_dir_required the gateway serves from memory' });
    throw error;
  }
}

/** What a start says when its first configuration can't serve. */
export function startFault(result: ReloadResult, hint: string | undefined): Error {
  if (result.kind !== 'rejected') return new Error('the initial configuration was not applied');
  if (result.cause instanceof StartError) return result.cause;
  const message = result.cause instanceof Error ? result.cause.message : 'The configuration is invalid.';
  return new StartError({ exitCode: 3, message, hint, diagnostics: result.diagnostics, cause: result.cause });
}
