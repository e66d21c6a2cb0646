import { isPlain, type Plain } from '../../core/json/merge.ts';
import { parsedJson } from '../../core/json/scan.ts';
import { stringOf, textOf } from '../shared/json.ts';
import { reasoningNames } from '../shared/request/reasoning.ts';
import { placedBlocks } from './blocks.ts';

/** One piece of what an assistant said. `from` is what the client sent for it. */
export type AssistantPart =
  | { readonly kind: 'text'; readonly text: string; readonly from: Plain }
  | { readonly kind: 'thinking'; readonly text: string; readonly signature: string | undefined; readonly from: Plain }
  | { readonly kind: 'redacted'; readonly data: string; readonly from: Plain }
  /** In the form of `tool_calls`. */
  | { readonly kind: 'call'; readonly call: Plain }
  /** Files, and steps of tools that ran at a service. */
  | { readonly kind: 'other'; readonly type: string; readonly part: Plain }
  /** A piece of a block, as clients keep it that put streams together by the last value alone. */
  | { readonly kind: 'fragment' };

/** Members of an assistant message that every format reads or has a reason of its own for. */
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
 * What an assistant message says, in the order in which it was said: `content`, `content_blocks` and the calls tell one
 * story, and services differ in which of them they take. `content_blocks` holds all that `content` says and more, so it is
 * preferred as long as the client did not write another text.
 */
export function partsInOrder(message: Plain): readonly AssistantPart[] {
  const calls = callsOf(message);
  const own = partsOf(message['content']);
  const extra = message['content_blocks'];
  const placed = Array.isArray(extra) ? placedBlocks(extra) : [];
  const blocks = placed.map(({ block, gap }) => ({ said: saidIn(block), gap }));
  const isWhole = blocks.length > 0 && (textIn(own) === '' || textIn(own) === textIn(blocks.map(({ said }) => said)));
  const order = new Order(calls);
  if (isWhole) for (const { said, gap } of blocks) order.add(said, gap);
  else {
    for (const { said } of blocks) if (said.kind !== 'text') order.add(said, 0);
    for (const said of own) order.add(said, 0);
  }
  const last = lastWords(message, order.out);
  if (last !== undefined) order.add(last, 0);
  return order.finish();
}

/** Puts calls where they were among the other pieces. */
class Order {
  readonly out: AssistantPart[] = [];
  readonly #calls: readonly Plain[];
  readonly #placed = new Set<Plain>();
  /** Calls that may wait, the last one first. */
  readonly #byId = new Map<unknown, Plain[]>();
  #next = 0;

  constructor(calls: readonly Plain[]) {
    this.#calls = calls;
    for (const call of calls.toReversed()) {
      const same = this.#byId.get(call['id']);
      if (same === undefined) this.#byId.set(call['id'], [call]);
      else same.push(call);
    }
  }

  add(said: AssistantPart, gap: number): void {
    for (let n = 0; n < gap && this.#first(); n += 1);
    if (said.kind !== 'call') {
      this.out.push(said);
      return;
    }
    // A native block of a call marks the place of the same call in `tool_calls`.
    const same = this.#byId.get(said.call['id']);
    if (same === undefined) {
      this.out.push(said);
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

  /** Places the first call that waits. */
  #first(): boolean {
    for (; this.#next < this.#calls.length; this.#next += 1) {
      const call = this.#calls[this.#next];
      if (call === undefined || this.#placed.has(call)) continue;
      this.#place(call);
      return true;
    }
    return false;
  }

  #place(call: Plain): void {
    this.#placed.add(call);
    this.out.push({ kind: 'call', call });
  }
}

/**
 * The `function_call` of the format's first days, and `tool_calls`: some services and clients write one call in both, or
 * an empty one beside the list.
 */
function callsOf(message: Plain): readonly Plain[] {
  const list = message['tool_calls'];
  const calls = Array.isArray(list) ? list.filter(isPlain).filter((call) => isPlain(call['function']) || isPlain(call['custom'])) : [];
  const single = message['function_call'];
  if (!isPlain(single)) return calls;
  const isListed = calls.some(({ function: fn }) => isPlain(fn) && isSameCall(fn, single));
  return isListed || (calls.length > 0 && stringOf(single['name']) === '') ? calls : [{ function: single }, ...calls];
}

/** What is written in both differs in the order of members, in further ones, and in the blanks of the arguments. */
function isSameCall(one: Plain, other: Plain): boolean {
  if (one['name'] !== other['name']) return false;
  const [own, others] = [one, other].map((fn) => stringOf(fn['arguments']));
  return own === others || plainText(own) === plainText(others);
}

/** JSON without its blanks; what is none, as it is. */
function plainText(json = ''): string {
  const value = parsedJson(json);
  return value === undefined ? json : JSON.stringify(value);
}

/** A text, a list of parts, or the object that some services answer with where JSON was asked for. */
function partsOf(content: unknown): readonly AssistantPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content, from: {} }];
  if (isPlain(content)) return [{ kind: 'text', text: JSON.stringify(content), from: {} }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown): readonly AssistantPart[] => {
    if (typeof part === 'string') return partsOf(part);
    return isPlain(part) ? [saidIn(part)] : [];
  });
}

/** A refusal, or what was spoken, where nothing else was said. */
function lastWords(message: Plain, said: readonly AssistantPart[]): AssistantPart | undefined {
  const refusal = textOf(message['refusal']);
  if (refusal !== undefined) return { kind: 'text', text: refusal, from: { type: 'refusal' } };
  const audio = message['audio'];
  const transcript = isPlain(audio) && textIn(said) === '' ? textOf(audio['transcript']) : undefined;
  return transcript === undefined ? undefined : { kind: 'text', text: transcript, from: {} };
}

/** The texts of a list, joined. */
const textIn = (said: readonly AssistantPart[]): string =>
  said.map((one) => (one.kind === 'text' && one.from['type'] !== 'refusal' ? one.text : '')).join('');

function saidIn(part: Plain): AssistantPart {
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

/** Blocks that a client put together from a stream's deltas have no `type`: their members tell it. */
function guessed(part: Plain): string {
  if (typeof part['thinking'] === 'string') return 'thinking';
  if (typeof part['data'] === 'string') return 'redacted_thinking';
  if (typeof part['text'] === 'string') return 'text';
  return part['image_url'] === undefined ? '' : 'image_url';
}

/** A text, or the list of texts that some services have there. */
function thoughtIn(part: Plain): string {
  const thought = part['thinking'] ?? part['summary'];
  if (!Array.isArray(thought)) return stringOf(thought);
  return thought
    .filter(isPlain)
    .map((one) => stringOf(one['text']))
    .join('');
}

/** Anthropic's block of a call in OpenAI's form. */
function callOf({ type: _type, id, name, input, caller: _caller, ...rest }: Plain): Plain {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(isPlain(input) ? input : {}) }, ...rest };
}
