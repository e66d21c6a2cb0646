import type { Endpoint } from './endpoint.ts';
import type { ProviderFault } from './error.ts';
import type { FormContent } from './http/form.ts';
import type { EmptyBody, JsonBody } from './json/body.ts';
import type { JsonObject } from './json/merge.ts';
import type { SameMeaning } from './model/field-names.ts';
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
export type { SameMeaning } from './model/field-names.ts';
export type { StreamTransform } from './stream.ts';
export type { EventKind, Tap } from './tap.ts';

/** A model provider: pure data and pure functions. No network, clock, randomness, environment or file. */
export interface Provider<Settings = unknown> {
  /** Folder name, and the value of `type:` in `gateway.yaml`. */
  readonly type: string;
  /** Other accepted values of `type:` and of `x-gateway-provider`. */
  readonly aliases: readonly string[];
  /** Settings and metadata for files, commands and pages. */
  readonly entry: ProviderEntry<Settings>;
  /** Supported operations. A missing endpoint gives the error `unsupported_endpoint`, in one place. */
  readonly operations: { readonly [E in Endpoint]?: Operation<Settings> };
  /** Returns the address for a path that has no endpoint; absent if the provider cannot be relayed to. */
  relay?(call: Call<Settings>, path: string): RelayedAddress;
  /** Reads the usage in WebSocket messages; absent if their format is unknown. */
  socketTap?(): Tap;
  /** Parses the provider's error body; the caller decides about retry and fallback. */
  fault(status: number, body: string, headers?: Readonly<Record<string, string>>): ProviderFault;
}

/** The address of a relayed path. */
export interface RelayedAddress extends UpstreamAddress {
  /** For a response that must be changed: it is held completely, otherwise it flows unread. */
  readonly reading?: Pick<Translation, 'tap' | 'repair'>;
}

/** One endpoint of one provider. */
export interface Operation<Settings = unknown> {
  /**
   * Returns files that the provider can't fetch itself: the gateway downloads them under the egress and size rules and
   * passes them as `Call.media` before `begin` is called.
   */
  media?(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): readonly MediaNeed[];
  /**
   * For providers that accept no forms on this route: returns the JSON body equivalent to a form. The form is read
   * completely first, and `media` and `begin` get that body. @throws GatewayError
   */
  fromForm?(parts: readonly FormContent[]): JsonBody;
  /**
   * Begins an attempt; called again for each retry. Must not change its input. @throws GatewayError for a request that
   * the provider does not support
   */
  begin(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): Translation;
  /**
   * For operations that serve only some models: false for a call whose model uses another format, which is then served
   * through the chat operation.
   */
  serves?(call: Call<Settings & CommonSettings>): boolean;
  /** For chat completions: counts the tokens of such a body. The routes that count tokens in the formats of clients use it. */
  readonly count?: Operation<Settings>;
  /**
   * Members of the body with parameters in the service's own form. They take precedence over those of the client's format,
   * so a key that is bound to a config may not send them.
   */
  readonly ownForms?: readonly string[];
  /** Places of the body in which this operation reads the same parameter. What an override writes in one of them replaces the others. */
  readonly sameMeaning?: readonly SameMeaning[];
  /** Some or all responses are converted. For the table of routes. */
  readonly isConverted?: true;
  /**
   * A request without a model is first handled by a read-only step, and `Translation.then` returns the model found in
   * `models`. The model lists are checked there, so such a request is not rejected before its model is known.
   */
  readonly findsModel?: true;
  /**
   * For a list whose rows have several IDs, because the provider does not store the client's choice: returns the row
   * under its other IDs. Isolation shows each row under the ID that the key was given.
   */
  views?(row: JsonObject): readonly JsonObject[];
}

/** Identity function that gives a provider literal its types. */
export const defineProvider = <Settings>(provider: Provider<Settings>): Provider => Object.freeze(provider) as Provider;
