import type { HistoryQuirk } from '#formats/history/rules.ts';
import type { ChatQuirk } from '#formats/openai-chat/quirks.ts';
import type { ImageEdits } from '../_shared/openai-compatible.ts';
import type { OpenAiEndpoint } from '#formats/openai-objects/taps.ts';

/** A service that speaks the OpenAI format: all that the gateway knows of it. */
export interface Vendor {
  /** The word after `type:` in `gateway.yaml`. */
  readonly type: string;
  readonly aliases?: readonly string[];
  /** In the GenAI semantic conventions of OpenTelemetry, where it is not the type. */
  readonly telemetryName?: string;
  readonly title: string;
  /** Base URL, as its own documentation has it for OpenAI's libraries. */
  readonly host: string;
  /** Variable in which its users have its key; without one it is your own server, which needs none. */
  readonly keyVariable?: string;
  /** Where its documentation lists host and routes. */
  readonly docs: string;
  readonly routes: readonly OpenAiEndpoint[];
  /** Its name in the price list, which has no prices of a service without. */
  readonly priceList?: string;
  readonly quirks?: readonly Quirk[];
}

/** A difference from the format. Each has a fixture of the same name in `fixtures/<type>.json`. */
export interface Quirk extends ChatQuirk, HistoryQuirk {
  readonly name: string;
  /** Page and section of its documentation, source of its client, or a report that shows what it answered. */
  readonly source: string;
  /** Body fields of the gateway that it has, too. */
  readonly known?: readonly string[];
  /** Takes edits of images as JSON alone: the body in its own words. */
  readonly imageEdits?: ImageEdits;
}
