import type { JsonObject } from '../../../core/json/merge.ts';
import { keptIn } from '../../history/kept-content.ts';
import { keptDetail } from '../../history/reasoning-details.ts';
import { stringOf } from '../../shared/json.ts';
import { isForeignThought, nativeCitations } from '../placeholders.ts';
import { cacheOf } from './cache.ts';

/** A turn of the assistant in blocks of the messages API. */
export interface Turn {
  /** In order. A `tool_use` block only marks the position of a call. */
  readonly blocks: readonly JsonObject[];
  /** In the form of `tool_calls`. */
  readonly calls: readonly JsonObject[];
  /** Details of the reasoning that a service sent, and that only the same service can read. */
  readonly details: readonly JsonObject[];
}

/** Separates the details of other services from blocks, and removes the placeholders that the gateway wrote into them. */
export function readableBlocks(given: readonly JsonObject[]): Pick<Turn, 'blocks' | 'details'> {
  return {
    blocks: given.filter((block) => !isEncrypted(block)).map(readable),
    details: given.map(keptDetail).filter((detail) => detail !== undefined),
  };
}

/** Encrypted reasoning of another service is only in `reasoning_details`. What the gateway kept is read later. */
const isEncrypted = (block: JsonObject): boolean =>
  block['type'] === 'redacted_thinking' && isForeignThought(block) && keptIn(block['data']) === undefined;

/** Also removes `citations: null`, which client libraries send back. */
function readable(block: JsonObject): JsonObject {
  if (block['type'] === 'thinking' && isForeignThought(block)) return { type: 'thinking', thinking: block['thinking'] };
  const { citations, ...rest } = block;
  if (citations === null) return rest;
  if (!Array.isArray(citations)) return block;
  const own = nativeCitations(citations);
  return own.length === 0 ? rest : { ...rest, citations: own };
}

/**
 * Builds the message of a turn in the common format: text and calls in the members that every service reads. If the turn has more
 * (thinking, steps of the API's own tools, text after calls), all blocks are also in `content_blocks` in their order, and the
 * thinking as one text in `reasoning_content`.
 */
export function turnMessage({ blocks, calls, details }: Turn): JsonObject {
  const texts = blocks.filter(({ type }) => type === 'text');
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

/** True if there are only texts, followed by calls. */
function isInOrder(blocks: readonly JsonObject[]): boolean {
  const lastText = blocks.findLastIndex(({ type }) => type === 'text');
  return blocks.every(
    ({ type, citations, signature }, at) =>
      (type === 'text' && citations === undefined && signature === undefined) || (type === 'tool_use' && at > lastText),
  );
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
