import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { HeaderPairs } from '../../../core/http/headers.ts';

/** Converts headers to the form of `http.request`. A repeated name becomes a list, which is written as several lines. */
export function toOutgoingHeaders(pairs: HeaderPairs): OutgoingHttpHeaders {
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

/** Appended to the key of the client before it is hashed (RFC 6455 1.3). */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * Returns why a `101` is no valid response to the WebSocket upgrade that was sent (RFC 6455 4.1), so that its bytes must not
 * be forwarded as frames; undefined if it is one. Extensions are never offered.
 */
export function upgradeFault(received: IncomingHttpHeaders, sent: HeaderPairs): string | undefined {
  if (received.upgrade?.toLowerCase() !== 'websocket') return 'switched to another protocol than WebSocket';
  if (received['sec-websocket-extensions'] !== undefined) return 'uses a WebSocket extension that was not offered';
  const at = sent.indexOf('sec-websocket-key');
  const expected = createHash('sha1')
    .update((sent[at + 1] ?? '') + acceptSuffix)
    .digest('base64');
  return at < 0 || received['sec-websocket-accept'] === expected
    ? undefined
    : 'did not confirm the WebSocket: its header "sec-websocket-accept" is wrong';
}

const protocol = 'sec-websocket-protocol';

/**
 * The headers of the provider's upgrade response. The provider may only choose a subprotocol that was offered to it. A
 * browser that offered a key besides `realtime` must see one of them chosen.
 */
export function forwardedHeaders(received: IncomingHttpHeaders, offered: readonly string[]): Record<string, string> {
  const headers = joinedHeaders(received);
  const chosen = headers[protocol];
  if (chosen !== undefined && !offered.includes(chosen)) delete headers[protocol];
  else if (chosen === undefined && offered.includes('realtime')) headers[protocol] = 'realtime';
  return headers;
}

/** Headers with one value each: repeated ones are joined with ", ". */
export function joinedHeaders(received: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(received))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}
