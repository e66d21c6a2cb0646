import type { IncomingMessage } from 'node:http';
import {
  canonicalPrefix,
  type HeadMemo,
  type HeaderBag,
  type HeaderPairs,
  libraryHeaders,
  type RequestHeader,
  requestHeaders,
} from '../../core/http/headers.ts';
import type { Snapshot } from '../../core/snapshot.ts';

/** Full names of each gateway header, in the order of prefixes. Computed once per list of prefixes. */
export interface HeaderNames {
  readonly prefixes: readonly string[];
  readonly byHeader: Readonly<Record<RequestHeader, readonly string[]>>;
  /** Every header name without prefix that has a meaning. */
  readonly tails: ReadonlySet<string>;
}

/**
 * @param configured `server.header_prefixes`, in order of precedence. The canonical prefix is always first, because error
 * messages use it
 * @param settings header names, without prefix, of provider settings
 */
export function headerNames(configured: readonly string[], settings: Iterable<string> = []): HeaderNames {
  const prefixes = [canonicalPrefix, ...configured.filter((prefix) => prefix !== canonicalPrefix)];
  const byHeader: { [H in RequestHeader]?: readonly string[] } = {};
  for (const header of Object.keys(requestHeaders) as RequestHeader[]) {
    byHeader[header] = prefixes.flatMap((prefix) => requestHeaders[header].map((tail) => prefix + tail));
  }
  const tails = new Set([...Object.values<readonly string[]>(requestHeaders).flat(), ...libraryHeaders, ...settings]);
  return { prefixes, byHeader: byHeader as Record<RequestHeader, readonly string[]>, tails };
}

/**
 * The gateway headers of a configuration, with those for the settings of every provider type, and those that it forwards.
 */
export function headerNamesOf({ server, types }: Pick<Snapshot, 'server' | 'types'>): HeaderNames {
  const settings = [...new Set(types.values())].flatMap(({ entry: { requestSettings, forwardedHeaders = [] } }) => [
    ...requestSettings.flatMap(({ headers }) => headers),
    ...forwardedHeaders,
  ]);
  return headerNames(server.headerPrefixes, settings);
}

/** True if a name, in lower case, is one of these gateway headers. */
export const isOneOf = (names: HeaderNames, headers: readonly RequestHeader[], name: string): boolean =>
  headers.some((header) => names.byHeader[header].includes(name));

/** Headers by lower-case name, and the raw list as received. */
type HeaderSource = Pick<IncomingMessage, 'headers'> & { readonly rawHeaders: readonly string[] };

/** The headers of a request, read on demand. */
export class RequestHeaderBag implements HeaderBag {
  readonly #headers: IncomingMessage['headers'];
  readonly #raw: readonly string[];
  readonly #names: HeaderNames;
  readonly #key: string | undefined;
  #alias: string | undefined | null = null;
  #hasGateway = false;
  #unknownNames: Set<string> | undefined;
  /** Replaces the `content-length` among the headers. */
  #length: string | undefined;

  readonly memo: HeadMemo;

  /** @param key an API key sent outside the headers (in a WebSocket's query or subprotocol); used as `authorization` */
  constructor(request: HeaderSource, names: HeaderNames, key?: string, memo: HeadMemo = {}) {
    this.memo = memo;
    this.#headers = request.headers;
    this.#key = key;
    this.#raw = request.rawHeaders;
    this.#names = names;
  }

  /** Returns the same headers with a different `content-length`. */
  withLength(length: string): RequestHeaderBag {
    const bag = new RequestHeaderBag({ headers: this.#headers, rawHeaders: this.#raw }, this.#names, this.#key, this.memo);
    bag.#alias = this.aliasPrefix;
    bag.#hasGateway = this.#hasGateway;
    bag.#unknownNames = this.#unknownNames;
    bag.#length = length;
    return bag;
  }

  get(name: string): string | undefined {
    if (this.#length !== undefined && name === 'content-length') return this.#length;
    const value = this.#headers[name];
    if (value === undefined && name === 'authorization' && this.#key !== undefined) return `Bearer ${this.#key}`;
    return Array.isArray(value) ? value.join(', ') : value;
  }

  gateway(header: RequestHeader): string | undefined {
    if (!this.hasGateway) return undefined;
    for (const name of this.#names.byHeader[header]) {
      const value = this.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  tail(tail: string): string | undefined {
    if (!this.hasGateway) return undefined;
    for (const prefix of this.#names.prefixes) {
      const value = this.get(prefix + tail);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  *entries(): Iterable<readonly [string, string]> {
    const pairs = this.pairs();
    for (let i = 0; i + 1 < pairs.length; i += 2) yield [pairs[i] as string, pairs[i + 1] as string];
  }

  pairs(): HeaderPairs {
    const out: HeaderPairs = [];
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      const name = (this.#raw[i] as string).toLowerCase();
      out.push(name, name === 'content-length' && this.#length !== undefined ? this.#length : (this.#raw[i + 1] as string));
    }
    return out;
  }

  isGateway(name: string): boolean {
    for (const prefix of this.#names.prefixes) if (name.startsWith(prefix)) return true;
    return false;
  }

  get aliasPrefix(): string | undefined {
    if (this.#alias === null) this.#alias = this.#scan();
    return this.#alias;
  }

  get hasGateway(): boolean {
    if (this.#alias === null) this.#alias = this.#scan();
    return this.#hasGateway;
  }

  /** Lower-case names that have a gateway prefix but no meaning; undefined if there are none. */
  get unknownNames(): ReadonlySet<string> | undefined {
    if (this.#alias === null) this.#alias = this.#scan();
    return this.#unknownNames;
  }

  /** Scans the raw names once. Two characters are enough to skip nearly all of them. */
  #scan(): string | undefined {
    const { prefixes, tails } = this.#names;
    let alias: string | undefined;
    for (let i = 0; i < this.#raw.length; i += 2) {
      const name = this.#raw[i] ?? '';
      for (let k = 0; k < prefixes.length; k += 1) {
        const prefix = prefixes[k] ?? '';
        if (!hasPrefix(name, prefix)) continue;
        this.#hasGateway = true;
        if (prefix !== canonicalPrefix) alias ??= prefix;
        if (!tails.has(name.slice(prefix.length).toLowerCase())) (this.#unknownNames ??= new Set()).add(name.toLowerCase());
        break;
      }
    }
    return alias;
  }
}

/** Case-insensitive prefix match. Every prefix ends with a dash. */
function hasPrefix(name: string, prefix: string): boolean {
  const end = prefix.length;
  return (
    (name.charCodeAt(0) | 0x20) === prefix.charCodeAt(0) &&
    name.charCodeAt(end - 1) === prefix.charCodeAt(end - 1) &&
    name.slice(0, end).toLowerCase() === prefix
  );
}
