import type { PriceBook } from './cost/book.ts';
import type { BodyPolicy } from './records/record.ts';
import type { BodyRedactor } from './redaction/index.ts';
import type { HeaderPairs } from './http/headers.ts';
import type { JsonLimits } from './json/limits.ts';
import type { JwtSettings } from './secrets/jwt.ts';
import type { Plain } from './json/merge.ts';
import type { NoteBounds } from './model/notes.ts';
import type { CredentialOwner, CommonSettings, Deployment, Provider, UpstreamRequest } from './provider.ts';
import type { GatewayError } from './error.ts';
import type { SecretForms } from './secrets/redactor.ts';
import type { Plan } from './plan.ts';
import type { RouteStep } from './records/record.ts';
import type { ChosenPrompt, StoredPrompt } from './model/prompt.ts';

/** Clocks of an attempt in milliseconds. Each is inherited on its own. */
export interface Clocks {
  readonly connect: number;
  /**
   * From the moment the body is sent until the first event of a stream, or the head of a whole answer. Where nobody has
   * set it a stream has a minute, and a whole answer all of `total`: a model that reasons may need it.
   */
  readonly firstByte: number | undefined;
  /** Longest silence between events, or between the bytes of a whole answer. */
  readonly idle: number;
  readonly total: number;
  /** `request_timeout`: until the commit point of a stream, until the whole answer otherwise. */
  readonly request: number | undefined;
}

/** `retry` after compilation. */
export interface RetryPolicy {
  /** Tries after the first one, 0 to 5. */
  readonly attempts: number;
  retries(status: number): boolean;
  readonly useRetryAfter: boolean;
}

/** `strategy.cb_config` after compilation: when a target is left out for a while. */
export interface CircuitPolicy {
  /** The same for the same target with the same settings, also in the configuration that follows. */
  readonly id: string;
  /** Failures in a row that open the circuit; undefined: their number does not count. */
  readonly failures: number | undefined;
  /** Share in (0, 1] of failures within the last minute that opens it; undefined: their share does not count. */
  readonly share: number | undefined;
  /** Attempts within the last minute before their share counts. */
  readonly minimum: number;
  /** Milliseconds for which it stays open. */
  readonly cooldownMs: number;
  fails(status: number): boolean;
}

/** What a node hands to its leaves. */
export interface TargetNode {
  /** `config.targets[1].targets[0]`: indexes as written. */
  readonly path: string;
  readonly name: string | undefined;
  readonly weight: number;
  readonly parent: Branch | undefined;
  /** Position among its siblings. */
  readonly index: number;
}

/** A node with a strategy. */
export interface Branch extends TargetNode {
  readonly strategy: 'single' | 'fallback' | 'loadbalance' | 'conditional';
  readonly targets: readonly (Branch | Leaf)[];
  /** Fallback only: does this status move on to the next target? Compiled from `on_status_codes`. */
  fallsBackOn(status: number): boolean;
  /** Conditional only: the target for these facts; undefined where no condition holds and there is no default. */
  match?(facts: QueryFacts): Match | undefined;
  /** Conditional only: the names that its queries compare a request's model with. */
  readonly models?: readonly string[];
}

/** What a condition leads to. */
export interface Match {
  readonly index: number;
  /** The condition, or `default`. */
  readonly because: string;
}

/** Where an attempt can go: every inherited setting is filled in. */
export interface Leaf extends TargetNode {
  readonly strategy: 'leaf';
  /** The config that holds it, as `configs.<name>`; `inline` or `request` for trees that are not in the file. */
  readonly root: string;
  /** Absent where the config leaves the provider open: then the request's own choice is used. */
  readonly provider: ProviderBinding | undefined;
  /** What it writes into bodies. A slug in front of its model is taken off already. */
  readonly override: Plain | undefined;
  readonly retry: RetryPolicy;
  /** Undefined: tried whatever happened before. */
  readonly circuit?: CircuitPolicy | undefined;
  readonly clocks: PartialClocks;
  readonly customHost: string | undefined;
  /** Lower-case names. */
  readonly forwardHeaders: readonly string[] | undefined;
  readonly strict: boolean | undefined;
  readonly showsReasoning?: boolean | undefined;
  readonly cacheMode: string | undefined;
  /** Stored prompt that this target runs in place of the one that the request names; prompts routes only. */
  readonly prompt?: ChosenPrompt | undefined;
}

