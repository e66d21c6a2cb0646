import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { tryParseJson } from '../../core/json/scan.ts';
import { objectOf, stringOf, textOf } from '../shared/json.ts';
import { toolCallerOf } from '../shared/tool-caller.ts';
import { reasoningNames } from '../shared/request/reasoning.ts';
import { placedBlocks } from './blocks.ts';

/** One piece of an assistant message. `from` is the part that the client sent for it. */
export type AssistantPart =
  | { readonly kind: 'text'; readonly text: string; readonly from: JsonObject }
  | { readonly kind: 'thinking'; readonly text: string; readonly signature: string | undefined; readonly from: JsonObject }
  | { readonly kind: 'redacted'; readonly data: string; readonly from: JsonObject }
  /** In the form of `tool_calls`. */
  | { readonly kind: 'call'; readonly call: JsonObject }
  /** Files, and steps of tools that ran at a service. */
  | { readonly kind: 'other'; readonly type: string; readonly part: JsonObject }
  /** A fragment of a block. Some clients join a stream by keeping only the last value of each member, which leaves fragments. */
  | { readonly kind: 'fragment' };

/** Members of an assistant message that every format reads, or drops with a reason of its own. */
export const assistantMembers = [
  'role',
  'content',
  'content_blocks',
  'tool_calls',
  'function_call',
  'refusal',
  'audio',
  ...reasoningNames,
] as const;

/**
 * Returns the parts of an assistant message in their order. `content`, `content_blocks` and the calls describe the same message,
 * and services differ in which of them they accept. `content_blocks` has everything that `content` has and more, so it is
 * preferred unless the client has changed the text of `content`.
 */
export function partsInOrder(message: JsonObject): readonly AssistantPart[] {
  const calls = callsOf(message);
  const own = partsOf(message['content']);
  const extra = message['content_blocks'];
  const placed = Array.isArray(extra) ? placedBlocks(extra) : [];
  const blocks = placed.map(({ block, gap }) => ({ piece: assistantPartOf(block), gap }));
  const isWhole = blocks.length > 0 && (textIn(own) === '' || textIn(own) === textIn(blocks.map(({ piece }) => piece)));
  const order = new PartOrder(calls);
  if (isWhole) for (const { piece, gap } of blocks) order.add(piece, gap);
  else {
    for (const { piece } of blocks) if (piece.kind !== 'text') order.add(piece, 0);
    for (const piece of own) order.add(piece, 0);
  }
  const last = trailingText(message, order.out);
  if (last !== undefined) order.add(last, 0);
  return order.finish();
}

/** Restores the position of calls among the other parts. */
class PartOrder {
  readonly out: AssistantPart[] = [];
  readonly #calls: readonly JsonObject[];
  readonly #placed = new Set<JsonObject>();
  /** Unplaced calls by id, the last one first. */
  readonly #byId = new Map<unknown, JsonObject[]>();
  #next = 0;

  constructor(calls: readonly JsonObject[]) {
    this.#calls = calls;
    for (const call of calls.toReversed()) {
      const same = this.#byId.get(call['id']);
      if (same === undefined) this.#byId.set(call['id'], [call]);
      else same.push(call);
    }
  }

