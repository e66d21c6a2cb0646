/**
 * The names of every gateway header we read or write, once. Values are the tails behind a prefix
 * (`x-gateway-`, `x-portkey-`, or what `server.header_prefixes` lists).
 */

/** Flat list of name, value, name, value, …; names in lower case. The cheapest form for both sides. */
export type HeaderPairs = string[];

export const canonicalPrefix = 'x-gateway-';
export const defaultPrefixes: readonly string[] = ['x-gateway-', 'x-portkey-'];

/** Tails of request headers that the gateway itself understands. A further spelling is an alias with the same rights. */
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
  debug: ['debug'],
  log: ['log'],
} as const satisfies Record<string, readonly string[]>;

/** Tails of headers by which client libraries say what they are. They have no effect, and nobody has to be told. */
export const libraryHeaders: readonly string[] = ['package-version', 'runtime', 'runtime-version', 'dangerously-allow-browser'];

export type RequestHeader = keyof typeof requestHeaders;

/** Response headers. They are sent again under the prefix that the request used. */
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

/** Every credential header a client may send. Stripped on every route before ours is set. */
export const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'cookie',
  'proxy-authorization',
]);

/** Headers by which services in front of an API are told another method, path or host than the request's: never relayed. */
const steeringHeaders: ReadonlySet<string> = new Set([
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

/** True for a header, by its lower-case name, that would steer a service, or speak for who called. */
export const isSteering = (name: string): boolean =>
  steeringHeaders.has(name) || name.startsWith('x-forwarded-') || steeringHeaders.has(name.replaceAll('_', '-'));

/** Headers of one connection, never of the message (RFC 9110 7.6.1, RFC 9112). */
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

/** Texts that client libraries fill in where a key is asked for; they count as absent everywhere. */
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

/** What was made of the headers of one head: clients send the same one again and again. */
export interface HeadMemo {
  /** The headers as records show them, and the rules by which they are. */
  shown?: { readonly by: object; readonly headers: Readonly<Record<string, string>> };
}

/** The request's headers with prefixed names resolved once. Lookup is by lower-case name. */
export interface HeaderBag {
  /** A header by its full lower-case name. */
  get(name: string): string | undefined;
  /** A gateway header by what it means, under any accepted prefix and spelling; the canonical form wins. */
  gateway(header: RequestHeader): string | undefined;
  /** A provider's header by tail (`cloud-resource-name`), under any accepted prefix. */
  tail(tail: string): string | undefined;
  /** All names and values as sent, for relays and `forward_headers`. */
  entries(): Iterable<readonly [name: string, value: string]>;
  /** The same, flat. */
  pairs(): HeaderPairs;
  /** Shared by all requests whose heads differ in nothing but `content-length`. */
  readonly memo: HeadMemo;
  /** True for a name that starts with one of the accepted prefixes. */
  isGateway(name: string): boolean;
  /** The request has a header with one of the accepted prefixes. */
  readonly hasGateway: boolean;
  /** A prefix other than the canonical one that this request used, so that answers repeat our headers under it. */
  readonly aliasPrefix: string | undefined;
}

/** The provider's headers with the copies in place of those of the same name. */
export function joinHeaders(own: HeaderPairs, copies: HeaderPairs): HeaderPairs {
  const joined: HeaderPairs = [];
  for (let i = 0; i + 1 < own.length; i += 2) {
    const name = own[i] as string;
    if (!hasName(copies, name)) joined.push(name, own[i + 1] as string);
  }
  return joined.concat(copies);
}

function hasName(pairs: HeaderPairs, name: string): boolean {
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return true;
  return false;
}

/** Headers that belong to one connection because it says so, in lower case. */
export function namedByConnection(values: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(values.flatMap((value) => value?.split(',').map((each) => each.trim().toLowerCase()) ?? []));
}

/** The body of an answer with these headers is compressed. */
export function isEncoded(headers: Readonly<Record<string, string>>): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}
