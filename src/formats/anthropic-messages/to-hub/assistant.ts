import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { stringOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { toolCallerOf } from '../../shared/tool-caller.ts';
import { cacheOf } from './cache.ts';
import { readableBlocks, turnMessage } from './turn.ts';

/** Converts an assistant turn. */
export function assistantMessage({ content }: JsonObject, drops: Drops): JsonObject {
  if (!Array.isArray(content)) return { role: 'assistant', content: stringOf(content) };
  const { blocks, details } = readableBlocks(content.filter(isJsonObject));
  for (const block of blocks) if (block['type'] === 'text') drops.addUnread(block, textMembers, 'messages[].content[].');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => callOf(block, drops));
  return turnMessage({ blocks, calls, details });
}

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'citations', 'cache_control']);
const callMembers: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']);

function callOf(block: JsonObject, drops: Drops): JsonObject {
  drops.addUnread(block, callMembers, 'messages[].content[].tool_use.');
  const { id, name, input } = block;
  if (toolCallerOf(block).caller !== undefined) drops.add('messages[].content[].tool_use.caller');
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) }, ...cacheOf(block) };
}
