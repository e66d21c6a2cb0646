import type { Endpoint } from '../endpoint.ts';
import type { GatewayError } from '../error.ts';
import type { Plain } from '../json/merge.ts';
import type { JsonSchema } from '../json/schema.ts';
import type { AwsGrant, AwsKeys, OAuthGrant } from '../secrets/grant.ts';

/** An entry of this type in `providers`: its settings, how requests of it are signed, and what is known of it without a request. Data and pure functions. */
export interface ProviderEntry<Settings = unknown> {
  /** The one service behind it, for the commands and pages that know services by name; absent where an entry says which. */
  readonly service?: ServiceFacts;
  /** Its name in the GenAI semantic conventions of OpenTelemetry (`gen_ai.provider.name`); absent where it is the type. */
  readonly telemetryName?: string;
  /**
   * JSON Schema of the keys that this type adds to `providers.<slug>`. The keys that every entry has (`type`, `name`,
   * `description`, `enabled`, `api_key`, `custom_host`, `allow_custom_host`, `models`, `timeouts`, …) are not repeated.
   */
  readonly settings: JsonSchema;
  /** Settings that a request may send by header or inline config, in direct mode. */
  readonly requestSettings: readonly RequestSetting[];
  /**
   * Headers of its API that choose an organization, project or deployment, in lower case: a caller's never go along with a
   * credential of the catalog.
   */
  readonly accountHeaders?: readonly string[];
  /** What its calls cost where the operator sets no price; absent: unknown. */
  readonly prices?: ProviderPrices;
  /** `required`: an entry without `api_key` (or `auth`) is incomplete; `optional`: keyless services; `none`: never sent. */
  readonly apiKey: 'required' | 'optional' | 'none';
  /** The setting that holds the usual credential of this type, where that is not `api_key`. */
  readonly keySetting?: string;
  /** Further ways to sign, by the canonical value of `auth: {mode: …}`. `api_key` and `caller` need no row. */
  readonly authModes?: Readonly<Record<string, AuthMode>>;
  /** Problems in an entry's settings that the schema can't express; empty when it can be used. */
  check?(settings: Settings & CommonSettings): readonly SettingsProblem[];
  /** Which deployment serves this model name; an error (`model_not_found`) where none does. Absent for providers without deployments. */
  deployment?(settings: Settings & CommonSettings, model: string): Deployment | GatewayError;
  /** Names that clients can use with this entry (aliases of deployments), where the entry knows them. */
  models?(settings: Settings & CommonSettings): readonly ListedModel[];
  /**
   * How a request is signed.
   *
   * @param key from `api_key`, the deployment, or the caller; undefined where there is none
   * @param signing `Deployment.signing` of the deployment that it goes to
   * @throws GatewayError `missing_credential`, `invalid_config` where the settings allow no signature
   */
  credential(settings: Settings & CommonSettings, key: string | undefined, signing?: string): CredentialSpec;
  /**
   * Small requests that prove an entry's credential and settings, for `gateway providers test`. `deep`: also those that
   * cost tokens. A type without it can't be tested.
   */
  probe?(settings: Settings & CommonSettings, deep: boolean): readonly Probe[];
  /**
   * The settings of an entry, read from an address as the service's own pages show it. Nothing is called. Undefined where it
   * is no address of this service; a text says why one that is can't be used.
   */
  importUri?(uri: string): ImportedUri | string | undefined;
}

/** `none`: nobody charges for them. */
export type ProviderPrices = 'none' | ListedPrices;

/** Where the price list that comes with the gateway has the models of a provider, and what it does not say of them. */
export interface ListedPrices {
  /** The provider's name in the list. */
  readonly list: string;
  /** Share of the price by service tier; a tier that is not here has no known price. */
  readonly tiers?: Readonly<Record<string, string>>;
  /** Tokens of sound have prices of their own. */
  readonly soundApart?: boolean;
}

/** What people know a service by. */
export interface ServiceFacts {
  readonly title: string;
  /** Base URL where the entry has no `custom_host`. */
  readonly host: string;
  /** Variable in which its users have its key; undefined: your own server, which needs none. */
  readonly keyVariable: string | undefined;
}

/** One small request, made and signed like traffic. */
export interface Probe {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  /** As a client would name it; '' where the route has none. */
  readonly model: string;
  readonly body?: Plain;
  /** What a success proves: that the credential is accepted, or that the deployment `model` answers. */
  readonly proves: 'credential' | 'deployment';
  /** Further statuses that prove the same, with what is then known. */
  readonly accepts?: Readonly<Record<number, string>>;
  /** What to do about a status, in one line. */
  readonly fixes?: Readonly<Record<number, string>>;
}

