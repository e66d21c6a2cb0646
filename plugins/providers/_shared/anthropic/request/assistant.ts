import { isPlain, type Plain } from '#core/merge.ts';
import { dropReasoning } from '../../reasoning.ts';
import { type Block, type Conversion, cacheOf, textBlock } from './conversion.ts';
import { type Called, calledIn, textIn } from './tool-calls.ts';

/** What the caller sends back of an earlier answer. */
export interface Answered {
  readonly blocks: readonly Block[];
  readonly calls: readonly Called[];
}

const unsigned = 'thoughts are taken back with their signature only';

/**
 * An assistant message as blocks: thinking and redacted blocks come back exactly as they were given out, text stands
 * beside calls. `content_blocks` holds all that `content` says and more, so it is preferred.
 */
export function assistantBlocks(message: Plain, conversion: Conversion): Answered {
  const calls = calledIn(message);
  const parts = partsOf(message);
  const blocks: Block[] = [];
  for (const part of parts) {
    const type = typeOf(part);
    if (type === 'tool_use') addUse(part, calls);
    else {
      const block = blockOf(type, part, conversion);
      if (block !== undefined) blocks.push(block);
    }
  }
  const refusal = textBlock(message['refusal']);
  if (refusal !== undefined) blocks.push(refusal);
  if (message['audio'] !== undefined && message['audio'] !== null)
    conversion.drops.add('messages[].audio', 'assistant audio is not read by this service');
  if (!blocks.some((block) => block['type'] === 'thinking')) dropReasoning(message, conversion.drops, unsigned);
  return { blocks: withCache(blocks, message), calls };
}

function partsOf(message: Plain): readonly Plain[] {
  const { content } = message;
  const own = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content.filter(isPlain) : [];
  const extra = message['content_blocks'];
  if (!Array.isArray(extra) || extra.length === 0) return own;
  const blocks = extra.filter(isPlain);
  return blocks.some((block) => typeOf(block) === 'text') ? blocks : [...blocks, ...own.filter((part) => typeOf(part) === 'text')];
}

/** Blocks that a client put together from a stream's deltas have no `type`: their members tell it. */
function typeOf(part: Plain): string {
  if (typeof part['type'] === 'string') return part['type'];
  if (typeof part['thinking'] === 'string') return 'thinking';
  if (typeof part['data'] === 'string') return 'redacted_thinking';
  return 'text';
}

function blockOf(type: string, part: Plain, { drops }: Conversion): Block | undefined {
  switch (type) {
    case 'text': {
      const block = textBlock(part['text'], part);
      return block !== undefined && Array.isArray(part['citations']) ? { ...block, citations: part['citations'] } : block;
    }
    case 'refusal':
      return textBlock(part['refusal']);
    case 'thinking':
      if (typeof part['signature'] === 'string' && part['signature'] !== '') {
        return { type: 'thinking', thinking: textIn(part['thinking']), signature: part['signature'] };
      }
      drops.add('messages[].content[].thinking', unsigned);
      return undefined;
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: part['data'] };
    case 'image_url':
    case 'input_audio':
    case 'file':
      drops.add(`messages[].content[].${type}`, 'assistant messages hold no files on this service');
      return undefined;
    default:
      // Blocks of the API's own tools: they go back as they came.
      return part;
  }
}

/** A native block of a call; the same call in `tool_calls` stands for it. */
function addUse(part: Plain, calls: Called[]): void {
  const id = textIn(part['id']);
  if (calls.some((call) => call.id === id)) return;
  calls.push({ id, name: textIn(part['name']), input: isPlain(part['input']) ? part['input'] : {}, extra: cacheOf(part) });
}

/** `cache_control` beside a message's content belongs to its last block; thoughts can't carry it. */
export function withCache(blocks: readonly Block[], message: Plain): readonly Block[] {
  const last = blocks.at(-1);
  if (message['cache_control'] === undefined || last === undefined || String(last['type']).endsWith('thinking')) return blocks;
  return [...blocks.slice(0, -1), { ...cacheOf(message), ...last }];
}
