import type { DialectCall } from '../../core/dialect.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';

const end = 'data: [DONE]\n\n';
const event = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`;

/**
 * Converts a whole chat completion to a stream of one chunk, plus a usage chunk if requested; undefined if the object is not a
 * completion.
 */
export function chatChunks(answer: JsonObject, call: DialectCall): string | undefined {
  const { choices, usage, ...rest } = answer;
  if (!areChoices(choices, (choice) => isJsonObject(choice['message']))) return undefined;
  const shell = { ...rest, object: 'chat.completion.chunk' };
  const usageChunk = call.includeUsage && isJsonObject(usage) ? event({ ...shell, choices: [], usage }) : '';
  return event({ ...shell, choices: choices.map(deltaChoice) }) + usageChunk + end;
}

/** Converts a whole text completion to a stream of one chunk, which has the same form. */
export function textChunks(answer: JsonObject): string | undefined {
  return areChoices(answer['choices'], (choice) => typeof choice['text'] === 'string') ? event(answer) + end : undefined;
}

function areChoices(value: unknown, isOne: (choice: JsonObject) => boolean): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && (value as unknown[]).every((choice) => isJsonObject(choice) && isOne(choice));
}

function deltaChoice({ message, ...choice }: JsonObject): JsonObject {
  const { content, content_blocks: blocks, tool_calls: calls, ...rest } = message as JsonObject;
  return {
    ...choice,
    delta: {
      ...rest,
      content: streamedContent(content, Array.isArray(blocks)),
      ...(Array.isArray(calls) ? { tool_calls: (calls as unknown[]).map((one, index) => ({ index, ...(one as JsonObject) })) } : {}),
      ...(Array.isArray(blocks) ? { content_blocks: blocks.map((block, index) => ({ index, delta: blockDelta(block) })) } : {}),
    },
  };
}

/**
 * Converts content to the text that clients join, where it is one: a list of texts, a list whose other parts are in the content
 * blocks too, or an object, which some services return if JSON was requested. Other lists have the form of the service's streams.
 */
function streamedContent(content: unknown, hasBlocks: boolean): unknown {
  if (isJsonObject(content)) return JSON.stringify(content);
  if (!Array.isArray(content)) return content;
  const texts = content.map(textIn);
  return hasBlocks || !texts.includes(undefined) ? texts.join('') : content;
}

function textIn(part: unknown): string | undefined {
  const text = isJsonObject(part) ? part['text'] : part;
  return typeof text === 'string' ? text : undefined;
}

/** Blocks whose deltas are recognized by their members, and have no type. */
const untyped: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking']);

function blockDelta(block: unknown): unknown {
  if (!isJsonObject(block) || !untyped.has(block['type'])) return block;
  const { type: _type, ...delta } = block;
  return delta;
}
