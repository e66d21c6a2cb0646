import type { JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from './drops.ts';

/** Fields in which clients send reasoning back in assistant messages. */
export const reasoningNames = ['reasoning_content', 'reasoning'] as const;

/** Records the reasoning of an assistant message that cannot be sent. */
export function dropReasoning(message: JsonObject, drops: Drops, reason: string): void {
  for (const name of reasoningNames) {
    if (message[name] !== undefined && message[name] !== null) drops.add(`messages[].${name}`, reason);
  }
}
