import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Handles a target in absolute form (`GET http://host/path`, RFC 9112 3.2.2), which every server must accept: its host
 * replaces the `Host` header, and the rest is the path. Other targets are left unchanged.
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

/** Internal field of `node:http`: the current response on a socket. */
type HttpSocket = Socket & { readonly _httpMessage?: unknown };

/**
 * True for an upgrade to WebSocket, the only supported one. Any other offer is ignored and the request is handled as
 * usual (RFC 9110 7.8): Java's own client offers `h2c` on every call. An offer is also ignored if the request has a
 * body, which a proxy in front of the gateway would not read as frames, or follows a request without a complete
 * response: the `101` would be sent before that response.
 */
export function wantsWebSocket({ method, headers, socket }: Pick<IncomingMessage, 'method' | 'headers' | 'socket'>): boolean {
  const { upgrade, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (method !== 'GET' || upgrade === undefined || !/(?:^|,)\s*websocket\s*(?:,|$)/i.test(upgrade)) return false;
  return length === '0' && coding === undefined && ((socket as HttpSocket)._httpMessage ?? null) === null;
}
