import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { EndpointTraits } from '../../core/endpoint.ts';
import { GatewayError } from '../../core/error.ts';
import { printable } from '../../core/text/printable.ts';
import { hasBody } from './body/has-body.ts';
import type { Cors } from './cors.ts';
import { hostNameOf, isLoopbackHost, type ListenAddress } from '../../core/http/listen-address.ts';

/** Listen address, and whether the configuration opens the gateway to other hosts. */
interface KeylessListener {
  readonly listen: ListenAddress | undefined;
  /** `server.open` */
  readonly isOpen: boolean;
}

type Request = Pick<IncomingMessage, 'method' | 'headers'>;

/**
 * Rules for a gateway without API keys. Every client that connects uses the configured provider credentials, and a
 * browser on the same machine connects on behalf of any page. So neither the page's origin nor the host name of the
 * request may be foreign.
 */
export class KeylessRules {
  readonly #host: string | undefined;
  readonly #allowsAnyHost: boolean;
  readonly #isOpen: boolean;
  readonly #cors: Cors | undefined;
  /** Cache: most requests have the same host as the previous one. */
  #lastLocalHost: string | undefined;

  constructor({ listen, isOpen }: KeylessListener, cors: Cors | undefined) {
    this.#host = listen !== undefined && 'host' in listen ? listen.host.toLowerCase() : undefined;
    // Browsers cannot connect to a Unix socket. The host names of an open gateway are not known here.
    this.#allowsAnyHost = isOpen || (listen !== undefined && 'path' in listen);
    this.#isOpen = isOpen;
    this.#cors = cors;
  }

  /** Returns the error for a rejected request; undefined if it may proceed. */
  refusal(request: Request, traits: EndpointTraits | undefined): GatewayError | undefined {
    return this.#hostRefusal(request) ?? this.#originRefusal(request) ?? (traits === undefined ? undefined : typeRefusal(request, traits));
  }

  /** With DNS rebinding, a foreign name resolves to this machine, but the page still sends that name as its host. */
  #hostRefusal({ headers }: Request): GatewayError | undefined {
    if (this.#allowsAnyHost) return undefined;
    const { host } = headers;
    // HTTP/1.0 needs no `Host`; browsers do not use HTTP/1.0.
    if (host !== undefined && !this.#isLocalHost(host)) return foreignHost('host', host);
    const forwarded = headers['x-forwarded-host'];
    if (forwarded === undefined) return undefined;
    const foreign = String(forwarded)
      .split(',')
      .find((each) => !this.#isLocalHost(each.trim()));
    return foreign === undefined ? undefined : foreignHost('x-forwarded-host', foreign.trim());
  }

  #originRefusal({ headers }: Request): GatewayError | undefined {
    const { origin } = headers;
    if (origin !== undefined) return this.#isAllowed(origin, headers.host) ? undefined : foreignOrigin(`A page of "${quoted(origin)}"`);
    const site = headers['sec-fetch-site'];
    return site === undefined || site === 'same-origin' || site === 'none' ? undefined : foreignOrigin('A page of another site');
  }

  /** True for the gateway's own origin under a local name, and for origins allowed by `server.cors`. */
  #isAllowed(origin: string, host: string | undefined): boolean {
    if (this.#cors?.allows(origin) === true) return true;
    if (host === undefined || !(this.#isLocalHost(host) || (this.#isOpen && isAddress(host)))) return false;
    const match = /^https?:\/\/([^/]+)$/i.exec(origin);
    return match?.[1]?.toLowerCase() === host.toLowerCase();
  }

  /** Ports are ignored: they may be forwarded or published under other numbers, and a page cannot choose its host name by a port. */
  #isLocalHost(host: string): boolean {
    if (host === this.#lastLocalHost) return true;
    const name = hostNameOf(host);
    const isLocal = isLoopbackHost(name) || name === this.#host;
    if (isLocal) this.#lastLocalHost = host;
    return isLocal;
  }
}

const isAddress = (host: string): boolean => isIP(hostNameOf(host)) !== 0;

/**
 * Rejects requests that a page can send to any site without a CORS preflight (Fetch, "simple" requests). Client
 * libraries never send them.
 */
function typeRefusal(request: Request, traits: EndpointTraits): GatewayError | undefined {
  const { method, headers } = request;
  if (method !== 'POST' || !hasBody(request)) return undefined;
  const written = headers['content-type'];
  if (written === 'application/json') return undefined;
  const type = (written ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (traits.body === 'json' ? isJson(type) : isJson(type) || !simpleTypes.has(type) || mayBeForm(type, traits)) return undefined;
  const isForm = traits.body === 'form';
  return new GatewayError('unsupported_media_type', {
    message: `${written === undefined ? 'A body without content-type' : `content-type "${quoted(written)}"`} is not accepted: the gateway has no API keys, and any web page could send this.`,
    param: 'content-type',
    hint: `Send content-type: ${isForm ? 'multipart/form-data or ' : ''}application/json.`,
  });
}

const simpleTypes: ReadonlySet<string> = new Set(['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');

/** Relayed forms are included: only their origin identifies the sender. */
const mayBeForm = (type: string, { body }: EndpointTraits): boolean =>
  type === 'multipart/form-data' && (body === 'form' || body === 'passing');

const quoted = (text: string): string => printable(text).slice(0, 100);

const foreignHost = (header: string, host: string): GatewayError =>
  new GatewayError('host_not_allowed', {
    message: `The gateway has no API keys and serves only this machine: ${header} "${quoted(host)}" is not accepted.`,
    param: header,
    hint: 'Use http://127.0.0.1 or http://localhost, or define api_keys. server.open: true serves everyone who can connect.',
  });

const foreignOrigin = (who: string): GatewayError =>
  new GatewayError('origin_not_allowed', {
    message: `${who} may not use a gateway without API keys.`,
    param: 'origin',
    hint: 'Name its origin in server.cors.origins, or define api_keys.',
  });