/** An entry as far as an address contains it. */
export interface ImportedUri {
  /** A name that fits. */
  readonly slug: string;
  /** Which kind of address it is, for people. */
  readonly kind: string;
  /** Settings as `providers.<slug>` has them, in the order in which they are written; without type and key. */
  readonly entry: Plain;
  /** What the address doesn't say. */
  readonly missing: readonly MissingPart[];
}

export interface MissingPart {
  /** Path below the entry. */
  readonly path: readonly string[];
  readonly about: string;
  /** Without it the entry serves nothing; otherwise it only knows less. */
  readonly isNeeded: boolean;
}

/** A way to sign requests that an entry of `gateway.yaml` chooses under `auth:`. */
export interface AuthMode {
  /** Further values of `mode` with the same meaning. */
  readonly aliases: readonly string[];
  /** For the schema's description and the docs: the rest of a sentence that begins with the word. */
  readonly about: string;
  /** JSON Schema of the keys that it takes beside `mode`; secrets are `writeOnly`. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** It signs with an identity of the machine that the gateway runs on. */
  readonly ambient: boolean;
}

/** A setting that may come with a request. */
export interface RequestSetting {
  /** Key in `providers.<slug>`. */
  readonly setting: string;
  /** Tails of headers, and keys of a config object, that set it. The first is the one we print. */
  readonly headers: readonly string[];
  readonly keys: readonly string[];
  /** Shapes the host or path: with a credential of the catalog it is refused, with the caller's the egress rules apply. */
  readonly shapesHost: boolean;
  /** Chooses what of an account is used (deployment, version, organization): with a credential of the catalog it is refused too. */
  readonly choosesPart?: true;
  /** Its value is the name of a model or deployment: held to the lists of models. */
  readonly namesModel?: true;
  /** Values that ask for an identity of the machine: refused where a request contains them. */
  readonly ambient?: readonly string[];
}

/** A mistake in an entry: becomes a finding of `gateway check`, at the line of its key. */
export interface SettingsProblem {
  /** Path below the entry, for example `['deployments', 'image', 'target_uri']`. */
  readonly path: readonly (string | number)[];
  readonly code: 'missing-key' | 'bad-url' | 'bad-custom-host' | 'out-of-range' | 'conflict';
  readonly message: string;
  readonly hint?: string;
  readonly severity?: 'error' | 'warning';
}

/** Keys of `providers.<slug>` that every type understands, as a provider sees them. */
export interface CommonSettings {
  /** Base URL written by the operator or, in direct mode, sent by the caller. */
  readonly custom_host?: string;
  /** What happens to the gateway's own body fields (`labels`, `thinking`, …) that the service may refuse. */
  readonly extensions?: 'drop' | 'pass';
  /** The keys under `auth:`, where its mode is one of the type's own (`authModes`), with the mode in its canonical spelling. */
  readonly auth?: AuthSettings;
}

/** `auth:` of an entry: the mode, and the keys that `AuthMode.properties` describes. */
export interface AuthSettings {
  readonly mode: string;
  readonly [key: string]: unknown;
}

export interface Deployment {
  /** The provider's own description of it, handed back in `Call.deployment`. */
  readonly settings: unknown;
  /** The name that goes upstream. */
  readonly model: string;
  /** For prices and parameter rules. */
  readonly foundationModel?: string;
  /** Its own key, where it has one. */
  readonly apiKey?: string;
  /** Handed to `credential` where requests to it are signed in another way than the entry's others. */
  readonly signing?: string;
}

/** One row of the gateway's own `/models`. */
export interface ListedModel {
  readonly id: string;
  readonly foundationModel?: string;
}

/** How a request is signed: data only. `transport/credentials/sign.ts` turns it into headers. */
export type CredentialSpec =
  | { readonly scheme: 'none' }
  | { readonly scheme: 'bearer'; readonly secret: string }
  | { readonly scheme: 'header'; readonly name: string; readonly secret: string }
  /** The same key under several names; as `authorization` it goes as bearer. */
  | { readonly scheme: 'headers'; readonly names: readonly string[]; readonly secret: string }
  /** A token that is fetched, cached until shortly before it expires, and sent as `Authorization: Bearer`. */
  | { readonly scheme: 'oauth2'; readonly grant: OAuthGrant }
  /** Signature Version 4 of AWS over the whole request, with keys that are known or fetched. */
  | { readonly scheme: 'aws-sigv4'; readonly region: string; readonly service: string; readonly keys: AwsKeys | AwsGrant };

/** Whose credential is used. `forwarded`: the caller's own header passes unchanged because `forward_headers` names it. */
export type CredentialOwner = 'catalog' | 'caller' | 'forwarded' | 'none';
