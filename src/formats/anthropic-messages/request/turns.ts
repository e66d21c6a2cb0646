import type { Drops } from '../../shared/request/drops.ts';
import type { Block } from './conversion.ts';
import { type AssistantPiece, ToolIds, toolName } from './tools/calls.ts';

/** One message of the messages API. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
}

/** What a result has to find its call: the id, or the name for the legacy `function` role. */
export type CallKey = { readonly id: string } | { readonly name: string };

/** A call and its result, if it has arrived. */
interface PendingCall {
  readonly original: string;
  readonly name: string;
  readonly id: string;
  result: Block | undefined;
}

/** The calls of one turn, matched to results by id, by name, or by order. */
class PendingCalls {
  readonly all: PendingCall[];
  /** Calls by key, the last one first. Built when the first result arrives. */
  #lists: Map<string, PendingCall[]> | undefined;

  constructor(all: PendingCall[]) {
    this.all = all;
  }

  /** True if there are calls, and no result has arrived yet. */
  get isWaiting(): boolean {
    return this.#lists === undefined && this.all.length > 0;
  }

  /** Returns the first matching call without a result. */
  next(key: CallKey): PendingCall | undefined {
    const list = (this.#lists ??= this.#index()).get('name' in key ? `name ${key.name}` : key.id === '' ? 'any' : `id ${key.id}`);
    let call = list?.pop();
    while (call !== undefined && call.result !== undefined) call = list?.pop();
    return call;
  }

  #index(): Map<string, PendingCall[]> {
    const lists = new Map<string, PendingCall[]>();
    for (const call of this.all.toReversed()) {
      for (const key of ['any', `id ${call.original}`, `name ${call.name}`]) {
        const list = lists.get(key);
        if (list === undefined) lists.set(key, [call]);
        else list.push(call);
      }
    }
    return lists;
  }
}

const noCalls = new PendingCalls([]);

/** The first user message if the client's conversation begins with the assistant, which the API does not allow. */
export const openingText = 'Begin.';

/**
 * Brings messages into the order that the API requires: user and assistant alternate, and after calls follows one user turn that
 * begins with exactly one result per call, in the order of the calls.
 */
export class TurnBuilder {
  readonly #turns: Turn[] = [];
  readonly #ids = new ToolIds();
  #calls = noCalls;
  /** The content of the last turn, if it is an assistant turn: consecutive assistant messages form one turn. */
  #lastContent: Block[] = [];
  #blocks: Block[] = [];
  /** Set while the open user turn is one plain text. */
  #text: string | undefined;
  /** Thinking at the end of an assistant message. It is sent if another assistant message follows: the API rejects a turn that ends with it. */
  #lastThinking: readonly AssistantPiece[] = [];
  readonly #drops: Drops;

  constructor(drops: Drops) {
    this.#drops = drops;
  }

  user(content: string | readonly Block[]): void {
    this.#dropLastThinking();
    const isFirst = this.#blocks.length === 0;
    if (typeof content === 'string') {
      if (content.trim() === '') return;
      this.#blocks.push({ type: 'text', text: content });
      this.#text = isFirst ? content : undefined;
    } else if (content.length > 0) {
      this.#blocks.push(...content);
      this.#text = undefined;
    }
  }

  /** Adds an assistant message. The order of its pieces is kept. */
  assistant(message: readonly AssistantPiece[]): void {
    const all = [...this.#lastThinking, ...message];
    const end = all.findLastIndex((piece) => !isThinking(piece)) + 1;
    this.#lastThinking = all.slice(end);
    const pieces = all.slice(0, end);
    if (pieces.length === 0) return;
    // Some clients send each of several concurrent calls in a message of its own, and all results after them.
    const continues = this.#calls.isWaiting && this.#blocks.length === 0 && pieces.some((piece) => 'called' in piece);
    if (!continues) this.#closeUserTurn();
    const calls = continues ? this.#calls.all : [];
    const content = pieces.map((piece): Block => {
      if ('block' in piece) return piece.block;
      const { id: original, name, input, extra } = piece.called;
      const id = this.#ids.issue(original);
      calls.push({ original, name, id, result: undefined });
      return { type: 'tool_use', id, name: toolName(name), input, ...extra };
    });
    if (!continues) this.#calls = new PendingCalls(calls);
    if (this.#turns.at(-1)?.role === 'assistant') {
      for (const block of content) this.#lastContent.push(block);
      return;
    }
    this.#lastContent = content;
    this.#turns.push({ role: 'assistant', content });
  }

  /**
   * Adds the result of a call, which is found by id, by name for the legacy `function` role, or else by order.
   *
   * @returns false if no call is waiting for it
   */
  result(key: CallKey, block: Block): boolean {
    const call = this.#calls.next(key);
    if (call === undefined) return false;
    call.result = { type: 'tool_result', tool_use_id: call.id, ...block };
    return true;
  }

  finish(): Turn[] {
    this.#dropLastThinking();
    this.#closeUserTurn();
    const first = this.#turns[0];
    if (first?.role === 'assistant') this.#turns.unshift({ role: 'user', content: openingText });
    const last = this.#turns.at(-1);
    if (last?.role === 'assistant' && typeof last.content !== 'string')
      this.#turns[this.#turns.length - 1] = { ...last, content: trimmed(last.content) };
    return this.#turns;
  }

  #dropLastThinking(): void {
    for (const piece of this.#lastThinking)
      if ('block' in piece) this.#drops.add(`messages[].content[].${String(piece.block['type'])}`, 'nothing follows it in its turn');
    this.#lastThinking = [];
  }

  /** Ends the open user turn. */
  #closeUserTurn(): void {
    const results = this.#calls.all.map(
      ({ id, result }) => result ?? { type: 'tool_result', tool_use_id: id, content: 'The client sent no result.', is_error: true },
    );
    const content = [...results, ...this.#blocks];
    if (content.length > 0)
      this.#turns.push({ role: 'user', content: results.length === 0 && this.#text !== undefined ? this.#text : content });
    this.#calls = noCalls;
    this.#blocks = [];
    this.#text = undefined;
  }
}

const isThinking = (piece: AssistantPiece): boolean =>
  'block' in piece && (piece.block['type'] === 'thinking' || piece.block['type'] === 'redacted_thinking');

/** The API rejects a prefilled response that ends in white space. */
function trimmed(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1);
  if (last?.['type'] !== 'text' || typeof last['text'] !== 'string') return blocks;
  return [...blocks.slice(0, -1), { ...last, text: last['text'].trimEnd() }];
}
