import type { PriceBook } from './cost/book.ts';
import type { JsonLimits } from './json/limits.ts';
import type { JsonObject } from './json/merge.ts';
import type { CallerLimits } from './limits/caller-limits.ts';
import type { NoteBounds } from './model/notes.ts';
import type { StoredPrompt } from './model/prompt.ts';
import type { Plan } from './plan.ts';
import type { Provider } from './provider.ts';
import type { BodyPolicy, RouteStep } from './records/record.ts';
import type { BodyRedactor } from './redaction/index.ts';
import type { JwtSettings } from './secrets/jwt.ts';
import type { ProviderBinding } from './target/binding.ts';
import type { Timeouts } from './target/timeouts.ts';
import type { Branch, Leaf, QueryFacts } from './target/tree.ts';

export type * from './target/binding.ts';
export type * from './target/timeouts.ts';
export type * from './target/tree.ts';

/** A named config, or one sent with a request. */
export interface CompiledConfig {
  /** '-' for the tree that is created from the request's own choice. */
  readonly name: string;
  readonly root: Branch | Leaf;
  readonly metadata: Readonly<Record<string, string>>;
  /** A target has its own prompt: the config is rejected on all but the prompts routes. */
  readonly hasPrompts?: boolean;
  readonly log?: LogRule | undefined;
}

/** One secret of an API key in `api_keys:`, or the caller named in a token. */
export interface ApiKey {
  /** Name of the API key; `jwt:` and the caller's name for a token. */
  readonly name: string;
  /** First 8 hex digits of the secret's SHA-256, which distinguish the secrets of a key during rotation. Empty for a token. */
  readonly id: string;
  readonly defaultConfig: string | undefined;
  readonly enforceConfig: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Unix milliseconds, like the two below: rejected from then on. */
  readonly expires: number | undefined;
  /** End of the rotation overlap, during which this secret still works besides a newer one. */
  readonly retires: number | undefined;
  readonly revoked: number | undefined;
  /** Default for showing reasoning as `reasoning_content`, if neither config nor request sets it. */
  readonly showsReasoning?: boolean | undefined;
  readonly log?: LogRule | undefined;
  /** Owner ID of objects at isolating providers: stays the same when the secret is replaced. */
  readonly owner: string;
  /** False: isolation does not apply to this caller, who sees the whole account. */
  readonly isolated: boolean;
  readonly limits?: CallerLimits | undefined;
  /** `inline` means a config sent as JSON. */
  allowsConfig(name: string): boolean;
  /** Expects a slug, or `type:<type>` for direct mode. */
  allowsProvider(slug: string): boolean;
  allowsModel(model: string): boolean;
  /** @param id of a stored prompt */
  allowsPrompt(id: string): boolean;
  /** True if configs sent with its requests may contain `$regex`. */
  readonly allowsRegex: boolean;
}

/** `auth.jwt`: tokens of an issuer, used as gateway keys. */
export interface JwtRules {
  readonly settings: JwtSettings;
  /** Tokens are also accepted in `Authorization`, not only in the gateway's own header. */
  readonly inAuthorization: boolean;
  /** The claim with the caller's name. */
  readonly caller: string;
  /** Name in the record's metadata, and the claim with its value. */
  readonly metadata: readonly (readonly [name: string, claim: string])[];
  /** The claim that names an API key in `api_keys`, whose rules then apply; undefined: `rules` apply to every token. */
  readonly keyClaim: string | undefined;
  readonly rules: ApiKey;
  /** The API keys in `api_keys`, by name. */
  readonly keys: ReadonlyMap<string, ApiKey>;
}

/** Settings under `server:` that a reload may change. */
export interface ServerSettings {
  /** Maximum size of a request body held in memory, in bytes. */
  readonly maxBody: number;
  /** Maximum size of a complete provider response, in bytes. */
  readonly maxResponse: number;
  readonly maxUpload: number | undefined;
  /** Timeout for a request body that is held in memory, in milliseconds. */
  readonly bodyTimeout: number;
  /** Maximum memory of all requests together, in bytes; undefined: a share of the machine's memory. */
  readonly memory: number | undefined;
  /** Undefined: no data of responses is kept for later requests. */
  readonly thinkingMemory?: NoteBounds | undefined;
  /** Limits for JSON in requests. */
  readonly json: JsonLimits;
  readonly timeouts: Timeouts;
  /** Accepted header prefixes besides `x-gateway-`. */
  readonly headerPrefixes: readonly string[];
  /** Origins of pages that may use the gateway, in lower case: exact, `https://*.suffix`, or `*`. Empty: CORS is off. */
  readonly corsOrigins: readonly string[];
  /** Serves everyone who can connect, although no key is defined. */
  readonly allowsAnonymous: boolean;
  readonly exposeRouting: boolean;
  /** Maximum attempts in flight in the whole gateway; further ones fail with `overloaded`. */
  readonly maxInFlight: number;
  /** Maximum requests in flight per key; further ones fail with `rate_limited`. */
  readonly maxInFlightPerKey: number;
  /** Maximum client connections; further ones are closed at once. */
  readonly maxConnections: number;
  /** Plain requests are handled on sockets without `node:http` and undici; false: these two handle all requests. */
  readonly fastPath: boolean;
  readonly drain: { readonly delayMs: number; readonly timeoutMs: number };
  /** Allow list for hosts in requests: host, `*.suffix`, CIDR. */
  readonly egressAllow: readonly string[];
  /** The proxy for https connections to hosts of the configuration. */
  readonly egressProxy: ProxySetting | undefined;
}

