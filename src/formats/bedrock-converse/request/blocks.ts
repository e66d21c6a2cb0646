import type { Block } from '../../anthropic-messages/request/conversion.ts';
import type { Turn } from '../../anthropic-messages/request/turns.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { fromHubCitation } from '../citations.ts';
import { converseType } from './files.ts';
import { objectsIn } from '../../shared/json.ts';

/** What the conversion of the blocks of a messages request depends on. */
export interface BlockContext {
  readonly drops: Drops;
  /** True if the model supports cache points. */
  readonly caches: boolean;
}

/** Converts the turns of a messages request to messages of Converse. */
export const converseMessages = (turns: readonly Turn[], to: BlockContext): readonly JsonObject[] =>
  turns.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? [{ text: content }] : withText(blocksOf(content, to)),
  }));

/** Adds a text to documents without one, which the service rejects (Bedrock API, "Message"). It also rejects white space. */
const withText = (content: readonly JsonObject[]): readonly JsonObject[] =>
  content.some(({ document }) => document !== undefined) && content.every(({ text }) => text === undefined)
    ? [...content, { text: 'See the document.' }]
    : content;

/** Converts blocks in order, with each cache point after its block. */
export const blocksOf = (blocks: readonly Block[], to: BlockContext): JsonObject[] =>
  blocks.flatMap((one) => withCachePoint(converseBlock(one, to), one, to));

/** Adds a cache point after an object that has `cache_control`. */
export function withCachePoint(made: JsonObject, { cache_control: mark }: JsonObject, { drops, caches }: BlockContext): JsonObject[] {
  if (mark === undefined || mark === null) return [made];
  if (!caches) {
    drops.add('cache_control', 'this model does not support prompt caching');
    return [made];
  }
  return [made, { cachePoint: cachePoint(mark) }];
}

/** Builds the cache point, with its lifetime if one is given. */
function cachePoint(mark: unknown): JsonObject {
  const ttl = isJsonObject(mark) ? mark['ttl'] : undefined;
  return { type: 'default', ...(ttl === '5m' || ttl === '1h' ? { ttl } : {}) };
}

function converseBlock(block: Block, to: BlockContext): JsonObject {
  switch (block['type']) {
    case converseType:
      return block['block'] as JsonObject;
    case 'tool_use':
      return { toolUse: { toolUseId: toolUseId(block['id']), name: String(block['name']).slice(0, longestId), input: block['input'] } };
    case 'tool_result':
      return { toolResult: toolResult(block, to) };
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: block['thinking'], signature: block['signature'] } } };
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: Buffer.from(String(block['data']), 'utf8').toString('base64') } };
    default:
      return textBlock(block, to);
  }
}

function textBlock({ text, citations }: Block, { drops }: BlockContext): JsonObject {
  const cited = objectsIn(citations);
  const known = cited.map(fromHubCitation).filter((one) => one !== undefined);
  if (known.length < cited.length) drops.add('messages[].content[].citations', 'not in the form of this service');
  return known.length === 0 ? { text } : { citationsContent: { content: [{ text }], citations: known } };
}

/**
 * Cache marks inside a result apply to the whole result and were moved there before. An empty result becomes a text: the service
 * rejects it for an error, and some models always do.
 */
function toolResult({ tool_use_id: id, content, is_error: isError }: Block, to: BlockContext): JsonObject {
  const blocks = typeof content === 'string' ? (content.trim() === '' ? [] : [{ type: 'text', text: content }]) : (content as Block[]);
  const made = blocks.map((one) => converseBlock(one, to));
  return {
    toolUseId: toolUseId(id),
    content: made.length > 0 ? made : [{ text: isError === true ? 'The tool failed.' : 'The tool returned nothing.' }],
    ...(isError === true ? { status: 'error' } : {}),
  };
}

/** Maximum length of a call id and of a tool name, in characters (Converse API, ToolUseBlock). */
const longestId = 64;

/** Ids of other services may be longer. The end is kept, because it makes them unique. */
const toolUseId = (id: unknown): string => String(id).slice(-longestId);
