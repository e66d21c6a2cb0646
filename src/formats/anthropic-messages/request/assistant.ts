import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { assistantMembers, type AssistantPart, partsInOrder } from '../../history/assistant-parts.ts';
import { signedBy } from '../../history/signatures.ts';
import { dropReasoning } from '../../shared/request/reasoning.ts';
import { type Block, cacheControlOf, type MessagesConversion, textBlock } from './conversion.ts';
import { pairedBlocks, serverBlock } from './tools/server-blocks.ts';
import { type AssistantPiece, sentCallOf } from './tools/calls.ts';
import { stringOf } from '../../shared/json.ts';

const read: ReadonlySet<string> = new Set([...assistantMembers, 'cache_control']);

const foreignThinking = 'signed by another service';
const missingSignature = 'thinking blocks need their signature';

/**
 * Converts an assistant message to blocks in the order of the model's output. Thinking and redacted blocks are sent back exactly
 * as received.
 */
export function assistantPieces(message: JsonObject, conversion: MessagesConversion, isLast: boolean): readonly AssistantPiece[] {
  const { drops } = conversion;
  if (message['audio'] !== undefined && message['audio'] !== null)
    drops.add('messages[].audio', 'assistant audio is not read by this service');
  drops.addUnread(message, read, 'messages[].');
  const pieces: AssistantPiece[] = [];
  for (const part of partsInOrder(message)) {
    if (part.kind === 'call') {
      pieces.push({ called: sentCallOf(part.call, conversion) });
      continue;
    }
    const block = blockOf(part, conversion);
    if (block !== undefined) pieces.push({ block });
  }
  if (!pieces.some((piece) => 'block' in piece && piece.block['type'] === 'thinking')) dropReasoning(message, drops, missingSignature);
  return withCache(pairedBlocks(pieces, conversion, isLast), message, conversion);
}

function blockOf(part: Exclude<AssistantPart, { kind: 'call' }>, conversion: MessagesConversion): Block | undefined {
  const { drops } = conversion;
  switch (part.kind) {
    case 'text':
      return textOf(part.text, part.from, conversion);
    case 'thinking':
      return thinkingBlock(part, conversion);
    case 'redacted': {
      if (part.data !== '' && conversion.rejectsThinking !== true) return { type: 'redacted_thinking', data: part.data };
      drops.add('messages[].content[].redacted_thinking', part.data === '' ? 'the part is empty' : foreignThinking);
      return undefined;
    }
    case 'other':
      return serverBlock(part.type, part.part, conversion);
    case 'fragment':
      drops.add('messages[].content_blocks', 'the client sent an incomplete block');
      return undefined;
    default:
      return part satisfies never;
  }
}

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'refusal', 'cache_control', 'citations', 'index']);

/** Types of citations that are sent back as received from the API. */
const citation = /^(?:char|page|content_block|web_search_result|search_result)_location$/;

function textOf(text: string, from: JsonObject, { drops }: MessagesConversion): Block | undefined {
  drops.addUnread(from, textMembers, 'messages[].content[].');
  const block = textBlock(text, from);
  const { citations } = from;
  if (!Array.isArray(citations) || citations.length === 0) return block;
  const known = citations.filter((one: unknown) => isJsonObject(one) && citation.test(stringOf(one['type'])));
  if (known.length < citations.length) drops.add('messages[].content[].citations', 'not in the form of this service');
  return block === undefined || known.length === 0 ? block : { ...block, citations: known };
}

function thinkingBlock(
  { text, signature, from }: Extract<AssistantPart, { kind: 'thinking' }>,
  { drops, rejectsThinking }: MessagesConversion,
): Block | undefined {
  const isOwn = signature !== undefined && typeof from['thinking'] === 'string' && signedBy(signature) !== 'gemini';
  if (isOwn && rejectsThinking !== true) return { type: 'thinking', thinking: text, signature };
  drops.add('messages[].content[].thinking', signature === undefined ? missingSignature : foreignThinking);
  return undefined;
}

/** `cache_control` of a message applies to its last call or block. Thinking blocks cannot have it. */
function withCache(pieces: readonly AssistantPiece[], message: JsonObject, { drops }: MessagesConversion): readonly AssistantPiece[] {
  if (message['cache_control'] === undefined || message['cache_control'] === null) return pieces;
  const last = pieces.findLastIndex((piece) => 'called' in piece || !String(piece.block['type']).endsWith('thinking'));
  const piece = pieces[last];
  if (piece === undefined) {
    drops.add('messages[].cache_control', 'the message has no block that can be cached');
    return pieces;
  }
  const mark = cacheControlOf(message);
  return pieces.with(
    last,
    'called' in piece ? { called: { ...piece.called, extra: { ...mark, ...piece.called.extra } } } : { block: { ...mark, ...piece.block } },
  );
}
