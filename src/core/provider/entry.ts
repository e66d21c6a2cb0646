import type { Endpoint } from '../endpoint.ts';
import type { GatewayError } from '../error.ts';
import type { JsonObject } from '../json/merge.ts';
import type { JsonSchema } from '../json/schema.ts';
import type { AwsGrant, AwsKeys, OAuthGrant } from '../secrets/grant.ts';

/**
 * Configuration of a provider type: its settings, how its requests are signed, and what is known without a request.
 * Data and pure functions.
 */
export interface ProviderEntry<Settings = unknown> {
  /** The service, for commands and pages that list services by name; absent if each configured provider defines its own. */
  readonly service?: ServiceFacts;
  /** Name in the GenAI semantic conventions of OpenTelemetry (`gen_ai.provider.name`). Default: the type. */
  readonly telemetryName?: string;
  /**
   * JSON Schema of the keys that this type adds to `providers.<slug>`. The common keys (`type`, `name`, `description`,
   * `enabled`, `api_key`, `custom_host`, `allow_custom_host`, `models`, `timeouts`, …) are not repeated.
   */
  readonly settings: JsonSchema;
  /** Settings that a request may send by header or inline config, in direct mode. */
  readonly requestSettings: readonly RequestSetting[];
  /**
   * Lower-case headers of its API that choose an organization, project or deployment. A client's own are not forwarded
   * when a credential of the catalog is used.
   */
  readonly accountHeaders?: readonly string[];
  /** Lower-case headers of its API that a client may also send with the gateway's prefix. */
  readonly forwardedHeaders?: readonly string[];
  /** Default prices, if the configuration sets none; absent: unknown. */
  readonly prices?: ProviderPrices;
  /** `required`: a provider without `api_key` (or `auth`) is incomplete; `optional`: the service may need no key; `none`: never sent. */
  readonly apiKey: 'required' | 'optional' | 'none';
  /** The setting with the usual credential of this type. Default: `api_key`. */
  readonly keySetting?: string;
  /** Additional ways to sign, by the canonical value of `auth: {mode: …}`. `api_key` and `caller` are always available. */
  readonly authModes?: Readonly<Record<string, AuthMode>>;
  /** Returns problems of the settings that the schema can't express; empty if there are none. */
  check?(settings: Settings & CommonSettings): readonly SettingsProblem[];
  /** Returns the deployment for a model name, or an error (`model_not_found`). Absent for providers without deployments. */
  deployment?(settings: Settings & CommonSettings, model: string): Deployment | GatewayError;
  /** Names that clients can use with this provider (aliases of deployments), if they are known from the settings. */
  models?(settings: Settings & CommonSettings): readonly ListedModel[];
  /**
   * Returns how a request is signed.
   *
   * @param key from `api_key`, the deployment, or the caller; undefined if there is none
   * @param signing `Deployment.signing` of the deployment that receives the request
   * @throws GatewayError `missing_credential`, `invalid_config` if the settings permit no signature
   */
  credential(settings: Settings & CommonSettings, key: string | undefined, signing?: string): CredentialSpec;
  /**
   * Small requests that verify the credential and the settings, for `gateway providers test`. `deep`: includes requests
   * that cost tokens. A type without it can't be tested.
   */
  probe?(settings: Settings & CommonSettings, deep: boolean): readonly Probe[];
  /**
   * Derives settings from an address as the service's own pages show it, without any call. Returns undefined if it is
   * not an address of this service, or a string with the reason why it can't be used.
   */
  importUri?(uri: string): ImportedUri | string | undefined;
}

/** `none`: calls are free of charge. */
export type ProviderPrices = 'none' | ListedPrices;

/** Where the bundled price list has the models of a provider, and how to apply it. */
export interface ListedPrices {
  /** Name of the provider in the list. */
  readonly list: string;
  /** Price factor by service tier; the price of a tier that is missing here is unknown. */
  readonly tiers?: Readonly<Record<string, string>>;
  /** Audio tokens are priced separately. */
  readonly soundApart?: boolean;
}

/** Public facts about a service. */
export interface ServiceFacts {
  readonly title: string;
  /** Default base URL. */
  readonly host: string;
  /** Usual environment variable of its key; undefined: a self-hosted server without keys. */
  readonly keyVariable: string | undefined;
}

/** A small request, made and signed like normal traffic. */
export interface Probe {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  /** As a client would write it; '' if the route has none. */
  readonly model: string;
  readonly body?: JsonObject;
  /** What a success verifies: the credential, or the deployment `model`. */
  readonly proves: 'credential' | 'deployment';
  /** Additional statuses that count as success, with a note on the result. */
  readonly accepts?: Readonly<Record<number, string>>;
  /** Hints by status, one line each. */
  readonly fixes?: Readonly<Record<number, string>>;
}

