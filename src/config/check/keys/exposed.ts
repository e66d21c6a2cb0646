import { isLoopback, listenAddress, type ListenSetting, listenText } from '../../../core/http/listen-address.ts';
import { child, keyPlace, toValue } from '../../read/node.ts';
import { builtInFor, chainOf, provides } from '../../read/registry.ts';
import { type CheckContext, section, valueOf } from '../context.ts';

/** The listener of the data is open to other hosts, and nothing asks them for a key. A chain without `auth` asks nobody. */
export function exposed(context: CheckContext): void {
  const { root, registry, report } = context;
  const hasAuth = provides(chainOf(root, registry), 'authentication');
  const builtIn = builtInFor('authentication', registry);
  const keys = section(root, 'api_keys').size;
  const hasKeys = keys > 0 || child(child(root, 'auth'), 'jwt') !== undefined;
  const reachable = reachableBy(context);
  if (hasKeys && !hasAuth) {
    report({
      code: 'exposed',
      severity: reachable === undefined ? 'warning' : 'error',
      at: keyPlace(root, ['plugins']),
      message: `${keys > 0 ? 'API keys are' : 'auth.jwt is'} defined, but the chain has no "${builtIn}": the gateway accepts requests without ${keys > 0 ? 'one' : 'a token'}`,
      hint: `add ${builtIn} to plugins`,
    });
  } else if (!hasKeys && reachable !== undefined) {
    report({
      code: 'exposed',
      severity: 'error',
      at: child(child(root, 'server'), 'listen')?.at ?? keyPlace(root, ['server']),
      message: `${reachable} is reachable from other hosts and no API key is defined: anybody there could spend your provider credentials`,
      hint: 'define a key (gateway keys create my-app prints the lines to add), listen on 127.0.0.1, or set server.open: true',
    });
  }
}

/** The address by which other hosts reach the gateway; undefined where they do not, or may. */
function reachableBy({ root, valid, start }: CheckContext): string | undefined {
  const server = child(root, 'server');
  const listen = child(server, 'listen');
  if (listen === undefined || start.overridden?.includes('listen') === true) return undefined;
  if (!valid(['server', 'listen']) || !valid(['server', 'open']) || valueOf(child(server, 'open')) === true) return undefined;
  const setting = toValue(listen) as ListenSetting;
  const address = listenAddress(setting);
  return address === undefined || isLoopback(address) ? undefined : listenText(setting);
}
