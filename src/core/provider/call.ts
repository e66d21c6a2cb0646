import type { Endpoint } from '../endpoint.ts';
import type { FormBody, FormUpstream } from '../http/form.ts';
import type { HeaderPairs } from '../http/headers.ts';
import type { EmptyBody, JsonBody } from '../json/body.ts';
import type { PassThroughBody, SocketBody } from '../http/request.ts';
import type { Notes } from '../model/notes.ts';
import type { CommonSettings, CredentialOwner } from './entry.ts';

/** One attempt, from the provider's point of view. Frozen; the same for `media`, `begin` and everything that `begin` returns. */
export interface Call<Settings = unknown> {
  readonly endpoint: Endpoint;
  /** Upper case, as the client sent it. */
  readonly method: string;
  /** The keys of `providers.<slug>`, with settings that the request sets by header (`ProviderEntry.requestSettings`). */
  readonly settings: Settings & CommonSettings;
  /** The upstream name of the model; '' if the route has none. */
  readonly model: string;
  /** `Deployment.settings` of the deployment that serves the model; undefined for providers without deployments. */
  readonly deployment: unknown;
  /** The base model of a deployment, for parameter rules; undefined if unknown. */
  readonly foundationModel: string | undefined;
  /** The body was converted from another format: it may contain extensions that the client did not write. */
  readonly isTranslated?: boolean;
  /** Strict compliance: converted responses have no field that is missing in OpenAI's types, except `provider`. */
  readonly strict: boolean;
  /** The client reads reasoning from `reasoning_content`: converted responses contain it there, strict or not. */
  readonly showsReasoning?: boolean | undefined;
  /** The client uses the legacy `functions` and `function_call`. */
  readonly asksForFunctions?: boolean | undefined;
  readonly stream: boolean;
  /** True if the client requested the usage chunk (`stream_options.include_usage`). */
  readonly includeUsage: boolean;
  /** Path parameters (`id`), decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query text without `?`, as sent, without gateway credentials. */
  readonly query: string;
  /** A header of the client by full name, or by its name after an accepted prefix. */
  header(name: string): string | undefined;
  /** Owner of the credential that signs this attempt. */
  readonly credential: CredentialOwner;
  /** The client's form, if the endpoint accepts one and the client sent one; the body is empty then. */
  readonly form: FormBody | undefined;
  /** Downloaded files that `Operation.media` requested, by URL. */
  readonly media: ReadonlyMap<string, Media>;
  /** Data of responses kept for later requests; undefined if none may be kept. */
  readonly notes?: Notes | undefined;
  /** True the first time for this provider ID: a provider repeats the usage of a background task each time its result is read. */
  isFirstReport?(id: string): boolean;
  /** Request ID, for formats of providers without an ID. */
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** Target of a request. `origin` is scheme, host and port, without a path; `path` is percent-encoded, with its query. */
export interface UpstreamAddress {
  readonly origin: string;
  readonly path: string;
  readonly headers?: HeaderPairs;
}

export interface UpstreamRequest extends UpstreamAddress {
  readonly method: string;
  readonly headers: HeaderPairs;
  readonly body: JsonBody | EmptyBody | FormUpstream | PassThroughBody | SocketBody;
  /** Fields that could not be converted: listed in `x-gateway-dropped-params` and in the record. */
  readonly dropped: readonly Dropped[];
  /**
   * Models that the request runs, if only the provider could find them out: checked against the same lists as a model
   * named by the request.
   */
  readonly models?: readonly string[];
  /** Notes on how the request was handled, for `x-gateway-warnings` and the record. */
  readonly warnings?: readonly string[];
}

/** A field of the client's body that is not sent upstream. */
export interface Dropped {
  /** Its name in the client's body, or a path such as `messages[].name` for a nested field. */
  readonly param: string;
  /** Reason for the record, which continues a sentence that starts with the name: `not supported by this service`. */
  readonly reason: string;
}

/** A file that the gateway downloads for the provider to put into its request. */
export interface MediaNeed {
  /** As the client wrote it: the key in `Call.media`. */
  readonly url: string;
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  /** Address to read with the credential of the attempt; absent if `url` itself is read without a credential. */
  readonly from?: UpstreamAddress;
}

/** A downloaded file. */
export interface Media {
  /** From the response's content-type, without parameters; '' if it had none. */
  readonly mimeType: string;
  readonly base64: string;
}
