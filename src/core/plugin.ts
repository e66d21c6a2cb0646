import type { Admitted, Facts, Received, Routed } from './context.ts';
import type { Endpoint } from './endpoint.ts';
import type { ErrorCode, ErrorDetails, GatewayError } from './error.ts';
import type { JwtSettings, JwtVerifier } from './secrets/jwt.ts';
import type { JsonSchema } from './json/schema.ts';
import type { JsonBody } from './json/body.ts';
import type { RequestBody } from './http/request.ts';
import type { WindowLimit } from './limits/caller-limits.ts';
import type { MemoryReservation } from './memory/budget.ts';
import type { Answered, Attempt, Interception, Outcome, Plan, Reply, Verdict } from './plan.ts';
import type { HeaderPairs } from './http/headers.ts';
import type { Media, MediaNeed, UpstreamRequest } from './provider.ts';
import type { Draft, LogRecord } from './records/record.ts';
import type { Leaf, Snapshot, Trust } from './snapshot.ts';

export type { Admitted, Facts, Received, Routed } from './context.ts';
export type { Answered, Attempt, Interception, Outcome, Plan, Reply, Verdict } from './plan.ts';

export type Awaitable<T> = T | Promise<T>;

/** One step of the chain: a folder under `plugins/` with a default export. */
export interface Plugin<Options = unknown> {
  /** Name of the folder, in `gateway.yaml`, and in the log record: always the same word. */
  readonly name: string;
  /** JSON Schema of its options. Shown in the editor, enforced by `gateway check`. */
  readonly options: JsonSchema;
  /**
   * The implemented moments, in any order; `setup` must return exactly these. Without it, the moments are those that
   * `setup` returns, and `gateway check` can't report a position in the chain that has no effect.
   */
  readonly moments?: readonly Moment[];
  /** Work that settings depend on: `gateway check` warns of a setting if no plugin of the chain provides its duty. */
  readonly provides?: readonly Duty[];
  /** The only routes for which it runs, as the client called them; absent: all. */
  readonly endpoints?: readonly Endpoint[];
  /** Built-in plugins only: part of every chain, as the first or last plugin if `plugins:` lists neither it nor one with its duty. */
  readonly implied?: 'first' | 'last';
  /** Built-in plugins only: false for configurations in whose chains it would have no effect, and it is left out. */
  neededFor?(snapshot: Snapshot): boolean;
  /**
   * Called once for each configuration that is applied, and once more for dry runs. `dispose` must close what it opens.
   *
   * @throws any error; its message is the reason why the configuration is rejected
   */
  setup(options: Options, host: PluginHost): Awaitable<PluginInstance>;
}

/**
 * `authentication`: callers need a key or token · `virtual-keys` · `limits` of callers · `targets`: creates a plan ·
 * `upstream-requests`: builds what an attempt sends · `retries`, including fallbacks.
 */
export type Duty = (typeof duties)[number];

export const duties = ['authentication', 'virtual-keys', 'limits', 'targets', 'upstream-requests', 'retries'] as const;

/**
 * The moments of a request, in this order. A plugin implements those it needs; a returned promise is awaited, otherwise
 * processing continues in the same tick.
 */
export interface PluginInstance {
  /**
   * Authenticates and authorizes the caller. Sees the head only: the body is not read yet. Returns facts for the
   * following moments.
   *
   * @throws GatewayError (`host.error`) to reject the request
   */
  admit?(ctx: Received): Awaitable<Partial<Facts> | undefined>;
  /**
   * Chooses the targets and their order. Must be a pure function of the facts and `ctx.random`, so that a record can be
   * explained later. The last plan applies. An `answer` ends the request; a `request` replaces it for the following
   * plugins.
   *
   * @param earlierPlan plan of the previous plugins
   * @throws GatewayError (`host.error`) to reject the request
   */
  plan?(ctx: Admitted, earlierPlan: Plan | undefined): Awaitable<Planned>;
  /**
   * Called when the walk over the plan reaches a target. Returns why to skip it, as a short phrase for the record and
   * the error, or undefined to try it. After a skip, the next target of the plan follows.
   */
  skip?(ctx: Routed, target: Leaf): string | SkipReason | undefined;
  /** Called before the first attempt at a target: may change the request, answer it, or reject it. */
  screen?(ctx: Routed, target: Leaf): Awaitable<Screened | undefined>;
  /** Fills in what this attempt sends (`attempt.upstream`, `attempt.credential`). Called for every attempt, including retries. */
  prepare?(ctx: Routed, attempt: Attempt): Awaitable<void>;
  /**
   * Called when an attempt is ready to be sent, after all `prepare` plugins whatever their order. May answer it, as if the
   * provider had sent the answer, or keep the response. The first result that is not undefined applies.
   */
  send?(ctx: Routed, attempt: Attempt): Awaitable<Interception | undefined>;
  /** Decides how to proceed after this outcome. The last verdict that is not undefined applies. */
  judge?(ctx: Routed, outcome: Outcome, earlier: readonly Outcome[]): Verdict | undefined;
  /**
   * Changes `reply` in place: its headers, and the body of a complete response. `refuse` makes the attempt fail, so
   * that a fallback moves on. Must not wait for the end of a stream.
   */
  reply?(ctx: Routed, attempt: Attempt, reply: Reply): Awaitable<{ readonly refuse: GatewayError } | undefined>;
  /**
   * Called after a streamed response has ended, completely or with the `fault` that broke it. Not called if the client
   * disconnected or the gateway stopped before. An error thrown here is logged and has no effect on the request.
   */
  finish?(ctx: Routed, outcome: Answered, fault: GatewayError | undefined): void;
  /**
   * Called when the end of the response is known and its record is not written yet: the last opportunity to add to the
   * record. Also called for a request that was rejected, even by a plugin before this one, and for one whose client
   * disconnected. The last bytes of the response wait for it. An error thrown here is logged and has no effect on the
   * request.
   */
  settle?(ctx: Received, draft: Draft): void;
  /** Called after the last byte was sent. An error thrown here is logged. */
  record?(record: LogRecord): void;
  dispose?(): Awaitable<void>;
}

