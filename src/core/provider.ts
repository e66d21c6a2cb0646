import type { EmptyBody, JsonBody } from './json/body.ts';
import type { Endpoint } from './endpoint.ts';
import type { GatewayError, ProviderFault } from './error.ts';
import type { ModelEvent, WireEvent } from './events.ts';
import type { FormBody, FormUpstream, LineEdit } from './http/form.ts';
import type { OAuthGrant } from './secrets/grant.ts';
import type { HeaderPairs } from './http/headers.ts';
import type { JsonSchema } from './json/schema.ts';
import type { Plain } from './json/merge.ts';
import type { Note } from './model/notes.ts';
import type { StreamTransform } from './stream.ts';
import type { Tap } from './tap.ts';

export type { OAuthGrant } from './secrets/grant.ts';
export type { Tap } from './tap.ts';

/** A model provider: pure data and pure functions. No network, clock, randomness, environment or file. */
export interface Provider<Settings = unknown> {
  /** Folder name and the word after `type:` in `gateway.yaml`. */
  readonly type: string;
  /** Further words with the same rights after `type:` and in `x-gateway-provider`. */
  readonly aliases: readonly string[];
  /** The one service behind it, for the commands and pages that know services by name; absent where an entry says which. */
  readonly service?: ServiceFacts;
  /**
   * JSON Schema of the keys that this type adds to `providers.<slug>`. The keys that every entry has (`type`, `name`,
   * `description`, `enabled`, `api_key`, `custom_host`, `allow_custom_host`, `models`, `timeouts`, …) are not repeated.
   */
  readonly settings: JsonSchema;
  /** Settings that a request may bring by header or inline config, in direct mode. */
  readonly requestSettings: readonly RequestSetting[];
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
  readonly authModes?: Readonly<Record<string, AuthMode>>;
  /** Problems in an entry's settings that the schema can't express; empty when it can be used. */
  check?(settings: Settings & CommonSettings): readonly SettingsProblem[];
  /** Which deployment serves this model name. Providers without deployments leave it out. */
  deployment?(settings: Settings & CommonSettings, model: string): Deployment | GatewayError;
  /** Names that clients can use with this entry (aliases of deployments), where the entry knows them. */
  models?(settings: Settings & CommonSettings): readonly ListedModel[];
  /** How a request is signed with this key. `signing`: the word of the deployment that it goes to, where it has one. */
  credential(settings: Settings & CommonSettings, key: string | undefined, signing?: string): CredentialSpec;
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
  probe?(settings: Settings & CommonSettings, deep: boolean): readonly Probe[];
  /**
   * What an address that the service's own pages show says about an entry: only the text is read. Undefined where it is
   * no address of this service; a text says why one that is can't be used.
   */
  importUri?(uri: string): ImportedUri | string | undefined;
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

/** An entry as far as an address tells it. */
export interface ImportedUri {
  /** A name that fits. */
  readonly slug: string;
  /** Which kind of address it is, for people. */
  readonly kind: string;
  /** Settings as they stand in `providers.<slug>`, in the order in which they are written; without type and key. */
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
  /** Further words with the same meaning. */
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
  /** Values that ask for an identity of the machine: refused where a request brings them. */
  readonly ambient?: readonly string[];
}

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
  /** What stands under `auth:`, where its mode is one of the type's own; the mode in the word that we print. */
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

/** How a request is signed: data only. `transport/sign.ts` turns it into headers. */
export type CredentialSpec =
  | { readonly scheme: 'none' }
  | { readonly scheme: 'bearer'; readonly secret: string }
  | { readonly scheme: 'header'; readonly name: string; readonly secret: string }
  /** The same key under several names; as `authorization` it goes as bearer. */
  | { readonly scheme: 'headers'; readonly names: readonly string[]; readonly secret: string }
  /** A token that is fetched, cached until shortly before it expires, and sent as `Authorization: Bearer`. */
  | { readonly scheme: 'oauth2'; readonly grant: OAuthGrant };

/** Whose credential is used. `forwarded`: the caller's own header passes unchanged because `forward_headers` names it. */
export type CredentialOwner = 'catalog' | 'caller' | 'forwarded' | 'none';

/** One attempt as a provider sees it. */
export interface Call<Settings = unknown> {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly settings: Settings & CommonSettings;
  /** The upstream's name of the model; '' where the route has none. */
  readonly model: string;
  readonly deployment: unknown;
  readonly foundationModel: string | undefined;
  readonly strict: boolean;
  /** The client reads thoughts as `reasoning_content`: converted answers carry them there, strict or not. */
  readonly showsReasoning?: boolean | undefined;
  readonly stream: boolean;
  /** The client asked for the usage chunk. */
  readonly includeUsage: boolean;
  /** Path parameters (`id`), decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query text without `?`, as sent, gateway credentials taken out. */
  readonly query: string;
  /** A header of the caller by full name, or by tail under an accepted prefix. */
  header(name: string): string | undefined;
  readonly credential: CredentialOwner;
  /** The client's form, where the endpoint's body is one and the client sent it as one; the body is empty then. */
  readonly form: FormBody | undefined;
  /** What `Operation.media` asked for, by URL. */
  readonly media: ReadonlyMap<string, Media>;
  /** What is remembered of what `Operation.recalls` asked for, by id; undefined where nothing is to be remembered either. */
  readonly notes?: ReadonlyMap<string, string> | undefined;
  /** Id of the request, for ids that the provider's format lacks. */
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** Where a request goes. `origin` is scheme, host and port; `path` is encoded, with its query. */
export interface UpstreamAddress {
  readonly origin: string;
  readonly path: string;
  readonly headers?: HeaderPairs;
}

export interface UpstreamRequest extends UpstreamAddress {
  readonly method: string;
  readonly headers: HeaderPairs;
  readonly body: JsonBody | EmptyBody | FormUpstream;
  /** Fields that could not be carried: named in `x-gateway-dropped-params` and in the record. */
  readonly dropped: readonly Dropped[];
  /** Models that it runs, where only the provider could find them: held to the same lists as one that the request names. */
  readonly models?: readonly string[];
  /** What the caller should know of the way this takes: told in `x-gateway-warnings` and in the record. */
  readonly warnings?: readonly string[];
}

export interface Dropped {
  readonly param: string;
  readonly reason: string;
}

/** One answer of a call that takes several requests. */
export interface StepReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, UTF-8. */
  readonly text: string;
}

/**
 * One endpoint of one provider. Without `result`, `stream` and `lines` the provider speaks the client's format and its
 * bytes pass unchanged. `request` may be called again for a retry and must not change its input.
 */
export interface Operation<Settings = unknown> {
  request(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): UpstreamRequest;
  /**
   * The next request of a call that takes several (at most four in all), made of all answers so far; undefined when the
   * last one is the answer. Asked after each 2xx answer that was read whole: one that flows is the last. Same attempt,
   * credential and clocks. @throws GatewayError when what came makes no next request possible
   */
  then?(replies: readonly StepReply[], call: Call<Settings & CommonSettings>): UpstreamRequest | undefined;
  /**
   * A later step failed although an earlier one did its work: the object in the endpoint's format as far as it is known,
   * answered with 200 and a warning. Undefined: the failure is the answer. The last reply is the one that failed;
   * its status is 0 where there was none.
   */
  recover?(replies: readonly StepReply[], call: Call<Settings & CommonSettings>): unknown;
  /**
   * A request that names no model is answered by a step that only reads, and `then` gives the model it found in `models`:
   * lists of models are checked there, so such a request is not refused for a model that nobody has seen yet.
   */
  readonly findsModel?: true;
  /** Answers that are files of lines: what each line becomes on its way. Undefined where this call's lines pass unchanged. */
  lines?(call: Call<Settings & CommonSettings>, earlier: readonly StepReply[]): LineEdit | undefined;
  /**
   * Files that the provider can't fetch itself: the gateway downloads them under the egress and size rules and hands
   * them over in `Call.media` before `request` is called.
   */
  media?(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): readonly MediaNeed[];
  /**
   * Ids of tool calls in this body that need what an earlier answer said with them and clients do not send back: handed
   * over in `Call.notes`, as far as it is remembered, before `request` is called. Undefined for calls of which nothing
   * is to be remembered.
   */
  recalls?(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): readonly string[] | undefined;
  /** What is to be remembered of a whole answer, as its tap has parsed it; a stream has events of type `note`. */
  notes?(answer: unknown, call: Call<Settings & CommonSettings>): readonly Note[];
  /**
   * Where a provider speaks several formats: false for calls whose answers come in the client's format already, so that
   * their bytes pass although `result` and `stream` are there for the others.
   */
  converts?(call: Call<Settings & CommonSettings>): boolean;
  /** Watches one answer. `earlier`: the answers before it, where the call takes several; absent for the first. */
  tap(call: Call<Settings & CommonSettings>, earlier?: readonly StepReply[]): Tap;
  /**
   * Whole answer of the provider → object in the endpoint's format. `answer`: the same text as this operation's tap has
   * parsed it; `earlier`: the answers of the steps before the last.
   */
  result?(text: string, call: Call<Settings & CommonSettings>, answer?: unknown, earlier?: readonly StepReply[]): unknown;
  /**
   * Where the bytes pass: the text of a whole 2xx answer with what the service left out, undefined where nothing is
   * missing. Answers that are too large to be held pass as they are.
   */
  mend?(text: string, call: Call<Settings & CommonSettings>): string | undefined;
  /** A fresh transform for each stream: the provider's events → hub. */
  stream?(call: Call<Settings & CommonSettings>): StreamTransform<WireEvent, ModelEvent>;
  /** Answers without a network (the mock). */
  local?(request: UpstreamRequest, call: Call<Settings & CommonSettings>): LocalAnswer;
}

/** A file that must be inlined. */
export interface MediaNeed {
  /** As the client wrote it: the key in `Call.media`. */
  readonly url: string;
  /** Bytes. */
  readonly maxBytes: number;
  /** Where it is read with the credential of the attempt; absent where `url` itself is called, without one. */
  readonly from?: UpstreamAddress;
}

/** A downloaded file. */
export interface Media {
  /** From the answer's content-type, without parameters; '' when it had none. */
  readonly mimeType: string;
  readonly base64: string;
}

/** An answer that needs no upstream: whole, or pieces of a stream with pauses. */
export interface LocalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly LocalPiece[];
  /** Before the first piece, in milliseconds. */
  readonly delayMs?: number;
  /** The transport fault to play after the pieces instead of a proper end. */
  readonly breaks?: 'refused' | 'reset' | 'hang';
}

export interface LocalPiece {
  /** Text, or bytes as they are. */
  readonly text: string | Uint8Array;
  /** Pause before this piece, in milliseconds. */
  readonly afterMs?: number;
}

/** Identity function that gives a provider literal its types. */
export const defineProvider = <Settings>(provider: Provider<Settings>): Provider => Object.freeze(provider) as Provider;
