import type { IncomingMessage } from 'node:http';

/**
 * Reads a target in absolute form (`GET http://host/path`, RFC 9112 3.2.2), which every server has to take: its host
 * counts in place of the header's, and the rest is the path. Everything else stays as it came.
 */
export function useAbsoluteTarget(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
  const { url } = request;
  if (url === undefined || url.charCodeAt(0) === slash) return;
  const match = /^https?:\/\/([^/?#@\s]+)(?![^/?])(.*)$/is.exec(url);
  const [, host, rest = ''] = match ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

const slash = 0x2f;

/**
 * True for the only protocol that connections are switched to. Any other offer is ignored and the request answered as it
 * is (RFC 9110 7.8): Java's own client offers `h2c` on every call.
 */
export function wantsWebSocket({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'GET' && headers.upgrade !== undefined && /(?:^|,)\s*websocket\s*(?:,|$)/i.test(headers.upgrade);
}
