import type { ReloadResult } from '../../config/reload/reloader.ts';
import { type GatewayOptions, StartError, type StartFault } from '../types.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import { isLoopback, type ListenSetting, listenText, parseListen } from '../../core/http/listen-address.ts';
import { adminExposure } from '../admin/open.ts';

/** Inputs of the decision whether a listener may be opened. */
export interface Exposure {
  /** As written in `server.listen` or the flag. */
  readonly listen: string;
  readonly hasKeys: boolean;
  /** The active configuration requires keys. */
  readonly hadKeys: boolean;
  /** `server.open`. */
  readonly isOpen: boolean;
  /** True without a configuration file, where no keys can be defined. */
  readonly isTryOut: boolean;
}

/** Reason why the data listener must not be opened to callers without a key; undefined if it may. */
export function exposureFault({ listen, hasKeys, hadKeys, isOpen, isTryOut }: Exposure): StartFault | undefined {
  if (hasKeys || isOpen) return undefined;
  const address = parseListen(listen);
  if (address === undefined || isLoopback(address)) return hadKeys ? lastKeyRemoved : undefined;
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

/** Also for a loopback listener, because a proxy in front of it may publish it. */
const lastKeyRemoved: StartFault = {
  exitCode: 3,
  message:
    'the new configuration removes the last API key, so every caller could use your provider credentials. Define a key, or set server.open: true',
};

/** Returns the error of a start whose first configuration can't be applied. */
export function startFault(result: ReloadResult, hint: string | undefined): Error {
  if (result.kind !== 'rejected') return new Error('the initial configuration was not applied');
  if (result.cause instanceof StartError) return result.cause;
  const message = result.cause instanceof Error ? result.cause.message : 'The configuration is invalid.';
  return new StartError({ exitCode: 3, message, hint, diagnostics: result.diagnostics, cause: result.cause });
}

/**
 * Rejects a configuration that would serve callers without a key beyond this machine. Also checked on a reload:
 * removing the last key must not open a listener that other hosts, or a proxy, can reach.
 *
 * @param before the active configuration
 * @throws StartError
 */
export function refuseExposure(
  { source }: GatewayOptions,
  listen: ListenSetting,
  loaded: ValidConfig,
  before: ValidConfig | undefined,
): void {
  const fault = exposureFault({
    listen: listenText(listen),
    hasKeys: hasKeys(loaded),
    hadKeys: before !== undefined && hasKeys(before),
    isOpen: loaded.tree.server?.open === true,
    isTryOut: 'name' in source && source.name === 'try-out',
  });
  if (fault !== undefined) throw new StartError(fault);
}

/**
 * Rejects a change that removes all providers. It is usually a file of which an editor or a deployment has written only a part:
 * every line of it may be valid.
 *
 * @param before the active configuration
 * @throws StartError
 */
export function refuseEmptyCatalog({ tree }: ValidConfig, before: ValidConfig | undefined): void {
  if (providerCount(before?.tree) === 0 || providerCount(tree) > 0) return;
  throw new StartError({
    exitCode: 3,
    message: 'the new configuration removes the last provider. If this is intended, restart the gateway to apply it',
  });
}

const providerCount = (tree: ValidConfig['tree'] | undefined): number => Object.keys(tree?.providers ?? {}).length;

/** True if callers must authenticate with a key or token, and the plugin chain checks it. */
function hasKeys({ tree: { api_keys, auth }, asksForKeys }: ValidConfig): boolean {
  return asksForKeys && (Object.keys(api_keys ?? {}).length > 0 || auth?.jwt !== undefined);
}

/**
 * The same for the admin listener: a reload can't move it, but it can remove the last token.
 *
 * @throws StartError
 */
export function refuseAdminExposure({ admin }: GatewayOptions, listen: ListenSetting, { tree }: ValidConfig): void {
  const entry = tree.server?.admin;
  if (admin !== true || entry?.enabled === false) return;
  const fault = adminExposure(listen, entry);
  if (fault !== undefined) throw fault;
}
