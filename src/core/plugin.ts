import type { Admitted, Facts, Received, Routed } from './context.ts';
import type { Endpoint } from './endpoint.ts';
import type { ErrorCode, ErrorDetails, GatewayError } from './error.ts';
import type { JwtSettings, JwtVerifier } from './secrets/jwt.ts';
import type { JsonSchema } from './json/schema.ts';
import type { JsonBody, RequestBody } from './json/body.ts';
import type { Hold } from './memory/budget.ts';
import type { Answered, Attempt, Outcome, Plan, Reply, Verdict } from './plan.ts';
import type { HeaderPairs } from './http/headers.ts';
import type { Media, MediaNeed, UpstreamRequest } from './provider.ts';
import type { Draft, LogRecord } from './records/record.ts';
import type { Leaf, Trust } from './snapshot.ts';

export type { Admitted, Facts, Received, Routed } from './context.ts';
export type { Answered, Attempt, Outcome, Plan, Reply, Verdict } from './plan.ts';

export type Awaitable<T> = T | Promise<T>;

/** One step of the chain: one folder under `plugins/`, one default export. */
export interface Plugin<Options = unknown> {
  /** Folder name, name in `gateway.yaml`, name in the log record: the same word everywhere. */
  readonly name: string;
  /** JSON Schema of its options. Shown by the editor, enforced by `gateway check`. */
  readonly options: JsonSchema;
  /**
   * The moments that it implements, in any order; `setup` must return these and no others. Without it, the moments are those
   * that `setup` returns, and `gateway check` can't report a position in the chain that has no effect.
   */
  readonly moments?: readonly Moment[];
  /** Work that settings depend on: `gateway check` warns of a setting whose duty no plugin of the chain has. */
  readonly provides?: readonly Duty[];
  /** The only routes that it runs for, as the client called them; all when absent. */
  readonly endpoints?: readonly Endpoint[];
  /** Built-in plugins only: part of every chain, and its first or last plugin where `plugins:` does not list it. */
  readonly implied?: 'first' | 'last';
  /**
   * Called once for each configuration that is applied, and once more for dry runs. `dispose` closes what it opens.
   *
   * @throws any error; its message is the reason why the configuration is rejected
   */
  setup(options: Options, host: PluginHost): Awaitable<PluginInstance>;
}

/**
 * `authentication`: callers need one of the keys or tokens · `virtual-keys` · `targets`: a plan · `upstream-requests`: what an
 * attempt sends · `retries`, fallbacks included.
 */
export type Duty = (typeof duties)[number];

export const duties = ['authentication', 'virtual-keys', 'targets', 'upstream-requests', 'retries'] as const;

/**
 * The moments of a request, in this order. A plugin implements the ones it cares about; those that return
 * a promise are awaited, the others run on in the same tick.
 */
export interface PluginInstance {
  /**
   * Who is calling, and are they allowed to? Sees the head only: the body is not read yet. Returns facts for the moments
   * that follow.
   *
   * @throws GatewayError (`host.error`) to reject the request
   */
  admit?(ctx: Received): Awaitable<Partial<Facts> | undefined>;
  /**
   * Which targets, in which order? Must be a pure function of the facts and `ctx.random`, so that a record can be
   * explained later. The last plan wins. An `answer` ends the request; a `request` replaces it for the plugins that follow.
   *
   * @param soFar plan of the plugins before
   * @throws GatewayError (`host.error`) to reject the request
   */
  plan?(ctx: Admitted, soFar: Plan | undefined): Awaitable<Planned>;
  /**
   * Called when the walk over the plan comes to a target: why it is skipped, as a short phrase for the record and the error,
   * or undefined to try it. The next target of the plan follows.
   */
  skip?(ctx: Routed, target: Leaf): string | SkipReason | undefined;
  /** Called before the first attempt of a target: change the request for it, answer it, or reject it. */
  screen?(ctx: Routed, target: Leaf): Awaitable<Screened | undefined>;
  /** Fills in what this attempt sends (`attempt.upstream`, `attempt.credential`). Called for every attempt, retries included. */
  prepare?(ctx: Routed, attempt: Attempt): Awaitable<void>;
  /** What next after this outcome? The last opinion that is not undefined wins. */
  judge?(ctx: Routed, outcome: Outcome, earlier: readonly Outcome[]): Verdict | undefined;
  /**
   * Changes `reply` in place: its headers, and the body of a whole answer. A `refuse` makes the attempt fail, so that a
   * fallback moves on. Must not wait for the end of a stream.
   */
  reply?(ctx: Routed, attempt: Attempt, reply: Reply): Awaitable<{ readonly refuse: GatewayError } | undefined>;
  /**
   * An answer that was streamed is over, complete or with the `fault` that broke it. Not called where the client left or the
   * gateway stopped first. What it throws is logged and has no effect on the request.
   */
  finish?(ctx: Routed, outcome: Answered, fault: GatewayError | undefined): void;
  /**
   * The end of the answer is known, its record is not written yet: the last chance to add to it. Also called for a request
   * that was rejected, even by a plugin before this one, and for one whose client left. The end of the answer waits for it.
   * What it throws is logged and has no effect on the request.
   */
  settle?(ctx: Received, draft: Draft): void;
  /** Called after the last byte was sent. What it throws is logged. */
  record?(record: LogRecord): void;
  dispose?(): Awaitable<void>;
}