export type PartialClocks = { readonly [K in keyof Clocks]?: Clocks[K] };

/** What conditional routing may look at. */
export interface QueryFacts {
  readonly metadata: Readonly<Record<string, string>>;
  /** A top-level body field. */
  params(name: string): unknown;
  readonly pathname: string;
}

/** One named config, or the one that a request sent. */
export interface CompiledConfig {
  /** '-' for the tree that is made from the request's own choice. */
  readonly name: string;
  readonly root: Branch | Leaf;
  readonly metadata: Readonly<Record<string, string>>;
  /** A target below has a prompt of its own: refused on all but the prompts routes. */
  readonly hasPrompts?: boolean;
  readonly log?: LogRule | undefined;
}

/** One entry of `providers:` (or a virtual key on it, or a direct choice) bound to its plugin, settings and credential. */
export interface ProviderBinding {
  /** Slug as clients write it; the type in direct mode. */
  readonly slug: string;
  /** The virtual key's name when it was chosen through one. */
  readonly virtualKey: string | undefined;
  readonly provider: Provider;
  readonly settings: CommonSettings & Plain;
  /** `catalog`: signed with the operator's credential; `caller`: with the one that the request contains. */
  readonly owner: CredentialOwner;
  /** Who wrote its host: the file (used as written) or a request (egress rules apply). */
  readonly trust: Trust;
  /** Hosts to which the catalog's credential may go although the request chose them; patterns of `allow_custom_host`. */
  allowsHost(url: URL): boolean;
  allowsModel(model: string): boolean;
  /** Names in the `models:` list that are no patterns: what `/v1/models` can show of it. */
  readonly models?: readonly string[];
  readonly clocks: PartialClocks;
  /** Set with an incomplete entry (a secret is missing, `enabled: false`): using it is refused with this. */
  readonly unusable: GatewayError | undefined;
  credential(deployment: Deployment | undefined): CredentialRef;
  /** Present where `owner` is `caller`: the same binding, signed with the credential that the request contains. */
  forCaller?(key: string | undefined): ProviderBinding;
  /** Objects made through it belong to the gateway key that made them. */
  readonly isolate?: boolean;
  /** Metadata of the virtual key: joins the record. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Whose word a host is: the operator's is used as written, a request's is checked against the egress rules. */
export type Trust = 'operator' | 'request';

/** A compiled credential. */
export interface CredentialRef {
  readonly owner: CredentialOwner;
  /** Path of the setting that holds it (`providers.main.api_key`), for whoever has to correct it. */
  readonly setting?: string;
  /** Headers that sign this request; synchronous whenever nothing has to be fetched. */
  headers(request: UpstreamRequest): HeaderPairs | Promise<HeaderPairs>;
  /**
   * The provider answered 401 to these headers: forgets a cached token if they hold it. True when another try may sign
   * differently.
   */
  evict?(used: HeaderPairs): boolean;
  /** True for an answer other than 401 that says the same. */
  isRefused?(status: number, body: Buffer): boolean;
  /** What must not come back in an answer to a request with these headers. */
  secrets?(used: HeaderPairs): SecretForms | undefined;
}

/** One secret of an entry of `api_keys:`, or the caller that a token names. */
export interface ApiKey {
  /** Name of the entry; `jwt:` and the caller's name for a token. */
  readonly name: string;
  /** First 8 hex digits of the secret's SHA-256: tells the secrets of a key that is being rotated apart. Empty for a token. */
  readonly id: string;
  readonly defaultConfig: string | undefined;
  readonly enforceConfig: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Unix milliseconds, like the two below: refused from then on. */
  readonly expires: number | undefined;
  /** The overlap ends in which this secret still works beside a newer one. */
  readonly retires: number | undefined;
  readonly revoked: number | undefined;
  readonly debug: boolean;
  /** Where neither config nor request says whether thoughts are shown as `reasoning_content`. */
  readonly showsReasoning?: boolean | undefined;
  readonly log?: LogRule | undefined;
  /** Whose objects at isolating providers are this caller's: stays when the secret is replaced. */
  readonly owner: string;
  /** False: isolation does not hold for this caller, who sees the whole account. */
  readonly isolated: boolean;
  /** `inline` stands for a config sent as JSON. */
  allowsConfig(name: string): boolean;
  /** A slug, or `type:<type>` for direct mode. */
  allowsProvider(slug: string): boolean;
  allowsModel(model: string): boolean;
  /** Id of a stored prompt. */
  allowsPrompt(id: string): boolean;
  /** Configs that its requests send may hold `$regex`. */
  readonly allowsRegex: boolean;
}

/** `auth.jwt`: tokens of an issuer as gateway keys. */
export interface JwtRules {
  readonly settings: JwtSettings;
  /** Tokens are taken from `Authorization` too, not only from the gateway's own header. */
  readonly inAuthorization: boolean;
  /** Claim with the caller's name. */
  readonly caller: string;
  /** Name in the record's metadata, and the claim that fills it. */
  readonly metadata: readonly (readonly [name: string, claim: string])[];
  /** Claim that names an entry of `api_keys`, whose rules then hold; undefined: `rules` hold for every token. */
  readonly keyClaim: string | undefined;
  readonly rules: ApiKey;
  /** Entries of `api_keys` by name. */
  readonly keys: ReadonlyMap<string, ApiKey>;
}

/** Settings of `server:` that a reload may change. */
export interface ServerSettings {
  /** Bytes. */
  readonly maxBody: number;
  /** Of a whole answer of a provider, in bytes. */
  readonly maxAnswer: number;
  readonly maxUpload: number | undefined;
  /** Milliseconds in which the body of a request that is held must arrive. */
  readonly bodyTimeout: number;
  /** Bytes that all requests together may hold; undefined: a part of what the machine has. */
  readonly memory: number | undefined;
  /** Undefined: nothing of an answer is remembered for later requests. */
  readonly thinkingMemory?: NoteBounds | undefined;
  /** Of the JSON that a request may send. */
  readonly json: JsonLimits;
  readonly clocks: Clocks;
  /** That are accepted beside `x-gateway-`. */
  readonly headerPrefixes: readonly string[];
  /** Origins of pages that may use the gateway, in lower case: exact, `https://*.suffix`, or `*`. Empty: CORS is off. */
  readonly corsOrigins: readonly string[];
  /** Serves whoever can connect although no key is defined. */
  readonly isOpen: boolean;
  readonly exposeRouting: boolean;
  /** Attempts in flight over the whole gateway before new ones are answered `overloaded`. */
  readonly maxInFlight: number;
  /** Requests in flight of one key before further ones are answered `rate_limited`. */
  readonly maxInFlightPerKey: number;
  /** Connections of clients before further ones are closed at once. */
  readonly maxConnections: number;
  /** Plain requests are read and sent on sockets of our own; off, `node:http` and undici do both. */
  readonly fastPath: boolean;
  readonly drain: { readonly delayMs: number; readonly timeoutMs: number };
  /** Allow list for hosts that come with a request: host, `*.suffix`, CIDR. */
  readonly egressAllow: readonly string[];
}

/** What a config or a key says of the records of its requests. */
export interface LogRule {
  readonly bodies: BodyPolicy;
}

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'auto' | 'pretty' | 'json';
  readonly bodies: BodyPolicy;
  /** The most that anybody reads of a record: less than `full` where records are not stored. */
  readonly read: BodyPolicy;
  /** Bodies may be kept of some request: by this, by a config or by a key. */
  readonly keepsBodies: boolean;
  readonly redactor: BodyRedactor;
  /** Shares in [0, 1] of the requests whose bodies are kept. */
  readonly sample: { readonly success: number; readonly errors: number };
  /** `x-gateway-log` counts. */
  readonly clientMayLower: boolean;
  /** Bytes of one body that the record keeps. */
  readonly maxBody: number;
}

