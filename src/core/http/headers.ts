/**
 * Names of all gateway headers. Values are the names after a prefix (`x-gateway-`, `x-portkey-`, or one listed in
 * `server.header_prefixes`).
 */

/** Flat list of name, value, name, value, …; names in lower case. The cheapest form for both sides. */
export type HeaderPairs = string[];

export const canonicalPrefix = 'x-gateway-';
export const defaultPrefixes: readonly string[] = ['x-gateway-', 'x-portkey-'];

/** Request headers that the gateway itself reads, without prefix. Further spellings are equivalent aliases. */
export const requestHeaders = {
  apiKey: ['api-key'],
  provider: ['provider'],
  virtualKey: ['virtual-key'],
  providerModel: ['provider-model'],
  filePurpose: ['file-purpose'],
  config: ['config'],
  traceId: ['trace-id'],
  spanId: ['span-id'],
  spanName: ['span-name'],
  parentSpanId: ['parent-span-id'],
  metadata: ['metadata'],
  strictCompliance: ['strict-compliance', 'strict-open-ai-compliance'],
  reasoningContent: ['reasoning-content'],
  customHost: ['custom-host'],
  forwardHeaders: ['forward-headers'],
  requestTimeout: ['request-timeout'],
  cacheForceRefresh: ['cache-force-refresh'],
  cacheNamespace: ['cache-namespace'],
  debug: ['debug'],
  log: ['log'],
} as const satisfies Record<string, readonly string[]>;

/** Headers in which client libraries identify themselves. They have no effect, and no warning is needed. */
export const libraryHeaders: readonly string[] = ['package-version', 'runtime', 'runtime-version', 'dangerously-allow-browser'];

export type RequestHeader = keyof typeof requestHeaders;

/** Response headers. They are sent a second time under the prefix that the request used. */
export const responseHeaders = {
  traceId: 'x-gateway-trace-id',
  config: 'x-gateway-config',
  prompt: 'x-gateway-prompt',
  provider: 'x-gateway-provider',
  providerType: 'x-gateway-provider-type',
  model: 'x-gateway-model',
  lastUsedOptionIndex: 'x-gateway-last-used-option-index',
  retryAttemptCount: 'x-gateway-retry-attempt-count',
  cacheStatus: 'x-gateway-cache-status',
  attempts: 'x-gateway-attempts',
  overheadMs: 'x-gateway-overhead-ms',
  cost: 'x-gateway-cost-usd',
  errorSource: 'x-gateway-error-source',
  droppedParams: 'x-gateway-dropped-params',
  warnings: 'x-gateway-warnings',
  overruled: 'x-gateway-overruled',
  exception: 'x-gateway-gateway-exception',
} as const;

/** All credential headers that a client may send. Removed on every route before the gateway sets its own. */
export const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'cookie',
  'proxy-authorization',
]);

/** Headers that tell a server about a method, path or host that differs from the request's: never forwarded. */
const requestOverrideHeaders: ReadonlySet<string> = new Set([
  'forwarded',
  'x-http-method',
  'x-http-method-override',
  'x-method',
  'x-method-override',
  'x-original-host',
  'x-original-method',
  'x-original-uri',
  'x-original-url',
  'x-override-url',
  'x-rewrite-url',
  'x-envoy-original-path',
  'x-host',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
]);

/** True for a lower-case header name that could redirect a request at the provider, or claim another client address. */
export const isRequestOverride = (name: string): boolean =>
  requestOverrideHeaders.has(name) || name.startsWith('x-forwarded-') || requestOverrideHeaders.has(name.replaceAll('_', '-'));

/** Headers of one connection, not of the message (RFC 9110 7.6.1, RFC 9112). */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * True for a header of the caller, by its lower-case name, that may be copied to a provider. The gateway writes those of the
 * connection and the body itself, WebSocket subprotocols may hold a key, and secrets are only found in what is not compressed.
 */
export function isForwardable(name: string): boolean {
  if (name === 'host' || name === 'expect' || name === 'accept-encoding') return false;
  if (name.startsWith('content-') || name.startsWith('sec-websocket-')) return false;
  return !hopByHopHeaders.has(name) && !isRequestOverride(name);
}

/** Placeholder values that client libraries send if no key is set; treated as absent everywhere. */
export const placeholderCredentials: ReadonlySet<string> = new Set([
  'OPENAI_API_KEY',
  'DUMMY-KEY',
  'dummy',
  'none',
  'null',
  'undefined',
  'x',
  'X',
  'xxx',
  '-',
]);

/** Results cached with a head, because clients send the same head again and again. */
export interface HeadMemo {
  /** The headers as shown in records, and the rules that produced them. */
  shown?: { readonly by: object; readonly headers: Readonly<Record<string, string>> };
}

/** The headers of a request; prefixed names are resolved once. Lookup is by lower-case name. */
export interface HeaderBag {
  /** Returns a header by its full lower-case name. */
  get(name: string): string | undefined;
  /** Returns a gateway header by its meaning, under any accepted prefix and spelling; the canonical form takes precedence. */
  gateway(header: RequestHeader): string | undefined;
  /** Returns a provider's header by its name without prefix (`cloud-resource-name`), under any accepted prefix. */
  tail(tail: string): string | undefined;
  /** All names and values as sent, for relays and `forward_headers`. */
  entries(): Iterable<readonly [name: string, value: string]>;
  /** The same, flat. */
  pairs(): HeaderPairs;
  /** Shared by all requests whose heads are equal except for `content-length`. */
  readonly memo: HeadMemo;
  /** True for a name that starts with one of the accepted prefixes. */
  isGateway(name: string): boolean;
  /** True if a header of the request has one of the accepted prefixes. */
  readonly hasGateway: boolean;
  /** The first other prefix that this request used, under which the gateway's response headers are repeated. */
  readonly aliasPrefix: string | undefined;
}

/** Merges headers: entries of `overrides` replace those of the same name in `base`. */
export function joinHeaders(base: HeaderPairs, overrides: HeaderPairs): HeaderPairs {
  const joined: HeaderPairs = [];
  for (let i = 0; i + 1 < base.length; i += 2) {
    const name = base[i] as string;
    if (!hasName(overrides, name)) joined.push(name, base[i + 1] as string);
  }
  return joined.concat(overrides);
}

function hasName(pairs: HeaderPairs, name: string): boolean {
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return true;
  return false;
}

/** Names of hop-by-hop headers listed in `connection`, in lower case. */
export function namedByConnection(values: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(values.flatMap((value) => value?.split(',').map((each) => each.trim().toLowerCase()) ?? []));
}

/** True if a body with these headers is compressed. */
export function isEncoded(headers: Readonly<Record<string, string>>): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}
