import { createHmac, hash } from 'node:crypto';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import type { AwsKeys } from '../../../core/secrets/grant.ts';
import { percentDecoded } from '../../../core/http/query.ts';

/** Scope of a signature. Signing keys of one service or region are useless for another. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

/** A request as it will be sent. */
export interface SigningRequest {
  readonly method: string;
  /** With the port, unless it is the scheme's default. */
  readonly host: string;
  /** Encoded, with the query. */
  readonly path: string;
  /** Headers to sign in addition to host, date and token. */
  readonly headers: HeaderPairs;
  readonly body: Uint8Array | string;
}

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * AWS Signature Version 4 (General Reference, "Create a signed AWS API request"). Own implementation instead of
 * `@smithy/signature-v4`, whose signing is asynchronous and parses the request again, because each request is signed. Tested with
 * the test suite of AWS.
 */
export class SigV4 {
  readonly #keys: AwsKeys;
  readonly #scope: SigningScope;
  #day = '';
  #dayKey: Buffer | undefined;

  constructor(keys: AwsKeys, scope: SigningScope) {
    this.#keys = keys;
    this.#scope = scope;
  }

  /** Returns the headers that sign a request. @param now Unix milliseconds */
  sign(request: SigningRequest, now: number): HeaderPairs {
    const time = `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    const day = time.slice(0, 8);
    const { sessionToken: token, accessKeyId } = this.#keys;
    const added: HeaderPairs = ['x-amz-date', time];
    if (token !== undefined) added.push('x-amz-security-token', token);
    const { canonical, names } = canonicalRequest(request, added);
    const scope = `${day}/${this.#scope.region}/${this.#scope.service}/aws4_request`;
    const text = `${algorithm}\n${time}\n${scope}\n${hash('sha256', canonical)}`;
    const signature = createHmac('sha256', this.#keyOf(day)).update(text).digest('hex');
    added.push('authorization', `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`);
    return added;
  }

  /** The key is the same for all requests of a day, so it is cached. */
  #keyOf(day: string): Buffer {
    if (this.#dayKey === undefined || this.#day !== day) {
      let key: string | Buffer = `AWS4${this.#keys.secretAccessKey}`;
      for (const part of [day, this.#scope.region, this.#scope.service, 'aws4_request'])
        key = createHmac('sha256', key).update(part).digest();
      this.#dayKey = key as Buffer;
      this.#day = day;
    }
    return this.#dayKey;
  }
}

/** Returns the canonical form of the request, which client and service compute identically. */
export function canonicalRequest(request: SigningRequest, added: HeaderPairs): { readonly canonical: string; readonly names: string } {
  const mark = request.path.indexOf('?');
  const path = mark < 0 ? request.path : request.path.slice(0, mark);
  const query = mark < 0 ? '' : canonicalQuery(request.path.slice(mark + 1));
  const headers = signedHeaders(request, added);
  const names = headers.map(([name]) => name).join(';');
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  const canonical = `${request.method}\n${canonicalPath(path)}\n${query}\n${lines}\n${names}\n${hash('sha256', request.body)}`;
  return { canonical, names };
}

function signedHeaders({ host, headers }: SigningRequest, added: HeaderPairs): readonly (readonly [string, string])[] {
  const found = new Map<string, string>([['host', host]]);
  for (const pairs of [headers, added]) {
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      const name = (pairs[i] ?? '').toLowerCase();
      const value = (pairs[i + 1] ?? '').trim().replaceAll(/ +/g, ' ');
      const before = found.get(name);
      found.set(name, before === undefined ? value : `${before},${value}`);
    }
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Encodes every segment of the encoded path again, as all services but S3 require. */
const canonicalPath = (path: string): string => path.split('/').map(encoded).join('/');

function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      const name = equals < 0 ? part : part.slice(0, equals);
      return [encoded(percentDecoded(name)), encoded(percentDecoded(equals < 0 ? '' : part.slice(equals + 1)))] as const;
    })
    .toSorted(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** RFC 3986: encodes all but the unreserved characters. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
