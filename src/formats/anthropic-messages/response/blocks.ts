import type { BlockKind, ModelEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { stringOf, textOf } from '../../shared/json.ts';
import { toolCallerOf } from '../../shared/tool-caller.ts';
import { annotationsOf } from '../citations.ts';
import { parseExact } from '../../../core/json/scan.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';
import { isOutput } from './output-tool.ts';

/** A content block between its start and its end. */
interface OpenBlock {
  readonly kind: BlockKind;
  /** True for the output tool: its input is the text of the response. */
  readonly isOutput: boolean;
  /** The number of a tool call, counted over the whole response, since blocks of other kinds come between calls. */
  readonly call: number | undefined;
  /** `input` of the start event, used if no deltas follow. */
  readonly input: unknown;
  /** Joined deltas of a tool that the API runs itself. Inputs of the client's tools are streamed instead. */
  inputText: string;
  hasInput: boolean;
  /** Offset of its text in the text of the response. */
  readonly start: number;
  citations: unknown[] | undefined;
}

const noEvents: readonly ModelEvent[] = Object.freeze([]);

/**
 * Converts the content blocks of a streamed messages response to hub events. Fragments that clients cannot join (citations,
 * inputs of the API's own tools) are collected and sent at the end of their block, as in a whole response.
 */
export class MessageBlocks {
  readonly #open = new Map<number, OpenBlock>();
  readonly #retained = new RetainedSize();
  /** Number of tool calls so far. */
  calls = 0;
  /** True if the response is the input of the tool that enforces its schema. */
  isOutput = false;
  /** Sources of the response so far, in OpenAI's form. */
  readonly annotations: JsonObject[] = [];
  /** Length of the text of the response so far, in characters. */
  #length = 0;

  begin(block: number, content: unknown): readonly ModelEvent[] {
    if (!isJsonObject(content)) return noEvents;
    this.#retained.add();
    const opened = this.#newBlock(content);
    this.#open.set(block, opened);
    switch (content['type']) {
      case 'text':
        return [
          { type: 'block', choice: 0, block, state: 'open', kind: 'text' },
          ...(textOf(content['text']) === undefined ? noEvents : this.delta(block, { type: 'text_delta', text: content['text'] })),
        ];
      case 'thinking':
        return [
          { type: 'block', choice: 0, block, state: 'open', kind: 'thinking' },
          ...(textOf(content['thinking']) === undefined
            ? noEvents
            : this.delta(block, { type: 'thinking_delta', thinking: content['thinking'] })),
          ...(textOf(content['signature']) === undefined
            ? noEvents
            : this.delta(block, { type: 'signature_delta', signature: content['signature'] })),
        ];
      case 'redacted_thinking':
        return [{ type: 'redacted', choice: 0, block, data: stringOf(content['data']) }];
      case 'tool_use': {
        if (opened.isOutput) return [{ type: 'block', choice: 0, block, state: 'open', kind: 'text' }];
        const id = textOf(content['id']);
        const name = textOf(content['name']) ?? '';
        const named = { ...(id === undefined ? {} : { id }), ...toolCallerOf(content) };
        return [{ type: 'tool_call', choice: 0, index: opened.call ?? 0, name, arguments: '', ...named }];
      }
      default:
        // Blocks of the API's own tools and of unknown types are passed as received, for clients that use blocks.
        return [nativeEvent(block, content)];
    }
  }

  delta(block: number, delta: unknown): readonly ModelEvent[] {
    if (!isJsonObject(delta)) return noEvents;
    switch (delta['type']) {
      case 'text_delta':
        return this.#text(block, delta['text']);
      case 'thinking_delta':
        return typeof delta['thinking'] === 'string' ? [{ type: 'thinking', choice: 0, block, text: delta['thinking'] }] : noEvents;
      case 'signature_delta':
        return typeof delta['signature'] === 'string' ? [{ type: 'thinking', choice: 0, block, signature: delta['signature'] }] : noEvents;
      case 'input_json_delta':
        return this.#input(block, delta['partial_json']);
      case 'citations_delta':
        return this.#citation(block, delta['citation']);
      default: {
        // An unknown delta: its members, without the type, as in the other deltas.
        const { type: _type, ...members } = delta;
        return [nativeEvent(block, members)];
      }
    }
  }

  end(block: number): readonly ModelEvent[] {
    const opened = this.#open.get(block);
    this.#open.delete(block);
    const close: ModelEvent = { type: 'block', choice: 0, block, state: 'close', kind: opened?.kind ?? 'native' };
    if (opened === undefined) return [close];
    if (opened.isOutput) return opened.hasInput ? [close] : [...this.#text(block, JSON.stringify(opened.input ?? {})), close];
    // A call without arguments has no deltas, but clients expect JSON.
    if (opened.call !== undefined)
      return opened.hasInput
        ? [close]
        : [{ type: 'tool_call', choice: 0, index: opened.call, arguments: JSON.stringify(opened.input ?? {}) }, close];
    if (opened.inputText !== '') return [nativeEvent(block, inputOf(opened.inputText)), close];
    if (opened.citations === undefined) return [close];
    for (const one of annotationsOf(opened.citations, opened.start, this.#length - opened.start)) this.annotations.push(one);
    return [nativeEvent(block, { citations: opened.citations }), close];
  }

  /** Ends the blocks that the service has left open, so that what is collected for them is not lost. */
  endOpen(): readonly ModelEvent[] {
    return this.#open.size === 0 ? noEvents : [...this.#open.keys()].flatMap((block) => [...this.end(block)]);
  }

  #newBlock(content: JsonObject): OpenBlock {
    const { type, citations, input } = content;
    const output = isOutput(content);
    this.isOutput ||= output;
    const isCall = type === 'tool_use' && !output;
    const call = isCall ? this.calls : undefined;
    if (isCall) this.calls += 1;
    return {
      kind: output ? 'text' : kindOf(type),
      isOutput: output,
      call,
      input: isJsonObject(input) ? input : undefined,
      inputText: '',
      hasInput: false,
      start: this.#length,
      citations: Array.isArray(citations) && citations.length > 0 ? [...(citations as unknown[])] : undefined,
    };
  }

  #text(block: number, text: unknown): readonly ModelEvent[] {
    if (typeof text !== 'string') return noEvents;
    this.#length += text.length;
    return [{ type: 'text', choice: 0, block, text }];
  }

  #input(block: number, text: unknown): readonly ModelEvent[] {
    if (typeof text !== 'string' || text === '') return noEvents;
    const opened = this.#open.get(block);
    if (opened === undefined) return [nativeEvent(block, { partial_json: text })];
    opened.hasInput = true;
    if (opened.isOutput) return this.#text(block, text);
    if (opened.call !== undefined) return [{ type: 'tool_call', choice: 0, index: opened.call, arguments: text }];
    this.#retained.add(text.length);
    opened.inputText += text;
    return noEvents;
  }

  #citation(block: number, citation: unknown): readonly ModelEvent[] {
    const opened = this.#open.get(block);
    if (opened === undefined || !isJsonObject(citation)) return noEvents;
    this.#retained.addJson(citation);
    opened.citations ??= [];
    opened.citations.push(citation);
    return noEvents;
  }
}

/** Parses the joined fragments. If they are not JSON, for example after a cut, they are returned as `partial_json`. */
export function inputOf(text: string): JsonObject {
  try {
    return { input: parseExact(text) };
  } catch {
    return { partial_json: text };
  }
}

function kindOf(type: unknown): BlockKind {
  if (type === 'text' || type === 'thinking') return type;
  if (type === 'redacted_thinking') return 'redacted';
  return type === 'tool_use' ? 'tool' : 'native';
}

/** Builds the event for a block, or for members of a block, that the hub has no kind for. */
export const nativeEvent = (block: number, members: unknown): ModelEvent => ({
  type: 'block',
  choice: 0,
  block,
  state: 'open',
  kind: 'native',
  native: members,
});
