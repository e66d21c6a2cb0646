import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import { stringOf, textOf } from '../../shared/json.ts';
import { resultsFirst } from '../../history/results-first.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { assistantMessage } from './assistant.ts';
import { cacheOf } from './cache.ts';
import { chatContent } from './parts.ts';

/** Converts messages of the API to chat messages. A tool result becomes a message of its own. @throws GatewayError */
export function chatMessages(messages: readonly JsonObject[], drops: Drops): readonly JsonObject[] {
  const made = messages.flatMap((message, at) => {
    drops.addUnread(message, members, 'messages[].');
    switch (message['role']) {
      case 'assistant':
        return [assistantMessage(message, drops)];
      case 'system':
        return systemMessages(message['content'], drops);
      case 'user':
        return userMessages(message['content'], drops);
      default:
        throw unsupportedParameter(
          `messages[${at}].role`,
          `The role "${textOf(message['role']) ?? ''}" is not known.`,
          'Use user or assistant.',
        );
    }
  });
  return resultsFirst(made);
}

const members: ReadonlySet<string> = new Set(['role', 'content']);

/** Omits an empty message, such as one that only changed the tools. */
function systemMessages(content: unknown, drops: Drops): readonly JsonObject[] {
  const parts = chatContent(content, drops);
  return parts.length === 0 ? [] : [{ role: 'system', content: parts }];
}

/** Puts results first, as the API requires, because they belong to the turn before. */
function userMessages(content: unknown, drops: Drops): readonly JsonObject[] {
  if (!Array.isArray(content)) return [{ role: 'user', content: stringOf(content) }];
  const blocks = content.filter(isJsonObject);
  const results = blocks.filter(isResult).map((block) => toolMessage(block, drops));
  const rest = chatContent(
    blocks.filter((block) => !isResult(block)),
    drops,
  );
  return rest.length === 0 ? results : [...results, { role: 'user', content: rest }];
}

const isResult = ({ type }: JsonObject): boolean => type === 'tool_result';
const resultMembers: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);

function toolMessage(block: JsonObject, drops: Drops): JsonObject {
  drops.addUnread(block, resultMembers, 'messages[].content[].tool_result.');
  return {
    role: 'tool',
    tool_call_id: block['tool_use_id'],
    content: chatContent(block['content'], drops),
    ...(block['is_error'] === true ? { is_error: true } : {}),
    ...cacheOf(block),
  };
}