/** Settings derived from an address. */
export interface ImportedUri {
  /** A suitable slug. */
  readonly slug: string;
  /** Kind of the address, for display. */
  readonly kind: string;
  /** Settings of `providers.<slug>` in the order in which they are written; without type and key. */
  readonly entry: JsonObject;
  /** Settings that the address does not contain. */
  readonly missing: readonly MissingPart[];
}

export interface MissingPart {
  /** Path relative to the provider. */
  readonly path: readonly string[];
  readonly about: string;
  /** True if the provider cannot work without it; otherwise it is optional. */
  readonly isNeeded: boolean;
}

/** A way to sign requests, chosen in `gateway.yaml` under `auth:`. */
export interface AuthMode {
  /** Additional values of `mode` with the same meaning. */
  readonly aliases: readonly string[];
  /** Description for the schema and the docs, which continues a sentence that starts with the mode. */
  readonly about: string;
  /** JSON Schema of the keys next to `mode`; secrets are `writeOnly`. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Signs with an identity of the machine on which the gateway runs. */
  readonly ambient: boolean;
}

/** A setting that a request may contain. */
export interface RequestSetting {
  /** Key in `providers.<slug>`. */
  readonly setting: string;
  /** Header names (without prefix) and config keys that set it. The first one is shown in messages. */
  readonly headers: readonly string[];
  readonly keys: readonly string[];
  /** Affects the host or path: rejected with a credential of the catalog; with the caller's credential the egress rules apply. */
  readonly shapesHost: boolean;
  /** Chooses a part of the account (deployment, version, organization): also rejected with a credential of the catalog. */
  readonly choosesPart?: true;
  /** The value is the name of a model or deployment: checked against the model lists. */
  readonly namesModel?: true;
  /** Values that select an identity of the machine: rejected in requests. */
  readonly ambient?: readonly string[];
}

/** An error in a provider's settings. `gateway check` reports it at the line of its key. */
export interface SettingsProblem {
  /** Path relative to the provider, for example `['deployments', 'image', 'target_uri']`. */
  readonly path: readonly (string | number)[];
  readonly code: 'missing-key' | 'bad-url' | 'bad-custom-host' | 'out-of-range' | 'conflict';
  readonly message: string;
  readonly hint?: string;
  readonly severity?: 'error' | 'warning';
}

/** Keys of `providers.<slug>` that every type supports, as a provider gets them. */
export interface CommonSettings {
  /** Base URL from the configuration or, in direct mode, from the caller. */
  readonly custom_host?: string;
  /** What is done with the gateway's own body fields (`labels`, `thinking`, …), which the service may reject. */
  readonly extensions?: 'drop' | 'pass';
  /** `always`: the usage of every stream is requested from services that report it only on request. */
  readonly stream_usage?: 'always';
  /** The keys under `auth:`, if the mode is one of the type's own (`authModes`); the mode in its canonical spelling. */
  readonly auth?: AuthSettings;
}

/** `auth:` of a provider: the mode, and the keys described by `AuthMode.properties`. */
export interface AuthSettings {
  readonly mode: string;
  readonly [key: string]: unknown;
}

export interface Deployment {
  /** The provider's own description of the deployment, passed as `Call.deployment`. */
  readonly settings: unknown;
  /** The upstream model name. */
  readonly model: string;
  /** The base model, for prices and parameter rules. */
  readonly foundationModel?: string;
  /** Its own key, if it has one. */
  readonly apiKey?: string;
  /** Passed to `credential`, if requests to it are signed differently from the provider's others. */
  readonly signing?: string;
}

/** One row of the gateway's `/models`. */
export interface ListedModel {
  readonly id: string;
  readonly foundationModel?: string;
}

/** How a request is signed, as data. `transport/credentials/sign.ts` turns it into headers. */
export type CredentialSpec =
  | { readonly scheme: 'none' }
  | { readonly scheme: 'bearer'; readonly secret: string }
  | { readonly scheme: 'header'; readonly name: string; readonly secret: string }
  /** The same key in several headers; in `authorization` it is a bearer token. */
  | { readonly scheme: 'headers'; readonly names: readonly string[]; readonly secret: string }
  /** A token that is fetched, cached until shortly before it expires, and sent as `Authorization: Bearer`. */
  | { readonly scheme: 'oauth2'; readonly grant: OAuthGrant }
  /** AWS Signature Version 4 over the whole request, with given or fetched keys. */
  | { readonly scheme: 'aws-sigv4'; readonly region: string; readonly service: string; readonly keys: AwsKeys | AwsGrant };

/** Owner of the credential. `forwarded`: the caller's own header is passed on unchanged, because `forward_headers` lists it. */
export type CredentialOwner = 'catalog' | 'caller' | 'forwarded' | 'none';
