import type { Call, Dropped } from '../../core/provider.ts';
import { withParams } from '../shared/request/parameter-errors.ts';

/** Where the parts of a chat came from in a request of the responses API. */
export interface Origins {
  /** For each message, the path of its item. */
  readonly messages: readonly string[];
  /** For each tool, its index. */
  readonly tools: readonly number[];
}

/** Names in a chat that differ from those of the responses API: a pattern, and its replacement. */
const pathReplacements: readonly (readonly [chat: RegExp, own: string])[] = [
  [/^messages\[\]/, 'input[]'],
  [/\.tool_calls\[\]\.(?:function\.)?/, '.'],
  [/\.tool_call_id$/, '.call_id'],
  [/\.file\.(file_data|file_id|filename)$/, '.$1'],
  [/\.input_image\.url$/, '.image_url'],
  [/^(tools\[\d*\])\.function\./, '$1.'],
];

/**
 * Runs a conversion of such a chat, and reports errors and lost fields by their paths in the client's request. A request that was
 * translated from another format keeps the names of the chat, from which the names of that format are made.
 */
export function withInputPaths<T extends { readonly dropped: readonly Dropped[] }>(
  origins: Origins,
  { isTranslated = false }: Pick<Call, 'isTranslated'>,
  convert: () => T,
): T {
  if (isTranslated) return convert();
  return withParams(
    (param) => inputPath(param, origins),
    () => {
      const converted = convert();
      return { ...converted, dropped: converted.dropped.map((one) => ({ ...one, param: inputPath(one.param, origins) })) };
    },
  );
}

function inputPath(param: string, { messages, tools }: Origins): string {
  const itemPath = param
    .replace(/^messages\[(\d+)\]/, (whole, index: string) => messages[Number(index)] ?? whole)
    .replace(/^tools\[(\d+)\]/, (_, index: string) => `tools[${tools[Number(index)] ?? index}]`);
  return pathReplacements.reduce((path, [chat, own]) => path.replace(chat, own), itemPath);
}
