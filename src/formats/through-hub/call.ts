import type { Endpoint } from '../../core/endpoint.ts';
import type { FormBody } from '../../core/http/form.ts';
import type { Notes } from '../../core/model/notes.ts';
import type { Call, CommonSettings, CredentialOwner, Media } from '../../core/provider.ts';

type AnyCall = Call<CommonSettings>;

/**
 * A call as seen by the operation that serves it in place of the client's route: in the common format, with everything a response
 * can contain.
 */
export class HubCall implements AnyCall {
  readonly endpoint: Endpoint;
  readonly isTranslated = true;
  readonly method = 'POST';
  readonly settings: CommonSettings;
  readonly model: string;
  readonly deployment: unknown;
  readonly foundationModel: string | undefined;
  /** Not strict: the client's format has a place for what strict clients of the chat format do not get. */
  readonly strict = false;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly params: Readonly<Record<string, string>> = {};
  /** Empty, because the client's query belongs to the client's route. */
  readonly query = '';
  readonly credential: CredentialOwner;
  readonly form: FormBody | undefined = undefined;
  readonly id: string;
  readonly createdAt: number;
  readonly #call: AnyCall;

  constructor(call: AnyCall, endpoint: Endpoint) {
    this.#call = call;
    this.endpoint = endpoint;
    this.settings = call.settings;
    this.model = call.model;
    this.deployment = call.deployment;
    this.foundationModel = call.foundationModel;
    this.stream = call.stream;
    this.includeUsage = call.stream;
    this.credential = call.credential;
    this.id = call.id;
    this.createdAt = call.createdAt;
  }

  header(name: string): string | undefined {
    return this.#call.header(name);
  }

  get media(): ReadonlyMap<string, Media> {
    return this.#call.media;
  }

  get notes(): Notes | undefined {
    return this.#call.notes;
  }
}