  add(piece: AssistantPart, gap: number): void {
    for (let n = 0; n < gap && this.#first(); n += 1);
    if (piece.kind !== 'call') {
      this.out.push(piece);
      return;
    }
    // A native block of a call marks the position of the same call in `tool_calls`.
    const same = this.#byId.get(piece.call['id']);
    if (same === undefined) {
      this.out.push(piece);
      return;
    }
    let call = same.pop();
    while (call !== undefined && this.#placed.has(call)) call = same.pop();
    if (call !== undefined) this.#place(call);
  }

  finish(): readonly AssistantPart[] {
    while (this.#first());
    return this.out;
  }

  /** Places the first unplaced call. */
  #first(): boolean {
    for (; this.#next < this.#calls.length; this.#next += 1) {
      const call = this.#calls[this.#next];
      if (call === undefined || this.#placed.has(call)) continue;
      this.#place(call);
      return true;
    }
    return false;
  }

  #place(call: JsonObject): void {
    this.#placed.add(call);
    this.out.push({ kind: 'call', call });
  }
}

/**
 * Collects the calls from the legacy `function_call` and from `tool_calls`. Some services and clients write one call in both, or
 * an empty `function_call` next to the list.
 */
function callsOf(message: JsonObject): readonly JsonObject[] {
  const list = message['tool_calls'];
  const calls = Array.isArray(list)
    ? list.filter(isJsonObject).filter((call) => isJsonObject(call['function']) || isJsonObject(call['custom']))
    : [];
  const single = message['function_call'];
  if (!isJsonObject(single)) return calls;
  const isListed = calls.map((call) => call['function']).some(sameAs(single));
  return isListed || (calls.length > 0 && stringOf(single['name']) === '') ? calls : [{ function: single }, ...calls];
}

/**
 * Compares loosely: the two copies of a call may differ in the order of members, in additional members, and in the white space of
 * the arguments.
 */
function sameAs(single: JsonObject): (fn: unknown) => boolean {
  const text = stringOf(single['arguments']);
  /** Computed once: there may be many calls. */
  let plain: string | undefined;
  return (fn) => {
    if (!isJsonObject(fn) || fn['name'] !== single['name']) return false;
    const own = stringOf(fn['arguments']);
    return own === text || plainText(own) === (plain ??= plainText(text));
  };
}

/** Removes white space from JSON. Text that is not JSON is returned unchanged. */
function plainText(json: string): string {
  const value = tryParseJson(json);
  return value === undefined ? json : JSON.stringify(value);
}

/** Reads content: a text, a list of parts, or the object that some services return if JSON was requested. */
function partsOf(content: unknown): readonly AssistantPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content, from: {} }];
  if (isJsonObject(content)) return [{ kind: 'text', text: JSON.stringify(content), from: {} }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown): readonly AssistantPart[] => {
    if (typeof part === 'string') return partsOf(part);
    return isJsonObject(part) ? [assistantPartOf(part)] : [];
  });
}

/** Returns the refusal or, if there is no text, the transcript of the audio. */
function trailingText(message: JsonObject, pieces: readonly AssistantPart[]): AssistantPart | undefined {
  const refusal = textOf(message['refusal']);
  if (refusal !== undefined) return { kind: 'text', text: refusal, from: { type: 'refusal' } };
  const audio = message['audio'];
  const transcript = isJsonObject(audio) && textIn(pieces) === '' ? textOf(audio['transcript']) : undefined;
  return transcript === undefined ? undefined : { kind: 'text', text: transcript, from: {} };
}

/** Joins the texts of a list, without refusals. */
const textIn = (pieces: readonly AssistantPart[]): string =>
  pieces.map((one) => (one.kind === 'text' && one.from['type'] !== 'refusal' ? one.text : '')).join('');

function assistantPartOf(part: JsonObject): AssistantPart {
  const type = textOf(part['type']) ?? guessed(part);
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { kind: 'text', text: stringOf(part['text']), from: part };
    case 'refusal':
      return { kind: 'text', text: stringOf(part['refusal']), from: part };
    case 'thinking':
    case 'reasoning':
      return { kind: 'thinking', text: thoughtIn(part), signature: textOf(part['signature']), from: part };
    case 'redacted_thinking':
      return { kind: 'redacted', data: stringOf(part['data']), from: part };
    case 'tool_use':
      return { kind: 'call', call: callOf(part) };
    case '':
      return { kind: 'fragment' };
    default:
      return { kind: 'other', type, part: part['type'] === undefined ? { type, ...part } : part };
  }
}

/** Blocks that a client joined from the deltas of a stream have no `type`, so it is derived from their members. */
function guessed(part: JsonObject): string {
  if (typeof part['thinking'] === 'string') return 'thinking';
  if (typeof part['data'] === 'string') return 'redacted_thinking';
  if (typeof part['text'] === 'string') return 'text';
  return part['image_url'] === undefined ? '' : 'image_url';
}

/** Reads a text, or the list of texts that some services send instead. */
function thoughtIn(part: JsonObject): string {
  const thought = part['thinking'] ?? part['summary'];
  if (!Array.isArray(thought)) return stringOf(thought);
  return thought
    .filter(isJsonObject)
    .map((one) => stringOf(one['text']))
    .join('');
}

/** Converts Anthropic's `tool_use` block to a call in OpenAI's form. */
function callOf({ type: _type, id, name, input, caller, ...rest }: JsonObject): JsonObject {
  const fn = { name, arguments: JSON.stringify(objectOf(input)) };
  return { id, type: 'function', function: fn, ...rest, ...toolCallerOf({ caller }) };
}
