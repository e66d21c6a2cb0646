import { isPlain, type Plain } from '../../../core/json/merge.ts';
import { cannotCarry } from '../../shared/request/cannot-carry.ts';
import { textOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { assistantMessage } from './assistant.ts';
import { cacheOf } from './cache.ts';
import { chatContent } from './parts.ts';

/** Converts messages of the API to chat messages. A tool result becomes a message of its own. @throws GatewayError */
export function chatMessages(messages: readonly Plain[], drops: Drops): readonly Plain[] {
  return messages.flatMap((message, at) => {
    drops.others(message, members, 'messages[].', 'not known to the messages API');
    switch (message['role']) {
      case 'assistant':
        return [assistantMessage(message, drops)];
      case 'system':
        return systemMessages(message['content'], drops);
      case 'user':
        return userMessages(message['content'], drops);
      default:
        throw cannotCarry(`messages[${at}].role`, `The role "${textOf(message['role']) ?? ''}" is not known.`, 'Use user or assistant.');
    }
  });
}

const members: ReadonlySet<string> = new Set(['role', 'content']);

/** Omits an empty message, such as one that only changed the tools. */
function systemMessages(content: unknown, drops: Drops): readonly Plain[] {
  const parts = chatContent(content, drops);
  return parts.length === 0 ? [] : [{ role: 'system', content: parts }];
}

/** Puts results first, as the API requires, because they belong to the turn before. */
function userMessages(content: unknown, drops: Drops): readonly Plain[] {
  if (!Array.isArray(content)) return [{ role: 'user', content: typeof content === 'string' ? content : '' }];
  const blocks = content.filter(isPlain);
  const results = blocks.filter(isResult).map((block) => toolMessage(block, drops));
  const rest = chatContent(
    blocks.filter((block) => !isResult(block)),
    drops,
  );
  return rest.length === 0 ? results : [...results, { role: 'user', content: rest }];
}

const isResult = ({ type }: Plain): boolean => type === 'tool_result';
const resultMembers: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);

function toolMessage(block: Plain, drops: Drops): Plain {
  drops.others(block, resultMembers, 'messages[].content[].tool_result.', 'not known to other services');
  return {
    role: 'tool',
    tool_call_id: block['tool_use_id'],
    content: chatContent(block['content'], drops),
    ...(block['is_error'] === true ? { is_error: true } : {}),
    ...cacheOf(block),
  };
}
