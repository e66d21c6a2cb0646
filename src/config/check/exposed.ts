import { isIPv4 } from 'node:net';
import { child, itemsOf, keyPlace, textOf } from '../node.ts';
import { type CheckContext, section, valueOf } from './context.ts';

/** True where only this machine can connect: loopback addresses and unix sockets. */
export function isLoopback(listen: string): boolean {
  if (listen.startsWith('unix:')) return true;
  const host = listen
    .slice(0, listen.lastIndexOf(':'))
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** The listener of the data is open to other hosts, and nothing asks them for a key. A chain without `auth` asks nobody. */
export function exposed({ root, valid, report }: CheckContext): void {
  const server = child(root, 'server');
  const listen = textOf(child(server, 'listen'));
  const chain = child(root, 'plugins');
  const hasAuth = chain === undefined || itemsOf(chain).some((item) => (textOf(item) ?? textOf(child(item, 'name'))) === 'auth');
  const keys = section(root, 'api_keys').size;
  const hasKeys = keys > 0 || child(child(root, 'auth'), 'jwt') !== undefined;
  if (hasKeys && !hasAuth) {
    const at = keyPlace(root, ['plugins']);
    report({
      code: 'exposed',
      at,
      message: `${keys > 0 ? 'API keys are' : 'auth.jwt is'} defined, but the chain has no "auth": the gateway accepts requests without ${keys > 0 ? 'one' : 'a token'}`,
      hint: 'add auth to plugins',
    });
    return;
  }
  if (!valid(['server', 'listen']) || !valid(['server', 'open'])) return;
  if (listen === undefined || hasKeys || isLoopback(listen) || valueOf(child(server, 'open')) === true) return;
  const at = child(server, 'listen')?.at ?? keyPlace(root, ['server']);
  report({
    code: 'exposed',
    at,
    message: 'other hosts can connect, and no API key is defined',
    hint: 'define api_keys, listen on 127.0.0.1, or set server.open: true',
  });
}
