import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { GatewayError } from '../../core/error.ts';
import { connectionFault } from '../../core/http/connection-fault.ts';
import { canonicalPrefix, requestHeaders } from '../../core/http/headers.ts';
import { unbracket } from '../../core/http/listen-address.ts';
import { request as requestHttp } from '../../core/node-http.ts';
import { formatSize } from '../../core/text/units.ts';

/** A request to a data listener. */
export interface ListenerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A text as it is, otherwise JSON. */
  readonly body: unknown;
  /** A gateway API key, if callers need one. */
  readonly key: string | undefined;
  readonly signal?: AbortSignal;
}

export interface ListenerResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Limits for a response: time in milliseconds, size in bytes. */
const limits = { ms: 300_000, bytes: 16 * 1024 * 1024 } as const;

/**
 * Sends a request to a data listener as a client would.
 *
 * @param base address of the listener: `http://host:port/v1`, or `unix:/path`
 * @throws GatewayError `upstream_unreachable`, `timeout`, `upstream_invalid`, `invalid_header`
 */
export function sendToListener(base: string, { method, path, headers, body, key, signal }: ListenerRequest): Promise<ListenerResponse> {
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), 'utf8');
  const timeout = AbortSignal.timeout(limits.ms);
  const options: RequestOptions = {
    ...addressOf(base),
    method,
    path,
    agent: false,
    headers: {
      'content-type': 'application/json',
      ...headers,
      'accept-encoding': 'identity',
      ...(key === undefined ? {} : { [`${canonicalPrefix}${requestHeaders.apiKey[0]}`]: key }),
      ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
    },
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  };
  return new Promise((resolve, reject) => {
    let hasResponse = false;
    const failed = (cause: Error): void => reject(listenerError(cause, hasResponse));
    const clientRequest = openRequest(options, (response) => {
      hasResponse = true;
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > limits.bytes) clientRequest.destroy(tooLarge());
        else pieces.push(piece);
      });
      response.on('error', failed);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces).toString('utf8') }),
      );
    });
    clientRequest.on('error', failed);
    clientRequest.end(bytes);
  });
}

const tooLarge = (): GatewayError =>
  new GatewayError('upstream_invalid', { message: `The response is larger than ${formatSize(limits.bytes)}.` });

function listenerError(cause: Error, hasBegun: boolean): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (cause.name === 'AbortError' || cause.name === 'TimeoutError')
    // Not 408, after which some browsers send the call to the admin API again.
    return new GatewayError('timeout', { message: `The request did not end within ${limits.ms / 1000} s.`, status: 504 });
  const why = connectionFault(cause);
  return hasBegun
    ? new GatewayError('upstream_invalid', { message: `The response of the gateway broke off: ${why}.`, cause })
    : new GatewayError('upstream_unreachable', { message: `The gateway could not be reached: ${why}.`, cause });
}

/** @throws GatewayError `invalid_header` for a value that is not allowed in a header */
function openRequest(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
  try {
    return requestHttp(options, onResponse);
  } catch (cause) {
    throw new GatewayError('invalid_header', { message: 'The path or a header of the request cannot be sent.', cause });
  }
}

function addressOf(base: string): RequestOptions {
  if (base.startsWith('unix:')) return { socketPath: base.slice('unix:'.length) };
  const { hostname, port } = new URL(base);
  return { host: unbracket(hostname), port };
}