/** What other systems are shown of the gateway. */
export interface ObservabilitySettings {
  /** Undefined: none are collected. */
  readonly metrics: MetricsSettings | undefined;
  /** Undefined: no traces are exported. */
  readonly tracing: TracingSettings | undefined;
  /** Where records are sent to; undefined: nowhere. */
  readonly logs: OtlpTarget | undefined;
  /** Attributes of the resource beside the gateway's own. */
  readonly resource: Readonly<Record<string, string>>;
}

/** A collector that speaks OTLP over HTTP. */
export interface OtlpTarget {
  /** With the path of its signal. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bodies of requests and responses go along, as far as the record keeps them. */
  readonly content: boolean;
}

export interface TracingSettings extends OtlpTarget {
  /** The part of traces that is exported where the caller did not decide, from 0 to 1. */
  readonly ratio: number;
}

export interface MetricsSettings {
  /** Path of the page. */
  readonly path: string;
  /** Keys of metadata that become labels. */
  readonly metadataLabels: readonly string[];
}

/** Everything a request needs to know about the configuration. Deeply frozen, swapped whole. */
export interface Snapshot {
  /** Seven hex digits of the hash of the resolved text: the same files always give the same revision. */
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
  /** Tokens that are taken as keys; undefined: none. */
  readonly jwt: JwtRules | undefined;
  readonly prices: PriceBook;
  /** Every secret that was resolved, longest first: masked wherever text leaves the process. */
  readonly secrets: readonly string[];
  /**
   * Compiles a config object sent as JSON text. Kept for the same text.
   *
   * @param key whose request sends it; undefined: the gateway has no keys
   * @throws GatewayError `invalid_config`, `not_allowed`
   */
  inlineConfig(text: string, key: ApiKey | undefined): CompiledConfig;
  /** A binding made from what a request contains. @throws GatewayError */
  direct(provider: Provider, settings: Plain, key: string | undefined): ProviderBinding;
  /** A one-leaf tree with nothing set: what applies when there is no config. */
  readonly noConfig: CompiledConfig;
  /**
   * The walk over a config's tree for one request; undefined when `accepts` takes no leaf.
   * @throws GatewayError `invalid_config` when a conditional node resolves to nothing or all weights are zero
   */
  plan(config: CompiledConfig, facts: PlanFacts): Plan | undefined;
}

/** What the walk may depend on: nothing else, so that it can be made again from the record. */
export interface PlanFacts {
  /** In [0, 1); nested nodes derive their own number from it and their path. */
  readonly random: number;
  readonly query: QueryFacts;
  /** `stateful`: routes that name an object by id walk the leaves as written, and only 404 and connect errors move on. */
  readonly walk: 'model' | 'stateful';
  /** What nodes with a choice chose so far, the outermost first. The walk writes it, and only where there was a choice. */
  route?: RouteStep[] | undefined;
  /** Leaves the caller may use; the others are skipped. */
  accepts(leaf: Leaf): boolean;
}

/** The only mutable cell in the gateway's configuration. */
export interface SnapshotHolder<S> {
  /** The snapshot is not disposed while a lease is open. Close each lease exactly once. */
  acquire(): Lease<S>;
  /** Replaces the current snapshot in one assignment; disposes the old one after its last lease. */
  swap(next: S): void;
}

export interface Lease<S> {
  readonly value: S;
  release(): void;
}
