import type { IncomingMessage } from 'node:http';

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
