import {
  credentialHeaders,
  type HeaderBag,
  type HeaderPairs,
  hopByHopHeaders,
  isRequestOverride,
  namedByConnection,
} from '#core/http/headers.ts';
import type { Tap } from '#core/provider.ts';

/** Headers that are not forwarded: the host, headers that the gateway has handled, and the framing of the body. */
const handledHeaders: ReadonlySet<string> = new Set([
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
 * Credentials for services in front of a provider, and codings, because the gateway can find secrets only in a response that
 * is not compressed. If a provider needs one of them, use `forward_headers`.
 */
const excludedHeaders: ReadonlySet<string> = new Set([
  'apikey',
  'x-apikey',
  'ocp-apim-subscription-key',
  'x-functions-key',
  'x-auth-token',
  'x-access-token',
  'x-amz-security-token',
  'accept-encoding',
]);

/**
 * The caller's headers that are forwarded with a relayed request: all except credentials, hop-by-hop headers (including those
 * listed in `Connection`), gateway headers, headers that control a service, and those that are written again.
 */
export function relayedHeaders(bag: Pick<HeaderBag, 'entries' | 'get' | 'isGateway'>, withheld: readonly string[] = []): HeaderPairs {
  const named = namedByConnection([bag.get('connection'), bag.get('proxy-connection')]);
  const out: HeaderPairs = [];
  for (const [name, value] of bag.entries()) {
    const isSecret = credentialHeaders.has(name) || excludedHeaders.has(name);
    const isHandled = hopByHopHeaders.has(name) || handledHeaders.has(name) || named.has(name) || bag.isGateway(name);
    if (!isSecret && !isHandled && !isRequestOverride(name) && !withheld.includes(name)) out.push(name, value);
  }
  return out;
}

/** A relayed response is not parsed: it is complete when the transport reports its end, and its model and tokens are unknown. */
export const unparsedTap: Tap = Object.freeze({
  form: 'bytes',
  event: () => 'content',
  whole: () => undefined,
  complete: true,
  usage: undefined,
  finish: [],
  model: undefined,
  id: undefined,
  fault: undefined,
  contentEvents: 0,
});
