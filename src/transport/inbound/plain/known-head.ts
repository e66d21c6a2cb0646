import { type EndpointTraits, traitsOf } from '../../../core/endpoint.ts';
import { pathOf, queryOf } from '../arrival.ts';
import { type HeaderNames, RequestHeaderBag } from '../header-bag.ts';
import { type MatchedRoute, matchRoute } from '../routes.ts';
import { type BodyLength, maxPlainHead, mayBecomePlain, type PlainHead, readPlainHead } from './head.ts';

/** A parsed head with everything derived from it: a following head with the same bytes needs no parsing. */
export interface KnownHead extends PlainHead {
  /** Bytes before the digits of the body length, or the whole head if it has none. */
  readonly before: string;
  /** Bytes after the digits. */
  readonly after: string;
  readonly hasDigits: boolean;
  /** Size of the head in bytes. */
  readonly size: number;
  readonly path: string;
  readonly query: string;
  readonly matched: MatchedRoute;
  readonly traits: EndpointTraits;
  /** The names with which `bag` was built. */
  readonly names: HeaderNames;
  readonly bag: RequestHeaderBag;
}

/** The end of a head, and the length of its body. */
export interface ReadHead {
  readonly known: KnownHead;
  /** Size of the head in bytes. */
  readonly end: number;
  readonly length: BodyLength;
}

/** Maximum number of digits of a length that is compared without parsing: up to 999 MB. */
const maxDigits = 9;
/** Larger heads are not cached, in bytes. */
export const maxCachedHeadSize = 4096;
/** Number of heads cached for new connections. */
const maxCachedHeads = 8;

/** Recent heads of all connections: a client that opens many connections sends the same head on all of them. */
export class KnownHeads {
  readonly #cached: KnownHead[] = [];
  #next = 0;

  /**
   * Returns the head at the start of received bytes; 'more' if it is incomplete, undefined if it is not plain or its
   * route is not handled here.
   *
   * @param last the previous head on the same connection
   */
  read(bytes: Buffer, last: KnownHead | undefined, names: HeaderNames): ReadHead | 'more' | undefined {
    if (last !== undefined) {
      const again = matchKnownHead(last, bytes.toString('latin1', 0, last.before.length + maxDigits + last.after.length), names);
      if (again !== undefined) return again;
    }
    const text = bytes.toString('latin1', 0, maxPlainHead);
    if (last === undefined) {
      for (const cached of this.#cached) {
        const again = matchKnownHead(cached, text, names);
        if (again !== undefined) return again;
      }
    }
    const end = text.indexOf('\r\n\r\n') + 4;
    if (end < 4) return text.length < maxPlainHead && mayBecomePlain(text) ? 'more' : undefined;
    // Decoded again: a slice of `text` would keep all of it alive, including the start of the body.
    const whole = bytes.toString('latin1', 0, end);
    const head = readPlainHead(whole, end);
    const known = head === undefined ? undefined : knownOf(head, whole, names);
    if (known === undefined) return undefined;
    if (last === undefined && end <= maxCachedHeadSize) this.#cache(known);
    return { known, end, length: known.length };
  }

  #cache(known: KnownHead): void {
    this.#cached[this.#next] = known;
    this.#next = (this.#next + 1) % maxCachedHeads;
  }
}

/** Matches the same head, except for the length of the body. */
function matchKnownHead(known: KnownHead, text: string, names: HeaderNames): ReadHead | undefined {
  const { before, after } = known;
  if (known.names !== names || !text.startsWith(before)) return undefined;
  if (!known.hasDigits) return { known, end: before.length, length: known.length };
  const from = before.length;
  let at = from;
  let length = 0;
  for (let code = text.charCodeAt(at); at - from < maxDigits && code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) {
    length = length * 10 + code - 0x30;
    at += 1;
  }
  // A length of 0, one with a leading 0, and a missing one are parsed as a new head.
  if (at === from || text.charCodeAt(from) === 0x30 || !text.startsWith(after, at)) return undefined;
  return { known, end: at + after.length, length };
}

function knownOf(head: PlainHead, text: string, names: HeaderNames): KnownHead | undefined {
  const { method, url, length, headers, rawHeaders } = head;
  const path = pathOf(url);
  const matched = matchRoute(method, path);
  if (matched === undefined) return undefined;
  const traits = traitsOf(matched.endpoint);
  // Forms and forwarded bodies need the streams of `node:http`; it also discards a body where none is expected.
  const isRead = traits.body === 'json' ? method !== 'GET' : traits.body === 'none' && length === 0;
  if (!isRead) return undefined;
  const [before, after] = aroundLength(text, length === 0 ? undefined : headers['content-length'], rawHeaders);
  return {
    method,
    url,
    headers,
    rawHeaders,
    length,
    isLast: head.isLast,
    before,
    after,
    hasDigits: after !== '',
    size: text.length,
    path,
    query: queryOf(url),
    matched,
    traits,
    names,
    bag: new RequestHeaderBag({ headers, rawHeaders }, names),
  };
}

/** Splits the head around the digits of its `content-length`, not of another header. */
function aroundLength(text: string, digits: string | undefined, raw: readonly string[]): readonly [string, string] {
  const name = digits === undefined ? undefined : raw.find((each, at) => at % 2 === 0 && each.toLowerCase() === 'content-length');
  if (digits === undefined || name === undefined) return [text, ''];
  const at = text.indexOf(digits, text.indexOf(`\r\n${name}:`) + name.length + 3);
  return [text.slice(0, at), text.slice(at + digits.length)];
}
