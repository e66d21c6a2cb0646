import type { JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { LineEdit } from '#core/http/form.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, CommonSettings, Dropped, UpstreamAddress } from '#core/provider.ts';
import type { HistoryRules } from '#formats/history/rules.ts';
import type { ChatQuirk } from '#formats/openai-chat/quirks/quirk.ts';

export type OpenAiCall<Settings> = Call<Settings & CommonSettings>;

/** Converts the body of an image edit for a service that accepts only JSON, and lists what was dropped. */
export type ImageEdits = (body: JsonBody) => { readonly body: JsonBody; readonly dropped: readonly Dropped[] };

/** The differences between services that use the OpenAI format. */
export interface OpenAiCompatible<Settings> {
  /** Returns the address of a route. `route` is the part after `/v1/`, encoded. The implementation adds the query. */
  address(call: OpenAiCall<Settings>, route: string): UpstreamAddress;
  /** Returns whether the gateway's own body fields are dropped or passed if the provider's settings don't set it. */
  extensions(settings: Settings & CommonSettings): 'drop' | 'pass';
  /** Returns which assistant messages of a chat the service accepts. Default: OpenAI's rules. */
  history?(call: OpenAiCall<Settings>): HistoryRules;
  /** Extension fields of the gateway that the service also supports: never dropped. */
  readonly supportedExtensions?: readonly string[];
  /** Differences of its chat requests and responses from the format. */
  readonly quirks?: readonly ChatQuirk[];
  /** Returns headers of the service, in addition to content type, accept and credential. */
  headers?(call: OpenAiCall<Settings>): HeaderPairs;
  /**
   * Returns the model name to write into the body or form, or undefined to keep the existing one, `named`. Default: `call.model`,
   * if set.
   */
  bodyModel?(call: OpenAiCall<Settings>, route: string, named: unknown): string | undefined;
  /** A JSON body converted to the format of the service, where it differs; the model is already set. */
  convertBody?(body: JsonBody, call: OpenAiCall<Settings>): JsonBody;
  /** Undefined if image edits are passed through, as a form or JSON. */
  readonly imageEdits?: ImageEdits;
  /** Returns the edit for lines of an uploaded batch. Default: removes the gateway's slug from the model. */
  batchLineEdit?(call: OpenAiCall<Settings>): LineEdit;
  /** True if a model has several names, so that each line of a file may have another one. */
  hasAliases?(call: OpenAiCall<Settings>): boolean;
  /** Converts files, batches, jobs and lists of them to the OpenAI format. Undefined if the service already uses it. */
  convertObject?(text: string, call: OpenAiCall<Settings>): unknown;
  /** Endpoints that the service does not have. */
  unsupportedEndpoints?: readonly Endpoint[];
}
