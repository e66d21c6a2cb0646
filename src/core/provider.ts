import type { Endpoint } from './endpoint.ts';
import type { GatewayError, ProviderFault } from './error.ts';
import type { EmptyBody, JsonBody } from './json/body.ts';
import type { JsonSchema } from './json/schema.ts';
import type { Call, MediaNeed, UpstreamAddress } from './provider/call.ts';
import type * as entry from './provider/entry.ts';
import type { CommonSettings } from './provider/entry.ts';
import type { Translation } from './provider/translation.ts';

export type * from './provider/call.ts';
export type * from './provider/entry.ts';
export * from './provider/translation.ts';
export type { OAuthGrant } from './secrets/grant.ts';
export type { Tap } from './tap.ts';

/** A model provider: pure data and pure functions. No network, clock, randomness, environment or file. */
export interface Provider<Settings = unknown> {
  /** Folder name and the word after `type:` in `gateway.yaml`. */
  readonly type: string;
  /** Further words with the same rights after `type:` and in `x-gateway-provider`. */
  readonly aliases: readonly string[];
  /** The one service behind it, for the commands and pages that know services by name; absent where an entry says which. */
  readonly service?: entry.ServiceFacts;
  /**
   * JSON Schema of the keys that this type adds to `providers.<slug>`. The keys that every entry has (`type`, `name`,
   * `description`, `enabled`, `api_key`, `custom_host`, `allow_custom_host`, `models`, `timeouts`, …) are not repeated.
   */
  readonly settings: JsonSchema;
  /** Settings that a request may bring by header or inline config, in direct mode. */
  readonly requestSettings: readonly entry.RequestSetting[];
  /**
   * Headers of its API that choose an organization, project or deployment, in lower case: a caller's never go along with a
   * credential of the catalog.
   */
  readonly accountHeaders?: readonly string[];
  /** `required`: an entry without `api_key` (or `auth`) is incomplete; `optional`: keyless services; `none`: never sent. */
  readonly apiKey: 'required' | 'optional' | 'none';
  /** The setting that holds the usual credential of this type, where that is not `api_key`. */
  readonly keySetting?: string;
  /** Further ways to sign, by the word after `auth: {mode: …}` that we print. `api_key` and `caller` need no row. */
  readonly authModes?: Readonly<Record<string, entry.AuthMode>>;
  /** Problems in an entry's settings that the schema can't express; empty when it can be used. */
  check?(settings: Settings & CommonSettings): readonly entry.SettingsProblem[];
  /** Which deployment serves this model name. Providers without deployments leave it out. */
  deployment?(settings: Settings & CommonSettings, model: string): entry.Deployment | GatewayError;
  /** Names that clients can use with this entry (aliases of deployments), where the entry knows them. */
  models?(settings: Settings & CommonSettings): readonly entry.ListedModel[];
  /** How a request is signed with this key. `signing`: the word of the deployment that it goes to, where it has one. */
  credential(settings: Settings & CommonSettings, key: string | undefined, signing?: string): entry.CredentialSpec;
  /** What it can do. An endpoint that is absent is answered `unsupported_endpoint`, by one place. */
  readonly operations: { readonly [E in Endpoint]?: Operation<Settings> };
  /** Where a path that is not modelled goes; absent when the provider has none. */
  relay?(call: Call<Settings>, path: string): UpstreamAddress;
  /** Reads the provider's error body; the caller decides what it means for retry and fallback. */
  fault(status: number, body: string): ProviderFault;
  /**
   * Small requests that prove an entry's credential and settings, for `gateway providers test`. `deep`: also those that
   * cost tokens. A type without it can't be tested.
   */
  probe?(settings: Settings & CommonSettings, deep: boolean): readonly entry.Probe[];
  /**
   * What an address that the service's own pages show says about an entry: only the text is read. Undefined where it is
   * no address of this service; a text says why one that is can't be used.
   */
  importUri?(uri: string): entry.ImportedUri | string | undefined;
}

/** One endpoint of one provider. */
export interface Operation<Settings = unknown> {
  /**
   * Files that the provider can't fetch itself: the gateway downloads them under the egress and size rules and hands
   * them over in `Call.media` before `begin` is called.
   */
  media?(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): readonly MediaNeed[];
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
}

/** Identity function that gives a provider literal its types. */
export const defineProvider = <Settings>(provider: Provider<Settings>): Provider => Object.freeze(provider) as Provider;
