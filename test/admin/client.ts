import { request as requestHttp } from 'node:http';
import type { TestGateway } from '../support/gateway.ts';

export interface AdminResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
  /** `error.code`. */
  readonly code: string | undefined;
}

export interface AdminRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | undefined;
  readonly cookie?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: string;
  /** The response is a stream that does not end. */
  readonly isStream?: boolean;
}

/** The base URL of the admin listener. */
export function adminUrl({ gateway }: Pick<TestGateway, 'gateway'>): string {
  const { admin } = gateway;
  if (admin === undefined || 'fault' in admin) throw new Error('this gateway has no admin listener');
  return admin.url;
}

/** One call on a new connection, with exactly these headers. */
export function call(base: string, path: string, request: AdminRequest = {}): Promise<AdminResponse> {
  const { method = 'GET', token, cookie, body, raw } = request;
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = {
    ...(method === 'GET' ? {} : { 'x-gateway-admin': '1' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...request.headers,
  };
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = requestHttp({ host: hostname, port, path, method, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      if (request.isStream === true && response.statusCode === 200) response.once('data', () => response.destroy());
      response.once('close', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '', json: undefined, code: undefined }),
      );
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', request.isStream === true ? () => {} : reject);
      response.on('end', () => {
        const out = Buffer.concat(pieces).toString('utf8');
        const json = jsonOf(out);
        const code = (json as { error?: { code?: string } } | undefined)?.error?.code;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: out, json, code });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The cookie of a response in the form that a client sends back. */
export const cookieOf = ({ headers }: AdminResponse): string => String(headers['set-cookie']).split(';')[0] ?? '';
