import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { GatewayError } from '../../core/error.ts';
import { hostNameOf, isLoopbackHost } from '../../core/http/listen-address.ts';

/** A page of another origin cannot send this header without a CORS preflight, which the gateway never allows. */
export const guardHeader = 'x-gateway-admin';

/**
 * Accepts only expected host names. With DNS rebinding, a page reaches this machine under a foreign name.
 *
 * @param hosts `server.admin.hosts`
 * @throws GatewayError `host_not_allowed`
 */
export function checkHost({ headers }: IncomingMessage, hosts: readonly string[]): void {
  const host = hostNameOf(headers.host ?? '');
  if (host !== '' && (isLoopbackHost(host) || isIP(host) !== 0 || hosts.some((one) => one.toLowerCase() === host))) return;
  throw new GatewayError('host_not_allowed', {
    message: `The dashboard is not served under the host name "${(headers.host ?? '').slice(0, 100)}".`,
    hint: 'Use the address that the gateway prints at start, or add the host name to server.admin.hosts.',
  });
}

/**
 * Rejects requests of pages of other origins, reads and changes alike.
 *
 * @throws GatewayError `origin_not_allowed`
 */
export function checkOrigin({ method, headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  const isCrossOrigin = (site !== undefined && site !== 'same-origin' && site !== 'none') || !isSameOrigin(headers.origin, headers.host);
  if (isCrossOrigin) throw originNotAllowed('A page of another origin cannot use the admin API.');
  const changes = method !== 'GET' && method !== 'HEAD';
  if (changes && headers[guardHeader] === undefined)
    throw originNotAllowed(`A request that changes something needs the header ${guardHeader}: 1.`);
}

const originNotAllowed = (message: string): GatewayError => new GatewayError('origin_not_allowed', { message });

function isSameOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
