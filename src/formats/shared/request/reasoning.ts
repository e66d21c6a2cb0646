import type { Plain } from '../../../core/json/merge.ts';
import type { Drops } from './drops.ts';

/** The fields under which clients send thoughts back in assistant messages. */
export const reasoningNames = ['reasoning_content', 'reasoning'] as const;

/** Names the thoughts of an assistant message that cannot go along. */
export function dropReasoning(message: Plain, drops: Drops, reason: string): void {
  for (const name of reasoningNames) {
    if (message[name] !== undefined && message[name] !== null) drops.add(`messages[].${name}`, reason);
  }
}
