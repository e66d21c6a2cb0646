import type { Plain } from '../../core/json/merge.ts';
import type { Call } from '../../core/provider.ts';
import type { Drops } from './drops.ts';

/**
 * The thoughts of an answer as one text beside the content: `reasoning_content` (DeepSeek API, chat completions; vLLM),
 * which most clients show. Joined without a separator, as a client joins the deltas of the same stream.
 */
export function reasoningFields({ showsReasoning }: Pick<Call, 'showsReasoning'>, thoughts: () => readonly string[]): Plain {
  if (showsReasoning !== true) return nothing;
  const text = thoughts().join('');
  return text === '' ? nothing : { reasoning_content: text };
}

const nothing: Plain = Object.freeze({});

/** The fields under which clients send thoughts back in assistant messages. */
export const reasoningNames = ['reasoning_content', 'reasoning'] as const;

/** Names the thoughts of an assistant message that cannot go along. */
export function dropReasoning(message: Plain, drops: Drops, reason: string): void {
  for (const name of reasoningNames) {
    if (message[name] !== undefined && message[name] !== null) drops.add(`messages[].${name}`, reason);
  }
}
