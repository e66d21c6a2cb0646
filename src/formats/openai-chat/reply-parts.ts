import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { tryParseExact } from '../../core/json/scan.ts';
import type { Call, Translation } from '../../core/provider.ts';
import { partsInOrder } from '../history/assistant-parts.ts';
import { offsetOfValue } from '../shared/json.ts';

const openBracket = 0x5b;

/**
 * Repairs of chat completions whose `content` is a list of parts, which OpenAI's format does not define for responses: client
 * libraries join its deltas to `[object Object]`. The texts become `content`; the thinking becomes `reasoning_content` if the client
 * reads it there, and is left out otherwise. All other members and all other events pass unchanged.
 */
export function replyPartRepairs({ showsReasoning }: Pick<Call, 'showsReasoning'>): Pick<Translation, 'repair' | 'repairEvent'> {
  return {
    repair: (text) => repaired(text, 'message', showsReasoning === true),
    repairEvent: (data) => repaired(data, 'delta', showsReasoning === true),
  };
}

/** Undefined if no content is a list. */
function repaired(text: string, member: 'message' | 'delta', showsReasoning: boolean): string | undefined {
  if (!hasContentList(text)) return undefined;
  const answer = tryParseExact(text);
  if (!isJsonObject(answer) || !Array.isArray(answer['choices'])) return undefined;
  const choices = answer['choices'].map((choice: unknown) => {
    const message = isJsonObject(choice) ? choice[member] : undefined;
    if (!isJsonObject(choice) || !isJsonObject(message) || !Array.isArray(message['content'])) return choice;
    return { ...choice, [member]: joinedParts(message, showsReasoning) };
  });
  return JSON.stringify({ ...answer, choices });
}

/** Also true for lists elsewhere, such as the tokens of `logprobs`: the text is then parsed, and written as it was. */
function hasContentList(text: string): boolean {
  for (let at = offsetOfValue(text, 'content'); at >= 0; at = offsetOfValue(text, 'content', at)) {
    if (text.charCodeAt(at) === openBracket) return true;
  }
  return false;
}

function joinedParts(message: JsonObject, showsReasoning: boolean): JsonObject {
  const { content, ...rest } = message;
  let said = '';
  let thought = '';
  for (const part of partsInOrder({ content })) {
    if (part.kind === 'text') said += part.text;
    else if (part.kind === 'thinking') thought += part.text;
  }
  return { ...rest, content: said, ...(thought === '' || !showsReasoning ? {} : { reasoning_content: thought }) };
}
