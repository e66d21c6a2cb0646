import { type EndpointTraits, traitsOf } from '../../../core/endpoint.ts';
import { pathOf, queryOf } from '../arrival.ts';
import { type HeaderNames, RequestHeaderBag } from '../header-bag.ts';
import { type Matched, matchRoute } from '../routes.ts';
import { type BodyLength, maxPlainHead, mayBecomePlain, type PlainHead, readPlainHead } from './head.ts';

/** A head that was read, with all that follows from it alone: the next one with the same bytes needs no reading. */
export interface KnownHead extends PlainHead {
  /** Everything before the digits of the body's length, or the whole head where it has none. */
  readonly before: string;
  /** Everything behind them. */
  readonly after: string;
  readonly hasDigits: boolean;
  /** Bytes. */
  readonly size: number;
  readonly path: string;
  readonly query: string;
  readonly matched: Matched;
  readonly traits: EndpointTraits;
  /** Of `bag`. */
  readonly names: HeaderNames;
  readonly bag: RequestHeaderBag;
}

/** Where a head ends, and how much body follows it. */
export interface ReadHead {
  readonly known: KnownHead;
  /** Bytes of the head. */
  readonly end: number;
  readonly length: BodyLength;
}

/** Digits of a length that is compared without reading the head: up to 999 MB. */
const mostDigits = 9;
/** Larger heads are read each time. */
export const maxKnown = 4096;
/** Heads that are kept for connections that have none yet. */
const keptHeads = 8;

/** The heads that came last on any connection: clients that open many send the same on all of them. */
export class KnownHeads {
  readonly #kept: KnownHead[] = [];
  #next = 0;

  /**
   * The head at the beginning of what a client sent: 'more' where it is not complete, undefined where it is not plain or
   * its route is not read here.
   *
   * @param last the head before it on the same connection
   */
  read(bytes: Buffer, last: KnownHead | undefined, names: HeaderNames): ReadHead | 'more' | undefined {
    if (last !== undefined) {
      const again = sameAs(last, bytes.toString('latin1', 0, last.before.length + mostDigits + last.after.length), names);
      if (again !== undefined) return again;
    }
    const text = bytes.toString('latin1', 0, maxPlainHead);
    if (last === undefined) {
      for (const kept of this.#kept) {
        const again = sameAs(kept, text, names);
        if (again !== undefined) return again;
      }
    }
    const end = text.indexOf('\r\n\r\n') + 4;
    if (end < 4) return text.length < maxPlainHead && mayBecomePlain(text) ? 'more' : undefined;
    // From the bytes once more: what is cut out of a text keeps all of it alive, the beginning of the body included.
    const whole = bytes.toString('latin1', 0, end);
    const head = readPlainHead(whole, end);
    const known = head === undefined ? undefined : knownOf(head, whole, names);
    if (known === undefined) return undefined;
    if (last === undefined && end <= maxKnown) this.#keep(known);
    return { known, end, length: known.length };
  }

  #keep(known: KnownHead): void {
    this.#kept[this.#next] = known;
    this.#next = (this.#next + 1) % keptHeads;
  }
}

/** The same head again, but for the length of the body. */
function sameAs(known: KnownHead, text: string, names: HeaderNames): ReadHead | undefined {
  const { before, after } = known;
  if (known.names !== names || !text.startsWith(before)) return undefined;
  if (!known.hasDigits) return { known, end: before.length, length: known.length };
  const from = before.length;
  let at = from;
  let length = 0;
  for (let code = text.charCodeAt(at); at - from < mostDigits && code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) {
    length = length * 10 + code - 0x30;
    at += 1;
  }
  // A length of 0, one that begins with 0 and none at all are read as any other head.
  if (at === from || text.charCodeAt(from) === 0x30 || !text.startsWith(after, at)) return undefined;
  return { known, end: at + after.length, length };
}

function knownOf(head: PlainHead, text: string, names: HeaderNames): KnownHead | undefined {
  const { method, url, length, headers, rawHeaders } = head;
  const path = pathOf(url);
  const matched = matchRoute(method, path);
  if (matched === undefined) return undefined;
  const traits = traitsOf(matched.endpoint);
  // Forms and what passes go through pipes that `node:http` ends in; a body where none belongs is for it to discard.
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

/** The head before the digits of its length and behind them. Digits of another header are never taken for them. */
function aroundLength(text: string, digits: string | undefined, raw: readonly string[]): readonly [string, string] {
  const name = digits === undefined ? undefined : raw.find((each, at) => at % 2 === 0 && each.toLowerCase() === 'content-length');
  if (digits === undefined || name === undefined) return [text, ''];
  const at = text.indexOf(digits, text.indexOf(`\r\n${name}:`) + name.length + 3);
  return [text.slice(0, at), text.slice(at + digits.length)];
}
