import type { Admitted, Facts, Received, Routed } from './context.ts';
import type { Endpoint } from './endpoint.ts';
import type { ErrorCode, ErrorDetails, GatewayError } from './error.ts';
import type { JwtSettings, JwtVerifier } from './secrets/jwt.ts';
import type { JsonSchema } from './json/schema.ts';
import type { JsonBody, RequestBody } from './json/body.ts';
import type { Hold } from './memory/budget.ts';
import type { Attempt, Outcome, Plan, Reply, Verdict } from './plan.ts';
import type { HeaderPairs } from './http/headers.ts';
import type { Media, MediaNeed, UpstreamRequest } from './provider.ts';
import type { Draft, LogRecord } from './records/record.ts';
import type { Leaf, Trust } from './snapshot.ts';

export type Awaitable<T> = T | Promise<T>;

/** One step of the chain: one folder under `plugins/`, one default export. */
export interface Plugin<Options = unknown> {
  /** Folder name, name in `gateway.yaml`, name in the log record: the same word everywhere. */
  readonly name: string;
  /** JSON Schema of its options. Shown by the editor, enforced by `gateway check`. */
  readonly options: JsonSchema;
  /**
   * The moments that it implements, in any order: what `setup` returns is held against them. Left out, they are found at
   * set-up, and `gateway check` can't tell whether its place in the chain has an effect.
   */
  readonly moments?: readonly Moment[];
  /** Work that the configuration counts on, and that it does: `gateway check` reports settings that nobody gives an effect. */
  readonly provides?: readonly Duty[];
  /** The only routes that it takes part in, as the client called them. The others pay nothing for it. */
  readonly endpoints?: readonly Endpoint[];
  /** Of a built-in plugin: part of every chain. One that does not list it has it as its first or last plugin. */
  readonly implied?: 'first' | 'last';
  /** Called once for each snapshot. Opens what it needs; whatever it opens, `dispose` closes. */
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
  /** Who is calling, and may they? By the head alone: the body is not read yet. Contributes facts, or refuses by throwing a GatewayError. */
  admit?(ctx: Received): Awaitable<Partial<Facts> | undefined>;
  /**
   * Which targets, in which order? The same facts always give the same plan, and the last one wins. May answer instead,
   * which ends it, or turn the request into another one for the plugins that follow.
   */
  plan?(ctx: Admitted, soFar: Plan | undefined): Awaitable<Planned>;
  /**
   * Why this target is left out, asked when the walk over the plan comes to it; undefined: it is tried. A short phrase for
   * the record and the error. The next target of the plan follows.
   */
  skip?(ctx: Routed, target: Leaf): string | PassedOver | undefined;
  /** Look at the request as it goes to this leaf, before its first attempt: change it, answer it, or refuse it. */
  screen?(ctx: Routed, target: Leaf): Awaitable<Screened | undefined>;
  /** Turn the request into what this one attempt will send. Runs again for every attempt. */
  prepare?(ctx: Routed, attempt: Attempt): Awaitable<void>;
  /** What next after this outcome? The last opinion that is not undefined wins. */
  judge?(ctx: Routed, outcome: Outcome, earlier: readonly Outcome[]): Verdict | undefined;
  /** The answer on its way out: its headers, and a whole body. Must not wait for the end of a stream. */
  reply?(ctx: Routed, attempt: Attempt, reply: Reply): Awaitable<Replied | undefined>;
  /**
   * The end of the answer is known, its record is not written yet: the last chance to add to it. Also for a request that
   * was refused, even by a plugin before this one, and for one whose client left. Synchronous, since the end of the answer
   * waits; what it throws costs the request nothing.
   */
  settle?(ctx: Received, draft: Draft): void;
  /** After the last byte, never on the caller's time. Must not throw. */
  record?(record: LogRecord): void;
  dispose?(): Awaitable<void>;
}

export type Planned = Plan | { readonly answer: Reply } | { readonly request: Restated } | undefined;

/** What a request is from here on. Its record shows what the client called. */
export interface Restated {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonBody;
}

/** Left out while there is another target: it is tried after all where every target of the plan is left out. */
export interface PassedOver {
  readonly because: string;
  readonly unlessAll: true;
}

/** What a `screen` plugin may do: exactly one of these. */
export type Screened = { readonly request: RequestBody } | { readonly answer: Reply } | { readonly refuse: GatewayError };

/** What a `reply` plugin may do beside changing the reply it was given: refuse it, so that the chain can move on. */
export type Replied = { readonly refuse: GatewayError };

export type Moment = Exclude<keyof PluginInstance, 'dispose'>;

export const moments: readonly Moment[] = ['admit', 'plan', 'skip', 'screen', 'prepare', 'judge', 'reply', 'settle', 'record'];

/** Everything a plugin may touch beyond its arguments. Nothing else is reachable. */
export interface PluginHost {
  /**
   * State that outlives a reload: counters, breakers, caches. Same key, same object. Each of several worker processes has
   * one of its own: what one of them says with `tell` (plain data) the others get in `hear`, soon and in its order.
   */
  shared<T>(key: string, create: (tell: (message: unknown) => void) => T, hear?: (state: T, message: unknown) => void): T;
  /** Unix milliseconds. */
  now(): number;
  /** SHA-256 as lower-case hex. */
  sha256(text: string): string;
  /**
   * Downloads files for a provider that can't fetch them: egress rules, sizes and a clock apply.
   *
   * @param hold of the request (`ctx.hold`), which they count against
   * @param signer for those that are read with the credential of the attempt
   * @throws GatewayError `media_fetch_failed`, `not_allowed`, `overloaded`
   */
  media(needs: readonly MediaNeed[], hold: Hold, signer: MediaSigner): Promise<ReadonlyMap<string, Media>>;
  /** What proves tokens of an issuer. The same settings share what is known of the issuer's keys, also over a reload. */
  jwt(settings: JwtSettings): JwtVerifier;
  /**
   * Adds facts to the record of a request, under the plugin's own name; a later value of the same name wins. Small JSON
   * values: what is large or deep is cut, credentials are hidden. In every moment up to `settle`.
   */
  note(ctx: Received, fields: Readonly<Record<string, unknown>>): void;
  /** An error that callers see; `code` is one of the catalogue. */
  error(code: ErrorCode, details: ErrorDetails): GatewayError;
  readonly log: {
    warn(fields: object, message: string): void;
    debug(fields: object, message: string): void;
    /** The one-line summary of a finished request. */
    request(record: LogRecord): void;
  };
}

/** How files of the provider's own store are read: with what the attempt itself is signed with. */
export interface MediaSigner {
  readonly trust: Trust;
  /** @throws GatewayError */
  sign(request: UpstreamRequest): HeaderPairs | Promise<HeaderPairs>;
}

/** Identity function that gives a plugin literal its types. */
export const definePlugin = <Options>(plugin: Plugin<Options>): Plugin => Object.freeze(plugin) as Plugin;
