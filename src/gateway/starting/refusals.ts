import type { ReloadResult } from '../../config/reload/reloader.ts';
import { type GatewayOptions, StartError, type StartFault } from '../types.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import { isLoopback, type ListenSetting, listenText, parseListen } from '../../core/http/listen-address.ts';
import { adminExposure, adminListen } from '../admin/open.ts';

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

/** What a start says when its first configuration can't serve. */
export function startFault(result: ReloadResult, hint: string | undefined): Error {
  if (result.kind !== 'rejected') return new Error('the initial configuration was not applied');
  if (result.cause instanceof StartError) return result.cause;
  const message = result.cause instanceof Error ? result.cause.message : 'The configuration is invalid.';
  return new StartError({ exitCode: 3, message, hint, diagnostics: result.diagnostics, cause: result.cause });
}

/**
 * Rejects a configuration that would serve callers without a key beyond this machine. Also on a reload: taking the last
 * key away must not open what other hosts can reach, or what a proxy publishes.
 *
 * @param before what serves until now
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

/** Callers are asked who they are: for keys or tokens, by a chain that looks at them. */
function hasKeys({ tree: { api_keys, auth }, asksForKeys }: ValidConfig): boolean {
  return asksForKeys && (Object.keys(api_keys ?? {}).length > 0 || auth?.jwt !== undefined);
}

/**
 * The same for the admin listener: a reload can't move it, but it can take the last token away.
 *
 * @throws StartError
 */
export function refuseAdminExposure(options: GatewayOptions, { tree }: ValidConfig, before: ValidConfig | undefined): void {
  const entry = tree.server?.admin;
  if (options.admin !== true || entry?.enabled === false) return;
  const fault = adminExposure(adminListen(options, before?.tree.server?.admin ?? entry), entry);
  if (fault !== undefined) throw fault;
}
