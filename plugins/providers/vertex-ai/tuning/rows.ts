import type { JsonObject } from '#core/json/merge.ts';
import type { Dropped, Media } from '#core/provider.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';
import { Drops } from '#formats/shared/request/drops.ts';
import { toGenerateContent } from '#formats/google-generate/request/index.ts';
import { optionsOf } from '../gemini.ts';
import type { VertexSettings } from '../settings.ts';

const noMedia: ReadonlyMap<string, Media> = new Map();

/** Fields of an example that are converted, or that the conversion reports. */
const rowFields: ReadonlySet<string> = new Set(['messages', 'tools', 'functions', 'parallel_tool_calls']);

/** True for an example in OpenAI's format. */
export const isTrainingLine = (line: JsonObject): boolean => Array.isArray(line['messages']) && line['contents'] === undefined;

/**
 * Converts an example conversation to a training row of Gemini: the request's contents, ending with the response.
 *
 * @throws GatewayError for values that cannot be converted
 */
export function toTrainingRow(
  line: JsonObject,
  settings: VertexSettings,
  files?: FileRules,
): { readonly row: JsonObject; readonly dropped: readonly Dropped[] } {
  // The model is unknown, and signatures belong to responses, not to examples.
  const options = { ...optionsOf(settings, files), signatureStandIn: false };
  const { body, dropped } = toGenerateContent(line, { model: '', media: noMedia, strict: false }, options);
  const drops = new Drops();
  for (const { param, reason } of dropped) drops.add(param, reason);
  drops.addUnread(line, rowFields, '', 'a training example can contain only a conversation and its tools');
  const { systemInstruction, contents, tools } = body;
  return {
    row: {
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      contents,
      ...(tools === undefined ? {} : { tools }),
    },
    dropped: drops.list,
  };
}
