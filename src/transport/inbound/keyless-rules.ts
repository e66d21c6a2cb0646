import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { EndpointTraits } from '../../core/endpoint.ts';
import { GatewayError } from '../../core/error.ts';
import { printable } from '../../core/text/printable.ts';
import type { Cors } from './cors.ts';
import { isLoopbackHost, type ListenAddress } from '../../core/http/listen-address.ts';

/** Where the gateway listens, and whether the operator opened it to other hosts. */
interface KeylessSite {
  readonly listen: ListenAddress | undefined;
  /** `server.open` */
  readonly isOpen: boolean;
}

type Request = Pick<IncomingMessage, 'method' | 'headers'> & { readonly rawHeaders: readonly string[] };

/**
 * What a gateway without keys takes. Whoever connects spends the operator's credentials, and a browser on the same machine
 * connects for any page that it shows: so the page, or the name under which it found the gateway, must not be foreign.
 */
export class KeylessRules {
  readonly #host: string | undefined;
  readonly #takesAnyHost: boolean;
  readonly #isOpen: boolean;
  readonly #cors: Cors | undefined;
  /** Nearly every request names the host of the one before. */
  #lastOwn: string | undefined;

  constructor({ listen, isOpen }: KeylessSite, cors: Cors | undefined) {
    this.#host = listen !== undefined && 'host' in listen ? listen.host.toLowerCase() : undefined;
    // No browser reaches a socket in the file system, and an open gateway has names that only its operator knows.
    this.#takesAnyHost = isOpen || (listen !== undefined && 'path' in listen);
    this.#isOpen = isOpen;
    this.#cors = cors;
  }

  /** Why the request is refused; undefined when it may go on. */
  refusal(request: Request, traits: EndpointTraits | undefined): GatewayError | undefined {
    return this.#hostRefusal(request) ?? this.#originRefusal(request) ?? (traits === undefined ? undefined : typeRefusal(request, traits));
  }

  /** A page whose name was made to point to this machine (DNS rebinding) still sends its own name. */
  #hostRefusal({ headers, rawHeaders }: Request): GatewayError | undefined {
    if (this.#takesAnyHost) return undefined;
    const { host } = headers;
    const second = secondHost(rawHeaders);
    if (second !== undefined) return foreignHost('host', second);
    // HTTP/1.0 needs none; no browser speaks it.
    if (host !== undefined && !this.#isOwn(host)) return foreignHost('host', host);
    const forwarded = headers['x-forwarded-host'];
    if (forwarded === undefined) return undefined;
    const foreign = String(forwarded)
      .split(',')
      .find((each) => !this.#isOwn(each.trim()));
    return foreign === undefined ? undefined : foreignHost('x-forwarded-host', foreign.trim());
  }

  #originRefusal({ headers }: Request): GatewayError | undefined {
    const { origin } = headers;
    if (origin !== undefined) return this.#isAllowed(origin, headers.host) ? undefined : foreignOrigin(`A page of "${shown(origin)}"`);
    const site = headers['sec-fetch-site'];
    return site === undefined || site === 'same-origin' || site === 'none' ? undefined : foreignOrigin('A page of another site');
  }

  /** Its own origin, under a name that no foreign page can have, or one that `server.cors` names. */
  #isAllowed(origin: string, host: string | undefined): boolean {
    if (this.#cors?.allows(origin) === true) return true;
    if (host === undefined || !(this.#isOwn(host) || (this.#isOpen && isAddress(host)))) return false;
    const match = /^https?:\/\/([^/]+)$/i.exec(origin);
    return match?.[1]?.toLowerCase() === host.toLowerCase();
  }

  /** Ports are not compared: they are forwarded and published under others, and a page cannot choose its name by one. */
  #isOwn(host: string): boolean {
    if (host === this.#lastOwn) return true;
    const name = nameOf(host);
    const isOwn = isLoopbackHost(name) || name === this.#host;
    if (isOwn) this.#lastOwn = host;
    return isOwn;
  }
}

/** Without its port, brackets and final dot. */
function nameOf(host: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+?)\.?)(?::\d{1,5})?$/.exec(host.toLowerCase());
  return match?.[1] ?? match?.[2] ?? '';
}

/** Node takes the first of several `Host` lines, and what passed the request on may have gone by another (RFC 9112 3.2). */
function secondHost(raw: readonly string[]): string | undefined {
  let hasHost = false;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (hasHost) return raw[i + 1];
    hasHost = true;
  }
  return undefined;
}

const isAddress = (host: string): boolean => isIP(nameOf(host)) !== 0;

/** What a page may send to any other site without being asked (Fetch, "simple" requests): never what a client library sends. */
function typeRefusal({ method, headers }: Request, traits: EndpointTraits): GatewayError | undefined {
  if (method !== 'POST' || !hasBody(headers)) return undefined;
  const written = headers['content-type'];
  if (written === 'application/json') return undefined;
  const type = (written ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (traits.body === 'json' ? isJson(type) : isJson(type) || !simpleTypes.has(type) || mayBeForm(type, traits)) return undefined;
  const isForm = traits.body === 'form';
  return new GatewayError('unsupported_media_type', {
    message: `${written === undefined ? 'A body without content-type' : `content-type "${shown(written)}"`} is not accepted: the gateway has no API keys, and any web page could send this.`,
    param: 'content-type',
    hint: `Send content-type: ${isForm ? 'multipart/form-data or ' : ''}application/json.`,
  });
}

const simpleTypes: ReadonlySet<string> = new Set(['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');

/** Relayed forms too: only their origin tells whose they are. */
const mayBeForm = (type: string, { body }: EndpointTraits): boolean =>
  type === 'multipart/form-data' && (body === 'form' || body === 'passing');

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const shown = (text: string): string => printable(text).slice(0, 100);

const foreignHost = (header: string, host: string): GatewayError =>
  new GatewayError('host_not_allowed', {
    message: `The gateway has no API keys and serves only this machine: ${header} "${shown(host)}" is not accepted.`,
    param: header,
    hint: 'Use http://127.0.0.1 or http://localhost, or define api_keys. server.open: true serves everyone who can connect.',
  });

const foreignOrigin = (who: string): GatewayError =>
  new GatewayError('origin_not_allowed', {
    message: `${who} may not use a gateway without API keys.`,
    param: 'origin',
    hint: 'Name its origin in server.cors.origins, or define api_keys.',
  });
