import { isLoopback, listenAddress, type ListenSetting, listenText } from '../../../core/http/listen-address.ts';
import { child, entriesOf, keyLocation, toValue } from '../../read/node.ts';
import { builtInFor, chainOf, provides } from '../../read/registry.ts';
import { type CheckContext, sectionEntries, valueOf } from '../context.ts';

/** Reports a data listener that other hosts can reach without an API key. A chain without `auth` checks no key. */
export function checkExposure(context: CheckContext): void {
  const { root, registry, report } = context;
  const hasAuth = provides(chainOf(root, registry), 'authentication');
  const builtIn = builtInFor('authentication', registry);
  const keys = sectionEntries(root, 'api_keys').size;
  const hasKeys = keys > 0 || child(child(root, 'auth'), 'jwt') !== undefined;
  const reachable = reachableAddress(context);
  if (hasKeys && !hasAuth) {
    report({
      code: 'exposed',
      severity: reachable === undefined ? 'warning' : 'error',
      at: keyLocation(root, ['plugins']),
      message: `${keys > 0 ? 'API keys are' : 'auth.jwt is'} defined, but the chain has no "${builtIn}": the gateway accepts requests without ${keys > 0 ? 'one' : 'a token'}`,
      hint: `add ${builtIn} to plugins`,
    });
  } else if (!hasKeys && reachable !== undefined) {
    report({
      code: 'exposed',
      severity: 'error',
      at: child(child(root, 'server'), 'listen')?.at ?? keyLocation(root, ['server']),
      message: `${reachable} is reachable from other hosts and no API key is defined: anyone there could use your provider credentials`,
      hint: 'define a key (gateway keys create my-app prints the lines to add), listen on 127.0.0.1, or set server.open: true',
    });
  }
}

/** Address at which other hosts reach the gateway; undefined when they cannot, or when `server.open` allows it. */
function reachableAddress({ root, isValid, start }: CheckContext): string | undefined {
  const server = child(root, 'server');
  const listen = child(server, 'listen');
  if (listen === undefined || start.overridden?.includes('listen') === true) return undefined;
  if (!isValid(['server', 'listen']) || !isValid(['server', 'open']) || valueOf(child(server, 'open')) === true) return undefined;
  const setting = toValue(listen) as ListenSetting;
  const address = listenAddress(setting);
  return address === undefined || isLoopback(address) ? undefined : listenText(setting);
}

/** Reports an admin listener that other hosts can reach without a token. The start rejects it with the same message. */
export function checkAdminExposure({ root, isValid, start, report }: CheckContext): void {
  const admin = child(child(root, 'server'), 'admin');
  const listen = child(admin, 'listen');
  if (listen === undefined || !isValid(['server', 'admin']) || start.overridden?.includes('admin.listen') === true) return;
  if (valueOf(child(admin, 'enabled')) === false) return;
  const setting = toValue(listen) as ListenSetting;
  const address = listenAddress(setting);
  if (address === undefined || isLoopback(address)) return;
  const isOpen = valueOf(child(admin, 'open')) === true;
  const hasUsers = child(admin, 'token') !== undefined || entriesOf(child(admin, 'users')).length > 0;
  if (!isOpen && hasUsers) return;
  report({
    code: 'exposed',
    severity: 'error',
    at: listen.at,
    message: isOpen
      ? `the admin listener ${listenText(setting)} is reachable from other hosts, and server.admin.open lets everybody in`
      : `the admin listener ${listenText(setting)} is reachable from other hosts, and neither server.admin.token nor server.admin.users is set`,
    hint: isOpen
      ? 'remove server.admin.open, or listen on 127.0.0.1'
      : 'set server.admin.token: "${file:/run/secrets/admin-token}", or listen on 127.0.0.1',
  });
}

/** A user of the admin API has exactly one token. */
export function checkAdminUsers({ root, isValid, report }: CheckContext): void {
  if (!isValid(['server', 'admin'])) return;
  for (const { key, keyAt, value } of entriesOf(child(child(child(root, 'server'), 'admin'), 'users'))) {
    const has = ['token', 'token_hash'].filter((one) => child(value, one) !== undefined);
    if (has.length === 0)
      report({
        code: 'missing-key',
        at: keyAt,
        message: `"token" is missing in server.admin.users.${key}`,
        hint: 'add token: "${env:NAME}", or token_hash',
      });
    if (has.length === 2)
      report({ code: 'conflict', at: keyAt, message: `"token" and "token_hash" of ${key} are both set`, hint: 'remove one' });
  }
}
