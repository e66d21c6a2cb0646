import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../core/error.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';
import { printable } from '../../core/text/printable.ts';

/** How long a browser caches a preflight response, in seconds. Browsers permit longer times. */
const preflightMaxAgeS = 600;

/** List of header names in `access-control-request-headers`. */
const nameList = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/** `server.cors`: origins whose pages may use the gateway and read its responses. Credentials are sent in headers, never in cookies. */
export class Cors {
  readonly #exact: ReadonlySet<string>;
  /** Such as `https://` and `.example.com`. */
  readonly #suffixes: readonly (readonly [scheme: string, suffix: string])[];
  readonly #isAny: boolean;

  /** @param origins in lower case: `https://app.example.com`, `https://*.example.com`, or `*` */
  constructor(origins: readonly string[]) {
    this.#isAny = origins.includes('*');
    this.#exact = new Set(origins);
    this.#suffixes = origins.flatMap((origin) => {
      const star = origin.indexOf('*.');
      return star < 0 ? [] : [[origin.slice(0, star), origin.slice(star + 1)] as const];
    });
  }

  allows(origin: string): boolean {
    if (this.#isAny) return origin !== 'null';
    const name = origin.toLowerCase();
    if (this.#exact.has(name)) return !name.includes('*');
    return this.#suffixes.some(
      ([scheme, suffix]) => name.startsWith(scheme) && name.endsWith(suffix) && name.length > scheme.length + suffix.length,
    );
  }

  /** Adds CORS headers to the response, including errors and streams. */
  addHeaders({ headers }: IncomingMessage, response: ServerResponse): void {
    addToHead(response, this.headersFor(headers.origin));
  }

  /** Headers added to every response to a page. */
  headersFor(origin: string | undefined): HeaderPairs {
    const isAllowed = origin !== undefined && this.allows(origin);
    return isAllowed ? ['vary', 'Origin', 'access-control-allow-origin', origin, 'access-control-expose-headers', '*'] : varyOnly;
  }

  /**
   * Answers a CORS preflight, which has no key and is not processed further. Returns false if the request is not a
   * preflight. Call `refusal` first.
   */
  respondToPreflight(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.headers.origin === undefined || !isPreflight(request)) return false;
    response.writeHead(204, preflightHeaders(request)).end();
    return true;
  }

  /** Returns the error for a preflight of an origin that is not allowed. */
  refusal(request: IncomingMessage): GatewayError | undefined {
    const { origin } = request.headers;
    if (origin === undefined || !isPreflight(request) || this.allows(origin)) return undefined;
    return new GatewayError('origin_not_allowed', {
      message: `Pages of "${printable(origin).slice(0, 100)}" may not use the gateway.`,
      param: 'origin',
      hint: 'Name its origin in server.cors.origins.',
    });
  }
}

/** Prevents caches from serving the response for one origin to another. */
const varyOnly: HeaderPairs = ['vary', 'Origin'];

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

function preflightHeaders({ headers }: IncomingMessage): HeaderPairs {
  const requestedHeaders = headers['access-control-request-headers'];
  const pairs = [
    'vary',
    'Access-Control-Request-Headers',
    'access-control-allow-methods',
    'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-max-age',
    String(preflightMaxAgeS),
  ];
  if (requestedHeaders !== undefined && nameList.test(requestedHeaders)) pairs.push('access-control-allow-headers', requestedHeaders);
  if (headers['access-control-request-private-network'] === 'true') pairs.push('access-control-allow-private-network', 'true');
  return pairs;
}

/** Adds header pairs to each `writeHead` call, which gets its headers as a list of pairs or an object. */
function addToHead(response: ServerResponse, more: HeaderPairs): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (status: number, ...rest: readonly unknown[]) => {
    const headers = rest.at(-1);
    const original = Array.isArray(headers)
      ? (headers as string[])
      : Object.entries(headers ?? {})
          .flat()
          .map(String);
    return writeHead(status, [...original, ...more]);
  };
}
