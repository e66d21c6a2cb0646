import { credentialHeaders, type HeaderBag, type HeaderPairs, hopByHopHeaders, isSteering } from '../../../core/http/headers.ts';

/** Tells gateway headers from others: the part of a bag that filters need. */
export type GatewayNames = Pick<HeaderBag, 'isGateway'>;

/** Not the caller's to send on: whom we call, what we have answered already, and how the body is framed on our side. */
const ownToUs: ReadonlySet<string> = new Set([
  'host',
  'expect',
  'content-length',
  'http2-settings',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  'sec-websocket-accept',
]);

/**
 * Credentials for services in front of a provider, and codings: the gateway can only look for secrets in a response that
 * is not compressed. Providers that need one of these get it by `forward_headers`.
 */
const notRelayed: ReadonlySet<string> = new Set([
  'apikey',
  'x-apikey',
  'ocp-apim-subscription-key',
  'x-functions-key',
  'x-auth-token',
  'x-access-token',
  'x-amz-security-token',
  'accept-encoding',
]);

/** Of a provider's answer: what speaks for its site or its connection, and ids that ours replace. */
const ownToProvider: ReadonlySet<string> = new Set([
  'set-cookie',
  'server',
  'date',
  'alt-svc',
  'strict-transport-security',
  'via',
  'x-powered-by',
  'x-request-id',
  'request-id',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-allow-private-network',
  'access-control-expose-headers',
  'access-control-max-age',
]);

/**
 * The caller's headers that a relay sends on: all but credentials, hop-by-hop ones (those that
 * `Connection` names among them), gateway headers, headers that steer a service, and what the relay writes itself. Names must be in lower case.
 */
export function relayHeaders(
  entries: Iterable<readonly [name: string, value: string]>,
  names: GatewayNames,
  withheld: readonly string[] = [],
): HeaderPairs {
  const all = [...entries];
  const named = namedByConnection(all);
  const out: HeaderPairs = [];
  for (const [name, value] of all) {
    const isSecret = credentialHeaders.has(name) || notRelayed.has(name);
    const isOurs = hopByHopHeaders.has(name) || ownToUs.has(name) || named.has(name) || names.isGateway(name);
    const isDropped = isSecret || isOurs || isSteering(name) || withheld.includes(name);
    if (!isDropped) out.push(name, value);
  }
  return out;
}

/** The provider's headers that go to the client with an answer whose bytes are not changed: its framing and coding stay. */
export function answerHeaders(raw: readonly string[], names: GatewayNames): HeaderPairs {
  const all: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) all.push([(raw[i] ?? '').toLowerCase(), raw[i + 1] ?? '']);
  const named = namedByConnection(all);
  const out: HeaderPairs = [];
  for (const [name, value] of all) {
    const isDropped = hopByHopHeaders.has(name) || ownToProvider.has(name) || named.has(name) || names.isGateway(name);
    if (!isDropped) out.push(name, value);
  }
  return out;
}

/** Both lists; a name of `over` replaces every header of that name in `under`. */
export function overlay(under: HeaderPairs, over: HeaderPairs): HeaderPairs {
  const replaced = new Set<string>();
  for (let i = 0; i < over.length; i += 2) replaced.add((over[i] ?? '').toLowerCase());
  const out: HeaderPairs = [];
  for (let i = 0; i + 1 < under.length; i += 2)
    if (!replaced.has((under[i] ?? '').toLowerCase())) out.push(under[i] ?? '', under[i + 1] ?? '');
  return out.concat(over);
}

/** First value of a name. */
export function headerOf(pairs: HeaderPairs, name: string): string | undefined {
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return pairs[i + 1];
  return undefined;
}

/** The form that `http.request` takes; a repeated name becomes a list, which is written as several lines. */
export function toObject(pairs: HeaderPairs): Record<string, string | string[]> {
  const map = new Map<string, string | string[]>();
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const name = pairs[i] ?? '';
    const value = pairs[i + 1] ?? '';
    const known = map.get(name);
    if (Array.isArray(known)) known.push(value);
    else map.set(name, known === undefined ? value : [known, value]);
  }
  return Object.fromEntries(map);
}

/** Subprotocols that carry a key: browsers can send it no other way. Read by `auth`, never sent on. */
const keySubprotocol = /^openai-insecure-api-key\.|^gw_|api[-_]?key[.=]|bearer[.=]/i;

/** The client's WebSocket subprotocols that go to the provider, in order: all that hold no key. */
export function relaySubprotocols(header: string | undefined): string[] {
  const offered = (header ?? '').split(',').map((each) => each.trim());
  return offered.filter((each) => each !== '' && !keySubprotocol.test(each));
}

function namedByConnection(entries: readonly (readonly [name: string, value: string])[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const [name, value] of entries) {
    if (name === 'connection' || name === 'proxy-connection') for (const each of value.split(',')) named.add(each.trim().toLowerCase());
  }
  return named;
}
