import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';

/** A tool message made from a `tool_result` part, and the index of the part. */
export interface ResultBlock {
  readonly message: JsonObject;
  readonly part: number;
}

const isResult = (part: unknown): part is JsonObject => isJsonObject(part) && part['type'] === 'tool_result';

export interface SplitMessage {
  readonly results: readonly ResultBlock[];
  /** The content without the results. An empty text keeps the place of each, so that the other parts have the same index. */
  readonly rest: readonly unknown[];
}

/**
 * Splits a message of the user with tool results in Anthropic's form, as some clients write them in chat completions, into tool
 * messages and the other parts. Undefined for any other message.
 */
export function splitResults({ role, content }: JsonObject): SplitMessage | undefined {
  if (role !== 'user' || !Array.isArray(content) || !content.some(isResult)) return undefined;
  const parts = content as unknown[];
  return {
    results: parts.flatMap((part, index) => (isResult(part) ? [{ message: toolMessage(part), part: index }] : [])),
    rest: parts.map((part) => (isResult(part) ? '' : part)),
  };
}

function toolMessage({ type: _type, tool_use_id: id, content, ...others }: JsonObject): JsonObject {
  return { role: 'tool', tool_call_id: id, content: content ?? '', ...others };
}