export type Planned = Plan | { readonly answer: Reply } | { readonly request: ReplacedRequest } | undefined;

/** Replaces the request for everything that follows; its record still shows what the client called. */
export interface ReplacedRequest {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonBody;
}

/** Skips a target while there is another one: where every target of the plan is skipped, it is tried after all. */
export interface SkipReason {
  readonly because: string;
  readonly unlessAll: true;
}

/** What a `screen` plugin may do: exactly one of these. */
export type Screened = { readonly request: RequestBody } | { readonly answer: Reply } | { readonly refuse: GatewayError };

export type Moment = Exclude<keyof PluginInstance, 'dispose'>;

export const moments: readonly Moment[] = ['admit', 'plan', 'skip', 'screen', 'prepare', 'judge', 'reply', 'finish', 'settle', 'record'];

/** Everything a plugin may touch beyond its arguments. Nothing else is reachable. */
export interface PluginHost {
  /**
   * State that outlives a reload: counters, circuits, caches. The same key gives the same object. With several worker
   * processes each has its own: what one passes to `tell` (plain data) reaches `hear` in the others, soon and in order.
   */
  shared<T>(key: string, create: (tell: (message: unknown) => void) => T, hear?: (state: T, message: unknown) => void): T;
  /** Unix milliseconds. */
  now(): number;
  /** SHA-256 as lower-case hex. */
  sha256(text: string): string;
  /**
   * Downloads files for a provider that can't fetch them, under the egress rules, `MediaNeed.maxBytes` and a timeout.
   *
   * @param hold memory of the request (`ctx.hold`), which the files count against
   * @param signer signs the downloads that use the credential of the attempt
   * @throws GatewayError `media_fetch_failed`, `not_allowed`, `overloaded`
   */
  media(needs: readonly MediaNeed[], hold: Hold, signer: MediaSigner): Promise<ReadonlyMap<string, Media>>;
  /** Verifies tokens of an issuer. The same settings share the cached keys of the issuer, also over a reload. */
  jwt(settings: JwtSettings): JwtVerifier;
  /**
   * Adds facts to the record of a request, under the plugin's own name; a later value of the same name wins. Small JSON
   * values: 2 KB and 32 names a request, the rest is cut; credentials are masked. Works in every moment up to `settle`.
   */
  note(ctx: Received, fields: Readonly<Record<string, unknown>>): void;
  /** Makes an error that callers see; `code` is a row of the catalogue in `error.ts`. */
  error(code: ErrorCode, details: ErrorDetails): GatewayError;
  readonly log: {
    warn(fields: object, message: string): void;
    debug(fields: object, message: string): void;
    /** The one-line summary of a finished request. */
    request(record: LogRecord): void;
  };
}

/** Reads files of the provider's own store with the credential of the attempt. */
export interface MediaSigner {
  readonly trust: Trust;
  /** @throws GatewayError */
  sign(request: UpstreamRequest): HeaderPairs | Promise<HeaderPairs>;
}

/** Identity function that gives a plugin literal its types. */
export const definePlugin = <Options>(plugin: Plugin<Options>): Plugin => Object.freeze(plugin) as Plugin;
