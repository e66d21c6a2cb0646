import type { HistoryQuirk } from '#formats/history/rules.ts';
import type { ChatQuirk } from '#formats/openai-chat/quirks/quirk.ts';
import type { ImageEdits } from '../_shared/openai-service.ts';
import type { OpenAiEndpoint } from '#formats/openai-objects/taps.ts';

/** A service that uses the OpenAI format, and its properties. */
export interface Vendor {
  /** The value of `type:` in `gateway.yaml`. */
  readonly type: string;
  readonly aliases?: readonly string[];
  /** Name in the GenAI semantic conventions of OpenTelemetry, if it is not the type. */
  readonly telemetryName?: string;
  readonly title: string;
  /** Base URL, as its own documentation states it for OpenAI's libraries. */
  readonly host: string;
  /** Environment variable that conventionally contains the key. Undefined for servers that users run themselves, which need no key. */
  readonly keyVariable?: string;
  /** Documentation of host and routes. */
  readonly docs: string;
  readonly routes: readonly OpenAiEndpoint[];
  /** Name of the service in the price list. Undefined if the list has no prices for it. */
  readonly priceList?: string;
  readonly quirks?: readonly Quirk[];
  /** Headers that choose an account or who pays, in lower case. A caller's value is never sent together with the provider's own credential. */
  readonly accountHeaders?: readonly string[];
}

/** A difference from the format. Each has a fixture of the same name in `fixtures/<type>.json`. */
export interface Quirk extends ChatQuirk, HistoryQuirk {
  readonly name: string;
  /** Page and section of its documentation, source of its client, or a report that shows its response. */
  readonly source: string;
  /** Extension fields of the gateway that the service also supports. */
  readonly supportedExtensions?: readonly string[];
  /** Set if image edits must be JSON: converts the body to the service's format. */
  readonly imageEdits?: ImageEdits;
}
