import type { PromptTry } from '../../admin/api-types.ts';
import type { DashboardRequest } from '../../admin/managed-gateway.ts';
import { GatewayError } from '../../core/error.ts';
import { responseHeaders } from '../../core/http/headers.ts';
import { unbracket } from '../../core/http/listen-address.ts';
import { request } from '../../core/node-http.ts';

/** Maximum size of a complete response shown to a person, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Sends a request to a data listener as a client would.
 *
 * @param url with `/v1`, or `unix:/path`
 * @throws GatewayError if no response arrives
 */
export function sendToGateway(url: string, { path, body, key, signal }: DashboardRequest): Promise<PromptTry> {
  const text = JSON.stringify(body);
  const target = url.startsWith('unix:')
    ? { socketPath: url.slice(5) }
    : { host: unbracket(new URL(url).hostname), port: new URL(url).port };
  const headers = {
    ...('socketPath' in target ? { host: 'localhost' } : {}),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(key === undefined ? {} : { 'x-gateway-api-key': key }),
  };
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown): void =>
      reject(new GatewayError('upstream_unreachable', { message: 'The gateway did not respond to its own request.', cause }));
    const sent = request({ ...target, path, method: 'POST', headers, agent: false, signal }, (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > maxBytes) response.destroy(new Error('the response is too large'));
        else pieces.push(piece);
      });
      response.on('error', failed);
      response.on('end', () => {
        const header = (name: string): string | null => response.headersDistinct[name]?.[0] ?? null;
        resolve({
          status: response.statusCode ?? 0,
          id: header('x-request-id'),
          cost_usd: header(responseHeaders.cost),
          body: Buffer.concat(pieces).toString('utf8'),
        });
      });
    });
    sent.on('error', failed);
    sent.end(text);
  });
}
