import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

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

/** What `node:http` keeps on a socket: the response whose turn it is. */
type HttpSocket = Socket & { readonly _httpMessage?: unknown };

/**
 * True for the only protocol that connections are switched to. Any other offer is ignored and the request answered as it
 * is (RFC 9110 7.8): Java's own client offers `h2c` on every call. So is one with a body, which a server in front of the
 * gateway would not take for frames, and one behind a request that is still being answered: its agreement would leave
 * before that answer.
 */
export function wantsWebSocket({ method, headers, socket }: Pick<IncomingMessage, 'method' | 'headers' | 'socket'>): boolean {
  const { upgrade, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (method !== 'GET' || upgrade === undefined || !/(?:^|,)\s*websocket\s*(?:,|$)/i.test(upgrade)) return false;
  return length === '0' && coding === undefined && ((socket as HttpSocket)._httpMessage ?? null) === null;
}
