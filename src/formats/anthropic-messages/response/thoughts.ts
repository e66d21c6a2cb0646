import type { JsonBody } from '../../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Note } from '../../../core/model/notes.ts';
import type { Call } from '../../../core/provider.ts';
import { parseExact } from '../../../core/json/scan.ts';
import { withExact } from '../../shared/exact.ts';
import { claudeTraitsOf } from '../request/model.ts';
import { objectsIn, stringOf } from '../../shared/json.ts';

/** Maximum length of the blocks before one call, in characters. Longer ones are not remembered. */
const longest = 1024 * 1024;
/** Overhead that is counted per block, in characters. */
const blockSize = 128;

type Block = Record<string, unknown>;

/**
 * Collects the signed thinking before each tool call, and the text between. With thinking on, the API rejects a turn with calls
 * if its thinking is missing (Anthropic, Messages API, extended thinking with tool use), and clients of chat completions do not
 * send it back.
 */
export class ThoughtNotes {
  /** By block number, in order. Empty until the first thinking block. */
  readonly #blocks = new Map<number, Block>();
  #size = 0;

  /** Starts a block. Returns a note if the block is a call with thinking before it. */
  begin(index: number, content: unknown): Note | undefined {
    if (!isJsonObject(content)) return undefined;
    switch (content['type']) {
      case 'thinking':
        this.#store(index, { type: 'thinking', thinking: stringOf(content['thinking']), signature: stringOf(content['signature']) });
        return undefined;
      case 'redacted_thinking':
        this.#store(index, { type: 'redacted_thinking', data: content['data'] });
        return undefined;
      case 'text':
        if (this.#blocks.size > 0) this.#store(index, { type: 'text', text: stringOf(content['text']) });
        return undefined;
      case 'tool_use':
        return this.#blocks.size === 0 ? undefined : this.#noteFor(content['id']);
      default:
        return undefined;
    }
  }

  delta(index: number, delta: unknown): void {
    const block = this.#blocks.get(index);
    if (block === undefined || !isJsonObject(delta)) return;
    for (const member of ['thinking', 'signature', 'text'] as const) {
      if (typeof delta[member] === 'string') block[member] = stringOf(block[member]) + delta[member];
    }
    this.#grow(delta);
  }

  #store(index: number, block: Block): void {
    this.#blocks.set(index, block);
    this.#size += blockSize;
    this.#grow(block);
  }

  #grow(members: JsonObject): void {
    for (const value of Object.values(members)) if (typeof value === 'string') this.#size += value.length;
    if (this.#size > longest) this.#forget();
  }

  #forget(): void {
    this.#blocks.clear();
    this.#size = 0;
  }

  #noteFor(id: unknown): Note | undefined {
    const signedBlocks = [...this.#blocks.values()].filter((block) => block['type'] !== 'thinking' || block['signature'] !== '');
    this.#forget();
    if (typeof id !== 'string' || !signedBlocks.some(isThought)) return undefined;
    return { id, text: JSON.stringify(signedBlocks) };
  }
}

/** Restores the remembered thinking in the assistant messages of a chat body. */
export function withStoredThinking(body: JsonBody, call: Pick<Call, 'model' | 'foundationModel' | 'notes'>): JsonObject {
  // Numbers in tool schemas keep their digits, for example limits such as the largest 64-bit integer.
  const parsed = withExact(body.json(), body, 'tools');
  // So do those in calls that are blocks: the arguments of other calls are text.
  const chat = body.mentions('_use"') ? withExact(parsed, body, 'messages') : parsed;
  if (!mayThink(body, call)) return chat;
  const { notes } = call;
  const ids = notes === undefined ? nothing : callsWithoutThoughts(chat);
  return ids.length === 0 ? chat : withThoughts(chat, notes?.recall(ids));
}

const nothing: readonly never[] = Object.freeze([]);

/** True if the model may think and the history contains calls. */
function mayThink(body: JsonBody, call: Pick<Call, 'model' | 'foundationModel'>): boolean {
  if (!body.mentions('"tool_calls"')) return false;
  if (body.has('thinking') || body.has('reasoning_effort')) return true;
  return claudeTraitsOf(call.foundationModel ?? call.model).rejectedThinkingTypes.includes('disabled');
}

function callsWithoutThoughts(body: JsonObject): readonly string[] {
  const ids = new Set<string>();
  for (const message of objectsIn(body['messages'])) {
    if (message['role'] !== 'assistant' || hasThoughts(message)) continue;
    for (const { id } of objectsIn(message['tool_calls'])) if (typeof id === 'string') ids.add(id);
  }
  return [...ids];
}

/** Adds the known thinking to assistant messages, using each id once. Returns the same body if none is known. */
function withThoughts(body: JsonObject, known: ReadonlyMap<string, string> | undefined): JsonObject {
  if (known === undefined || known.size === 0) return body;
  const remaining = new Map(known);
  const messages = objectsIn(body['messages']).map((message) =>
    message['role'] === 'assistant' && !hasThoughts(message) ? withThinkingBlocks(message, remaining) : message,
  );
  return { ...body, messages };
}

/**
 * Builds the blocks of a message in their order, in which each call marks its position. If the client has changed the text, it is
 * placed before the first call.
 */
function withThinkingBlocks(message: JsonObject, remaining: Map<string, string>): JsonObject {
  const blocks: JsonObject[] = [];
  for (const { id, function: fn } of objectsIn(message['tool_calls'])) {
    const text = typeof id === 'string' ? remaining.get(id) : undefined;
    if (typeof id !== 'string' || text === undefined) continue;
    remaining.delete(id);
    const name = isJsonObject(fn) ? fn['name'] : undefined;
    blocks.push(...(parseExact(text) as JsonObject[]), { type: 'tool_use', id, name, input: {} });
  }
  if (blocks.length === 0) return message;
  const clientBlocks = objectsIn(message['content_blocks']);
  const { content } = message;
  if (clientBlocks.length === 0 && joined(blocks) === joined(content)) return { ...message, content_blocks: blocks };
  const rest = blocks.filter((block) => block['type'] !== 'text');
  if (clientBlocks.length > 0 || typeof content !== 'string' || content === '')
    return { ...message, content_blocks: [...rest, ...clientBlocks] };
  const first = rest.findIndex((block) => block['type'] === 'tool_use');
  return { ...message, content_blocks: rest.toSpliced(first, 0, { type: 'text', text: content }) };
}

const isThought = (part: JsonObject): boolean =>
  part['type'] === 'thinking' ||
  part['type'] === 'redacted_thinking' ||
  (part['type'] === undefined && (typeof part['thinking'] === 'string' || typeof part['data'] === 'string'));

const hasThoughts = (message: JsonObject): boolean =>
  objectsIn(message['content']).some(isThought) || objectsIn(message['content_blocks']).some(isThought);

const joined = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objectsIn(content)
        .map((part) => stringOf(part['text']))
        .join('');
