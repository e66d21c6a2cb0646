import type { JsonObject } from '../../core/json/merge.ts';

/** Puts the results of a step directly after its calls, as chat services require, also if texts of the user are between them. */
export function resultsFirst(messages: readonly JsonObject[]): readonly JsonObject[] {
  const out: JsonObject[] = [];
  let others: JsonObject[] = [];
  let hasCalls = false;
  for (const message of messages) {
    if (message['role'] === 'assistant') {
      out.push(...others, message);
      others = [];
      hasCalls = message['tool_calls'] !== undefined;
    } else (hasCalls && message['role'] === 'tool' ? out : others).push(message);
  }
  return [...out, ...others];
}
