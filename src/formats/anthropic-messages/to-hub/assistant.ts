import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { keptDetail } from '../../history/reasoning-details.ts';
import { isForeignThought, nativeCitations } from '../placeholders.ts';
import { cacheOf } from './cache.ts';
import { stringOf } from '../../shared/json.ts';

/**
 * Converts an assistant turn: text and calls in the members that every service reads. If the turn has more (thinking, steps of
 * the API's own tools, text after calls), all blocks are also in `content_blocks` in their order, and the thinking as one text in
 * `reasoning_content`. Details of the reasoning that a service sent, and that only the same service can read, are in
 * `reasoning_details`.
 */
export function assistantMessage({ content }: JsonObject, drops: Drops): JsonObject {
  if (!Array.isArray(content)) return { role: 'assistant', content: stringOf(content) };
  const given = content.filter(isJsonObject);
  const details = given.map(keptDetail).filter((detail) => detail !== undefined);
  const blocks = given.filter((block) => !isEncrypted(block)).map(readable);
  const texts = blocks.filter(({ type }) => type === 'text');
  for (const block of texts) drops.addUnread(block, textMembers, 'messages[].content[].', 'not known to other services');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => callOf(block, drops));
  const thoughts = blocks.map(({ type, thinking }) => (type === 'thinking' && typeof thinking === 'string' ? thinking : '')).join('');
  const isPlainTurn = isInOrder(blocks);
  const text = texts.map((block) => stringOf(block['text'])).join('');
  return {
    role: 'assistant',
    content: texts.length === 0 && blocks.length > 0 ? null : isPlainTurn ? plainContent(texts) : text,
    ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(isPlainTurn ? {} : { content_blocks: blocks.map(placed) }),
  };
}

/** Encrypted reasoning of another service is only in `reasoning_details`. */
const isEncrypted = (block: JsonObject): boolean => block['type'] === 'redacted_thinking' && isForeignThought(block);

/** Removes the placeholders that the gateway wrote into a block, and `citations: null`, which client libraries send back. */
function readable(block: JsonObject): JsonObject {
  if (isForeignThought(block)) return { type: 'thinking', thinking: block['thinking'] };
  const { citations, ...rest } = block;
  if (citations === null) return rest;
  if (!Array.isArray(citations)) return block;
  const own = nativeCitations(citations);
  return own.length === 0 ? rest : { ...rest, citations: own };
}

/** True if there are only texts, followed by calls. */
function isInOrder(blocks: readonly JsonObject[]): boolean {
  const lastText = blocks.findLastIndex(({ type }) => type === 'text');
  return blocks.every(({ type, citations }, at) => (type === 'text' && citations === undefined) || (type === 'tool_use' && at > lastText));
}

function plainContent(texts: readonly JsonObject[]): unknown {
  const [only] = texts;
  if (only === undefined) return '';
  if (texts.length === 1 && (only['cache_control'] ?? undefined) === undefined) return only['text'];
  return texts.map((block) => ({ type: 'text', text: block['text'], ...cacheOf(block) }));
}

/** A call only marks its position here. Its input is in the list of calls. */
const placed = (block: JsonObject): JsonObject =>
  block['type'] === 'tool_use' ? { type: 'tool_use', id: block['id'], name: block['name'], input: {} } : block;

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'citations', 'cache_control']);
const callMembers: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']);

function callOf(block: JsonObject, drops: Drops): JsonObject {
  drops.addUnread(block, callMembers, 'messages[].content[].tool_use.', 'not known to other services');
  const { id, name, input, caller } = block;
  // The API sends `caller` with each call. `direct` means that the model made it, so nothing is lost.
  if (isJsonObject(caller) && caller['type'] !== 'direct') drops.add('messages[].content[].tool_use.caller', 'not known to other services');
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) }, ...cacheOf(block) };
}
