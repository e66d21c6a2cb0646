import {
  defaultAdminListen,
  defaultListen,
  isLoopback,
  listenAddress,
  type ListenSetting,
  listenText,
} from '../../../core/http/listen-address.ts';
import type { LoadedConfig } from '../../../config/reload/load.ts';
import type { GatewayConfig } from '../../../config/schema/index.ts';
import { type CommonFlags, sameFile } from '../../command.ts';
import { type Check, fail, ok, type CheckResult, skip, warn } from '../result.ts';

/** Who can reach the listeners, and what they ask for. The check of the configuration finds what is open. */
export const checkListeners: Check = ({ config, flags }) => {
  if (config === undefined) return [skip('listeners: there is no configuration')];
  const { loaded } = config;
  const open = loaded.diagnostics.filter(({ code }) => code === 'exposed');
  if (open.length > 0) return open.map(({ severity, message, hint }) => (severity === 'error' ? fail : warn)(message, hint));
  if (loaded.tree === undefined) return [skip('listeners: the configuration is not valid')];
  return [clientListener(loaded.tree, loaded, flags), adminListener(loaded.tree)];
};

function clientListener({ server, api_keys: keys, auth }: GatewayConfig, { asksForKeys }: LoadedConfig, flags: CommonFlags): CheckResult {
  const listen = server?.listen ?? defaultListen;
  if (isLocal(listen)) return ok(`the data listener accepts local connections only (${listenText(listen)})`);
  const hasKeys = asksForKeys && (Object.keys(keys ?? {}).length > 0 || auth?.jwt !== undefined);
  if (hasKeys) return ok(`${listenText(listen)} requires an API key`);
  return warn(
    `${listenText(listen)} serves everybody who can connect (server.open)`,
    `${sameFile('gateway keys create NAME', flags)}, and remove server.open`,
  );
}

function adminListener({ server }: GatewayConfig): CheckResult {
  const { enabled, listen = defaultAdminListen } = server?.admin ?? {};
  if (enabled === false) return ok('admin listener is off');
  return ok(
    isLocal(listen) ? 'the admin listener accepts local connections only' : `admin listens on ${listenText(listen)} and requires a token`,
  );
}

function isLocal(setting: ListenSetting): boolean {
  const address = listenAddress(setting);
  return address !== undefined && isLoopback(address);
}