export interface ProxySetting {
  /** `http://user:password@host:port`, or with https. */
  readonly url: string;
  /** Hosts that are connected to directly: host, `*.suffix`, CIDR. */
  readonly except: readonly string[];
}

/** Rule of a config or key for the records of its requests. */
export interface LogRule {
  readonly bodies: BodyPolicy;
}

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'auto' | 'pretty' | 'json';
  readonly bodies: BodyPolicy;
  /** The most that is read of a record: less than `full` if records are not stored. */
  readonly read: BodyPolicy;
  /** True if bodies of some requests may be kept, by this setting, a config or a key. */
  readonly keepsBodies: boolean;
  readonly redactor: BodyRedactor;
  /** Shares in [0, 1] of the requests whose bodies are stored. */
  readonly sample: { readonly success: number; readonly errors: number };
  /** True if `x-gateway-log` is evaluated. */
  readonly clientMayLower: boolean;
  /** Maximum bytes of one body that the record keeps. */
  readonly maxBody: number;
}

/** Settings of metrics and exports. */
export interface ObservabilitySettings {
  /** Undefined: no metrics are collected. */
  readonly metrics: MetricsSettings | undefined;
  /** Undefined: no traces are exported. */
  readonly tracing: TracingSettings | undefined;
  /** Collector for records; undefined: none are exported. */
  readonly logs: OtlpTarget | undefined;
  /** Resource attributes in addition to the gateway's own. */
  readonly resource: Readonly<Record<string, string>>;
}

/** A collector for OTLP over HTTP. */
export interface OtlpTarget {
  /** URL with the path of its signal. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Includes request and response bodies, as far as the record keeps them. */
  readonly content: boolean;
}

export interface TracingSettings extends OtlpTarget {
  /** Sampling ratio of traces for which the caller made no decision, from 0 to 1. */
  readonly ratio: number;
}

export interface MetricsSettings {
  /** Path of the metrics page. */
  readonly path: string;
  /** Metadata keys that become labels. */
  readonly metadataLabels: readonly string[];
}

/** The whole configuration that a request needs. Deeply frozen, replaced as a whole. */
export interface Snapshot {
  /** Seven hex digits of the hash of the resolved text: equal files always give the same revision. */
  readonly revision: string;
  readonly server: ServerSettings;
  readonly log: LogSettings;
  readonly observability: ObservabilitySettings;
  /** By slug; virtual keys share the namespace. */
  readonly providers: ReadonlyMap<string, ProviderBinding>;
  /** By type and alias. */
  readonly types: ReadonlyMap<string, Provider>;
  readonly configs: ReadonlyMap<string, CompiledConfig>;
  /** By id. */
  readonly prompts: ReadonlyMap<string, StoredPrompt>;
  /** By lower-case hex SHA-256 of the key. */
  readonly apiKeys: ReadonlyMap<string, ApiKey>;
  /** Rules for tokens accepted as keys; undefined: none are accepted. */
  readonly jwt: JwtRules | undefined;
  readonly prices: PriceBook;
  /** All resolved secrets, longest first: masked wherever text leaves the process. */
  readonly secrets: readonly string[];
  /**
   * Compiles a config object sent as JSON text. Cached by text.
   *
   * @param key of the request; undefined: the gateway has no keys
   * @throws GatewayError `invalid_config`, `not_allowed`
   */
  inlineConfig(text: string, key: ApiKey | undefined): CompiledConfig;
  /** Creates a binding from the content of a request. @throws GatewayError */
  direct(provider: Provider, settings: JsonObject, key: string | undefined): ProviderBinding;
  /** A tree of one leaf without settings, used if no config applies. */
  readonly noConfig: CompiledConfig;
  /**
   * Returns the walk over a config's tree for one request; undefined if `accepts` returns false for every leaf.
   *
   * @throws GatewayError `invalid_config` if a conditional node matches nothing, or all weights are zero
   */
  plan(config: CompiledConfig, facts: PlanFacts): Plan | undefined;
}

/** All inputs of the walk, so that it can be repeated from the record. */
export interface PlanFacts {
  /** In [0, 1); nested nodes derive their own number from it and their path. */
  readonly random: number;
  readonly query: QueryFacts;
  /** `stateful`: routes that refer to an object by ID try the leaves in the order written, and only 404 and connect errors move on. */
  readonly walk: 'model' | 'stateful';
  /** Choices made at nodes so far, the outermost first. Written by the walk, only if there was a choice. */
  route?: RouteStep[] | undefined;
  /** True for leaves that the caller may use; the others are skipped. */
  accepts(leaf: Leaf): boolean;
}

/** The only mutable reference in the gateway's configuration. */
export interface SnapshotHolder<S> {
  /** The snapshot is not disposed while a lease is open. Release each lease exactly once. */
  acquire(): Lease<S>;
  /** Replaces the current snapshot in one assignment; disposes the old one after its last lease was released. */
  swap(next: S): void;
}

export interface Lease<S> {
  readonly value: S;
  release(): void;
}
