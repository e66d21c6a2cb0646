import type { ServerResponse } from 'node:http';
import { type GatewayError, fromUnknown } from '../../core/error.ts';

/** Headers of every response. Scripts and styles may be loaded only from this origin. */
export const securityHeaders: Readonly<Record<string, string>> = Object.freeze({
  'content-security-policy': contentSecurityPolicy(),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
});

/** Builds the Content-Security-Policy. @param hashes of inline scripts and styles of the page, such as `'sha256-…'` */
export function contentSecurityPolicy(
  hashes: { readonly scripts: readonly string[]; readonly styles: readonly string[] } = { scripts: [], styles: [] },
): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes.scripts].join(' '),
    ["style-src 'self'", ...hashes.styles].join(' '),
    "img-src 'self' data:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Sends a response. Does nothing if the head was already sent. */
export function send(response: ServerResponse, status: number, bytes: Uint8Array | string, headers: Headers): void {
  if (response.headersSent || response.destroyed) return;
  const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const own: Record<string, string | string[] | number> = { ...securityHeaders, 'content-length': body.length };
  for (const [name, value] of Object.entries(headers)) own[name] = typeof value === 'string' ? value : [...value];
  response.writeHead(status, own);
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

export function sendJson(response: ServerResponse, status: number, value: unknown, headers: Headers = {}): void {
  send(response, status, `${JSON.stringify(value)}\n`, { 'content-type': 'application/json; charset=utf-8', ...headers });
}

/** Sends an error of the catalogue, in the error format of the gateway. */
export function sendError(response: ServerResponse, thrown: unknown): GatewayError {
  const error = fromUnknown(thrown);
  const { message, type, code, param, hint } = error;
  const shown = { message, type, code, param: param ?? null, gateway: { source: 'gateway', ...(hint === undefined ? {} : { hint }) } };
  sendJson(response, error.status, { error: shown }, headersOf(error));
  return error;
}

const headersOf = ({ allow, waitS }: GatewayError): Headers => ({
  ...(allow === undefined ? {} : { allow }),
  ...(waitS === undefined ? {} : { 'retry-after': waitS.toString() }),
});
