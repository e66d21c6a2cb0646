import type { DialectCall } from '../../core/dialect.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';

const end = 'data: [DONE]\n\n';
const event = (data: Plain): string => `data: ${JSON.stringify(data)}\n\n`;

/** A whole chat completion as a stream of one chunk; undefined for an object that is none. */
export function chatChunks(answer: Plain, call: DialectCall): string | undefined {
  const { choices, usage, ...rest } = answer;
  if (!areChoices(choices, (choice) => isPlain(choice['message']))) return undefined;
  const shell = { ...rest, object: 'chat.completion.chunk' };
  const usageChunk = call.includeUsage && isPlain(usage) ? event({ ...shell, choices: [], usage }) : '';
  return event({ ...shell, choices: choices.map(deltaChoice) }) + usageChunk + end;
}

/** A whole text completion as a stream of one chunk: both have the same form. */
export function textChunks(answer: Plain): string | undefined {
  return areChoices(answer['choices'], (choice) => typeof choice['text'] === 'string') ? event(answer) + end : undefined;
}

function areChoices(value: unknown, isOne: (choice: Plain) => boolean): value is readonly Plain[] {
  return Array.isArray(value) && value.length > 0 && (value as unknown[]).every((choice) => isPlain(choice) && isOne(choice));
}

function deltaChoice({ message, ...choice }: Plain): Plain {
  const { content, content_blocks: blocks, tool_calls: calls, ...rest } = message as Plain;
  return {
    ...choice,
    delta: {
      ...rest,
      content: Array.isArray(content) ? textOf(content as readonly unknown[]) : content,
      ...(Array.isArray(calls) ? { tool_calls: (calls as unknown[]).map((one, index) => ({ index, ...(one as Plain) })) } : {}),
      ...(Array.isArray(blocks) ? { content_blocks: (blocks as unknown[]).map((delta, index) => ({ index, delta })) } : {}),
    },
  };
}

/** Content that is a list has images too, which are in the blocks of a delta. */
const textOf = (parts: readonly unknown[]): string =>
  parts.map((part) => (isPlain(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
