import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../core/error.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';
import { printable } from '../../core/text/printable.ts';

/** Seconds for which a browser remembers that it may ask: what most of them take at most is more. */
const rememberedS = 600;

/** Header names, as a browser lists those that a page wants to send. */
const nameList = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/** `server.cors`: pages of other origins that may use the gateway and read its answers. Keys come in headers, never in cookies. */
export class Cors {
  readonly #exact: ReadonlySet<string>;
  /** `https://` and `.example.com`. */
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

  /** Lets the page read the answer, whatever it will be: errors and streams too. */
  show({ headers }: IncomingMessage, response: ServerResponse): void {
    joinHead(response, this.headersFor(headers.origin));
  }

  /** What every answer to a page says beside its own headers. */
  headersFor(origin: string | undefined): HeaderPairs {
    const shown = origin !== undefined && this.allows(origin);
    return shown ? ['vary', 'Origin', 'access-control-allow-origin', origin, 'access-control-expose-headers', '*'] : noPage;
  }

  /**
   * Answers a browser's question before a request: it has no key, and nothing of it goes further. False where it is none.
   * Ask `refusal` first.
   */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.headers.origin === undefined || !isPreflight(request)) return false;
    response.writeHead(204, preflightHeaders(request)).end();
    return true;
  }

  /** Why a browser's question is answered with no. */
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

/** Caches must not give one page's answer to another. */
const noPage: HeaderPairs = ['vary', 'Origin'];

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

function preflightHeaders({ headers }: IncomingMessage): HeaderPairs {
  const wanted = headers['access-control-request-headers'];
  const pairs = [
    'vary',
    'Access-Control-Request-Headers',
    'access-control-allow-methods',
    'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-max-age',
    String(rememberedS),
  ];
  if (wanted !== undefined && nameList.test(wanted)) pairs.push('access-control-allow-headers', wanted);
  if (headers['access-control-request-private-network'] === 'true') pairs.push('access-control-allow-private-network', 'true');
  return pairs;
}

/** Every head of ours is written as a list of pairs or as an object; both get these beside their own. */
function joinHead(response: ServerResponse, more: HeaderPairs): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (status: number, ...rest: readonly unknown[]) => {
    const headers = rest.at(-1);
    const own = Array.isArray(headers)
      ? (headers as string[])
      : Object.entries(headers ?? {})
          .flat()
          .map(String);
    return writeHead(status, [...own, ...more]);
  };
}
