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

const protocol = 'sec-websocket-protocol';

/**
 * The headers of the provider's upgrade response. The provider may only choose a subprotocol that was offered to it. A
 * browser that offered a key besides `realtime` must see one of them chosen.
 */
export function forwardedHeaders(received: IncomingHttpHeaders, offered: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(received))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  const chosen = headers[protocol];
  if (chosen !== undefined && !offered.includes(chosen)) delete headers[protocol];
  else if (chosen === undefined && offered.includes('realtime')) headers[protocol] = 'realtime';
  return headers;
}
