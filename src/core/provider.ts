import type { Endpoint } from './endpoint.ts';
import type { ProviderFault } from './error.ts';
import type { FormContent } from './http/form.ts';
import type { EmptyBody, JsonBody } from './json/body.ts';
import type { Plain } from './json/merge.ts';
import type { Call, MediaNeed, UpstreamAddress } from './provider/call.ts';
import type { CommonSettings, ProviderEntry } from './provider/entry.ts';
import type { Translation } from './provider/translation.ts';
import type { Tap } from './tap.ts';

export type * from './provider/call.ts';
export type * from './provider/entry.ts';
export * from './provider/translation.ts';
export type { ErrorCode, GatewayError, ProviderFault } from './error.ts';
export type { BlockKind, ModelEvent, WireEvent } from './events.ts';
export type { EmptyBody, JsonBody } from './json/body.ts';
export type { OAuthGrant } from './secrets/grant.ts';
export type { StreamTransform } from './stream.ts';
export type { EventKind, Tap } from './tap.ts';

/** A model provider: pure data and pure functions. No network, clock, randomness, environment or file. */
export interface Provider<Settings = unknown> {
  /** Folder name and the word after `type:` in `gateway.yaml`. */
  readonly type: string;
  /** Further words with the same rights after `type:` and in `x-gateway-provider`. */
  readonly aliases: readonly string[];
  /** What files, commands and pages say and ask of it. */
  readonly entry: ProviderEntry<Settings>;
  /** What it can do. An endpoint that is absent is answered `unsupported_endpoint`, by one place. */
  readonly operations: { readonly [E in Endpoint]?: Operation<Settings> };
  /** Where a path that is not modelled goes; absent when the provider has none. */
  relay?(call: Call<Settings>, path: string): UpstreamAddress;
  /** Reads in a WebSocket what it uses; absent where nobody knows how its messages say so. */
  socketTap?(): Tap;
  /** Reads the provider's error body; the caller decides what it means for retry and fallback. */
  fault(status: number, body: string, headers?: Readonly<Record<string, string>>): ProviderFault;
}

/** One endpoint of one provider. */
export interface Operation<Settings = unknown> {
  /**
   * Files that the provider can't fetch itself: the gateway downloads them under the egress and size rules and hands
   * them over in `Call.media` before `begin` is called.
   */
  media?(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): readonly MediaNeed[];
  /**
   * Where the provider takes no forms on this route: the JSON body that says what a form says. The form is read whole for
   * it, and `media` and `begin` get that body. @throws GatewayError
   */
  fromForm?(parts: readonly FormContent[]): JsonBody;
  /** Begins an attempt; a retry begins anew. It must not change its input. @throws GatewayError what can't be asked */
  begin(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): Translation;
  /**
   * Where it serves some models only: false for a call whose model speaks another format, which is served through the chat
   * operation then.
   */
  serves?(call: Call<Settings & CommonSettings>): boolean;
  /** Some or all answers are in another format than the client's: for the table of routes. */
  readonly isConverted?: true;
  /**
   * A request that names no model is answered by a step that only reads, and `Translation.then` gives the model it found in
   * `models`: lists of models are checked there, so such a request is not refused for a model that nobody has seen yet.
   */
  readonly findsModel?: true;
  /**
   * Of a list whose rows have several ids, because the provider does not keep what a client asked for: the row under its
   * other ids. Isolation shows each under the one that its key was given.
   */
  views?(row: Plain): readonly Plain[];
}

/** Identity function that gives a provider literal its types. */
export const defineProvider = <Settings>(provider: Provider<Settings>): Provider => Object.freeze(provider) as Provider;
