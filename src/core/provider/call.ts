import type { Endpoint } from '../endpoint.ts';
import type { FormBody, FormUpstream } from '../http/form.ts';
import type { HeaderPairs } from '../http/headers.ts';
import type { EmptyBody, JsonBody, PassingBody, SocketBody } from '../json/body.ts';
import type { Notes } from '../model/notes.ts';
import type { CommonSettings, CredentialOwner } from './entry.ts';

/** One attempt as a provider sees it. Frozen; the same for `media`, `begin` and everything that `begin` returns. */
export interface Call<Settings = unknown> {
  readonly endpoint: Endpoint;
  /** Upper case, as the client sent it. */
  readonly method: string;
  /** The keys of `providers.<slug>`, with what the request may set by header (`ProviderEntry.requestSettings`). */
  readonly settings: Settings & CommonSettings;
  /** The upstream's name of the model; '' where the route has none. */
  readonly model: string;
  /** `Deployment.settings` of the deployment that serves the model; undefined where the provider has none. */
  readonly deployment: unknown;
  /** The model behind a deployment, for parameter rules; undefined where it is not known. */
  readonly foundationModel: string | undefined;
  /** The body was made from a request in another format: it has extensions that the client did not write. */
  readonly isTranslated?: boolean;
  /** Strict compliance: converted answers have no field that OpenAI's types lack, except `provider`. */
  readonly strict: boolean;
  /** The client reads thoughts as `reasoning_content`: converted answers carry them there, strict or not. */
  readonly showsReasoning?: boolean | undefined;
  /** The client offers `functions` and reads `function_call`. */
  readonly asksForFunctions?: boolean | undefined;
  readonly stream: boolean;
  /** The client asked for the usage chunk (`stream_options.include_usage`). */
  readonly includeUsage: boolean;
  /** Path parameters (`id`), decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query text without `?`, as sent, gateway credentials taken out. */
  readonly query: string;
  /** A header of the caller by full name, or by tail under an accepted prefix. */
  header(name: string): string | undefined;
  /** Whose credential signs this attempt. */
  readonly credential: CredentialOwner;
  /** The client's form, where the endpoint's body is one and the client sent it as one; the body is empty then. */
  readonly form: FormBody | undefined;
  /** What `Operation.media` asked for, by URL. */
  readonly media: ReadonlyMap<string, Media>;
  /** What is remembered of answers for later requests; undefined where nothing is to be. */
  readonly notes?: Notes | undefined;
  /** True the first time for this id of a provider's: it reports the usage of work in the background again with each reading. */
  isFirstReport?(id: string): boolean;
  /** Id of the request, for ids that the provider's format lacks. */
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** Where a request goes. `origin` is scheme, host and port, without a path; `path` is percent-encoded, with its query. */
export interface UpstreamAddress {
  readonly origin: string;
  readonly path: string;
  readonly headers?: HeaderPairs;
}

export interface UpstreamRequest extends UpstreamAddress {
  readonly method: string;
  readonly headers: HeaderPairs;
  readonly body: JsonBody | EmptyBody | FormUpstream | PassingBody | SocketBody;
  /** Fields that could not be carried: named in `x-gateway-dropped-params` and in the record. */
  readonly dropped: readonly Dropped[];
  /** Models that it runs, where only the provider could find them: held to the same lists as one that the request names. */
  readonly models?: readonly string[];
  /** Notes on how the request was handled: in `x-gateway-warnings` and in the record. */
  readonly warnings?: readonly string[];
}

/** A field of the client's body that does not go upstream. */
export interface Dropped {
  /** Its name as the client wrote it; a path such as `messages[].name` for one inside. */
  readonly param: string;
  /** The rest of a sentence that begins with the name, for the record: `not supported by this service`. */
  readonly reason: string;
}

/** A file that the gateway downloads, so that the provider can put it into its request. */
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
