import type { ServerResponse } from 'node:http';
import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';

/** What one token request must look like. Anything else is answered as the real endpoint answers it. */
export interface Expected {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Query of a GET, form of a POST: exactly these. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A token endpoint that gives `token-<n>` for exactly one request, and says what is wrong with any other. */
export interface TokenServer extends ScriptedUpstream {
  expected: Expected;
  /** What a good request is answered with beside the token. */
  life: Readonly<Record<string, unknown>>;
  /** Instead of a token. */
  errorResponse: Refusal | undefined;
  /** Instead of the words about a request that is not as expected. */
  mismatch: unknown;
  /** Answers the next request, whatever it is. */
  first: ((response: ServerResponse) => void) | undefined;
  /** Runs before the next request is answered. */
  before: (() => Promise<void>) | undefined;
  /** Tokens that were given. */
  issuedCount: number;
}

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

/** An error of the public token endpoint, trace ids included. */
export function aadsts(code: number, text: string, error = 'invalid_client', status = 401): Refusal {
  const description = `AADSTS${code}: ${text} Trace ID: 0c1d-trace Correlation ID: 7a-corr Timestamp: 2026-11-21 12:00:00Z`;
  return {
    status,
    body: { error, error_description: description.replace(' Trace', '\r\nTrace'), error_codes: [code], trace_id: '0c1d-trace' },
  };
}

export async function startTokenServer(): Promise<TokenServer> {
  const upstream = await startUpstream((response, request) => respond(response, request));
  const server: TokenServer = Object.assign(upstream, {
    expected: { method: 'POST', path: '', parameters: {} } as Expected,
    life: { expires_in: 3599 },
    errorResponse: undefined,
    mismatch: undefined,
    first: undefined,
    before: undefined,
    issuedCount: 0,
  });
  async function respond(response: ServerResponse, request: SeenRequest): Promise<void> {
    const { first, before } = server;
    Object.assign(server, { first: undefined, before: undefined });
    const wrong = problem(request, server.expected);
    await before?.();
    if (first !== undefined) {
      first(response);
    } else if (wrong !== undefined) {
      json(response, 400, server.mismatch ?? { error: 'invalid_request', error_description: `AADSTS900144: ${wrong}` });
    } else if (server.errorResponse !== undefined) {
      json(response, server.errorResponse.status, server.errorResponse.body);
    } else {
      server.issuedCount += 1;
      json(response, 200, { token_type: 'Bearer', access_token: `token-${server.issuedCount}`, ...server.life });
    }
  }
  return server;
}

function inOrder(parameters: URLSearchParams): string {
  parameters.sort();
  return parameters.toString();
}

function problem(request: SeenRequest, expected: Expected): string | undefined {
  const [path = '', query = ''] = request.url.split('?');
  if (request.method !== expected.method) return `method ${request.method}`;
  if (path !== expected.path) return `path ${path}`;
  const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
  if (isForm !== (expected.method === 'POST')) return `content-type ${request.headers['content-type']}`;
  if (expected.method === 'POST' && query !== '') return `query ${query}`;
  const sent = new URLSearchParams(isForm ? request.body.toString() : query);
  const found = inOrder(sent);
  if (found !== inOrder(new URLSearchParams(expected.parameters))) return `parameters ${found}`;
  for (const [name, value] of Object.entries(expected.headers ?? {})) if (request.headers[name] !== value) return `header ${name}`;
  return undefined;
}
