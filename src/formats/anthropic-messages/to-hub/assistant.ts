import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { keptIn, signLastText, signedCall, signedPieceIn } from '../../history/kept-content.ts';
import { stringOf, textOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { toolCallerOf } from '../../shared/tool-caller.ts';
import { cacheOf } from './cache.ts';
import { readableBlocks, turnMessage } from './turn.ts';

/** Converts an assistant turn. */
export function assistantMessage({ content }: JsonObject, drops: Drops): JsonObject {
  if (!Array.isArray(content)) return { role: 'assistant', content: stringOf(content) };
  const { blocks, details } = readableBlocks(content.filter(isJsonObject));
  for (const block of blocks) if (block['type'] === 'text') drops.addUnread(block, textMembers, 'messages[].content[].');
  const turn = new SignedTurn(drops);
  for (const block of blocks) turn.add(block);
  return turnMessage({ blocks: turn.blocks, calls: turn.calls, details });
}

/** Blocks and calls of a turn, with the signatures that are kept in blocks of encrypted reasoning. */
class SignedTurn {
  readonly blocks: JsonObject[] = [];
  readonly calls: JsonObject[] = [];
  readonly #drops: Drops;
  /** Signature of the next call. */
  #signature: string | undefined;

  constructor(drops: Drops) {
    this.#drops = drops;
  }

  add(block: JsonObject): void {
    const kept = block['type'] === 'redacted_thinking' ? keptIn(block['data']) : undefined;
    const piece = kept?.kept === 'text' ? signedPieceIn(kept.value) : undefined;
    if (piece !== undefined && !signLastText(this.blocks, piece))
      this.#drops.add(redactedThinking, 'the text that it belongs to was changed');
    if (kept?.kept === 'next') this.#signature = textOf(kept.value);
    if (kept !== undefined) return;
    this.blocks.push(block);
    if (block['type'] !== 'tool_use') return;
    this.calls.push({ ...callOf(block, this.#drops), ...signedCall(this.#signature) });
    this.#signature = undefined;
  }
}

const redactedThinking = 'messages[].content[].redacted_thinking.data';

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'citations', 'cache_control']);
const callMembers: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']);

function callOf(block: JsonObject, drops: Drops): JsonObject {
  drops.addUnread(block, callMembers, 'messages[].content[].tool_use.');
  const { id, name, input } = block;
  if (toolCallerOf(block).caller !== undefined) drops.add('messages[].content[].tool_use.caller');
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) }, ...cacheOf(block) };
}