export type Planned = Plan | { readonly answer: Reply } | { readonly request: ReplacedRequest } | undefined;

/** Replaces the request for all following steps; the record still shows the client's request. */
export interface ReplacedRequest {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonBody;
}

/** Skips a target only while there is another one: if every target of the plan is skipped, it is tried anyway. */
export interface SkipReason {
  readonly because: string;
  readonly unlessAll: true;
  /** An attempt would fail: targets that are skipped for other reasons are tried instead. */
  readonly wouldFail?: true;
}

/** Result of a `screen` plugin: exactly one of these. */
export type Screened = { readonly request: RequestBody } | { readonly answer: Reply } | { readonly refuse: GatewayError };

export type Moment = Exclude<keyof PluginInstance, 'dispose'>;

export const moments: readonly Moment[] = [
  'admit',
  'plan',
  'skip',
  'screen',
  'prepare',
  'send',
  'judge',
  'reply',
  'finish',
  'settle',
  'record',
];

/** Everything that a plugin may use besides its arguments. */
export interface PluginHost {
  /**
   * State that outlives a reload: counters, circuits, caches. The same key returns the same object. With several worker
   * processes, each has its own state: a message (plain data) passed to `send` reaches `receive` in the others, soon and
   * in order.
   *
   * @param catchUp messages that give the state to a process that replaces another one, before it serves. Each can also
   * have reached it already
   */
  shared<T>(
    key: string,
    create: (send: (message: unknown) => void) => T,
    receive?: (state: T, message: unknown) => void,
    catchUp?: (state: T) => Iterable<unknown>,
  ): T;
  /** Unix milliseconds. */
  now(): number;
  /** SHA-256 as lower-case hex. */
  sha256(text: string): string;
  /**
   * Downloads files for a provider that can't fetch them, under the egress rules, `MediaNeed.maxBytes` and a timeout.
   *
   * @param hold memory of the request (`ctx.hold`), which includes the files
   * @param signer signs the downloads that use the credential of the attempt
   * @throws GatewayError `media_fetch_failed`, `not_allowed`, `overloaded`
   */
  media(needs: readonly MediaNeed[], hold: MemoryReservation, signer: MediaSigner): Promise<ReadonlyMap<string, Media>>;
  /**
   * What a caller has spent since the beginning of a Unix day, in 10⁻¹² dollars, as the request log had it some seconds
   * ago: with requests before the start, and of other gateways that share the log. 0 if it is not known.
   *
   * @param caller name of the API key, as in records
   */
  spent(caller: string, sinceDay: number): bigint;
  /**
   * Counts one request of a caller against its rate, over all worker processes and reloads. Returns the milliseconds until
   * a request is accepted again, or 0 if this one is. A promise only if another process must be queried.
   *
   * @param caller an ID
   * @throws GatewayError `overloaded` if that process does not respond
   */
  countRequest(caller: string, rate: WindowLimit): Awaitable<number>;
  /** Verifies tokens of an issuer. Equal settings share the cached keys of the issuer, also after a reload. */
  jwt(settings: JwtSettings): JwtVerifier;
  /**
   * Adds facts to the record of a request, under the plugin's own name; a later value of the same name replaces an
   * earlier one. Small JSON values: 2 KB and 32 names per request, the rest is truncated; credentials are masked. Works
   * in every moment up to `settle`.
   */
  note(ctx: Received, fields: Readonly<Record<string, unknown>>): void;
  /** Creates an error for clients; `code` is a row of the catalogue in `error.ts`. */
  error(code: ErrorCode, details: ErrorDetails): GatewayError;
  readonly log: {
    warn(fields: object, message: string): void;
    debug(fields: object, message: string): void;
    /** Logs the one-line summary of a finished request. */
    request(record: LogRecord): void;
  };
}

/** Reads files from the provider's own store with the credential of the attempt. */
export interface MediaSigner {
  readonly trust: Trust;
  /** @throws GatewayError */
  sign(request: UpstreamRequest): HeaderPairs | Promise<HeaderPairs>;
}

/** Identity function that gives a plugin literal its types. */
export const definePlugin = <Options>(plugin: Plugin<Options>): Plugin => Object.freeze(plugin) as Plugin;
