import type { ModelEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import { makeCallId } from '../../core/model/call-id.ts';
import { openaiUsage, tierField } from '../../core/model/openai-usage.ts';
import type { Call } from '../../core/provider.ts';
import { parseExact } from '../../core/json/scan.ts';
import { signed } from '../history/signatures.ts';

/** The parts of a call that a collected response depends on. */
export type CollectCall = Pick<Call, 'id' | 'createdAt' | 'model' | 'strict' | 'showsReasoning' | 'notes'>;

/**
 * Collects events into a whole chat completion, equal to what the stream of the same events adds up to. With strict compliance
 * off, it contains every block in order (`content_blocks`) and thinking with its signature.
 *
 * @param listsBlocks adds `content_blocks` even if the response has no blocks
 * @throws GatewayError the error of an event of type `error`
 */
export function collectChat(events: Iterable<ModelEvent>, call: CollectCall, listsBlocks = false): JsonObject {
  const choices = new Map<number, CollectedChoice>();
  const choiceOf = (index: number): CollectedChoice => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const choice = new CollectedChoice(index, call);
    choices.set(index, choice);
    return choice;
  };
  let start: JsonObject = {};
  let fields: JsonObject = {};
  for (const event of events) {
    switch (event.type) {
      case 'start':
        start = { id: event.id, model: event.model, created: event.created, ...event.fields };
        break;
      case 'usage':
        fields = { ...fields, ...tierField(event.usage), usage: openaiUsage(event.usage) };
        break;
      case 'error':
        throw event.error;
      case 'extra':
        if (call.strict && !event.strict) break;
        if (event.choice === undefined) fields = { ...fields, ...event.fields };
        else choiceOf(event.choice).fields = { ...choiceOf(event.choice).fields, ...event.fields };
        break;
      case 'note':
        call.notes?.keep(event.note);
        break;
      default:
        choiceOf(event.choice).add(event);
    }
  }
  return {
    ...start,
    id: start['id'] === '' || start['id'] === undefined ? `chatcmpl-${call.id}` : start['id'],
    object: 'chat.completion',
    created: start['created'] ?? call.createdAt,
    model: start['model'] === '' || start['model'] === undefined ? call.model : start['model'],
    choices: [...choices.values()].map((choice) => choice.toJson(listsBlocks)),
    ...fields,
  };
}

type ChoiceEvent = Exclude<ModelEvent, { type: 'start' | 'usage' | 'error' | 'extra' | 'note' }>;
type Of<T extends ChoiceEvent['type']> = Extract<ChoiceEvent, { type: T }>;

interface ToolCall {
  readonly id: string;
  name: string;
  arguments: string;
  signature: string | undefined;
  readonly caller: JsonObject | undefined;
  readonly kind: 'function' | 'custom';
}

/** One choice (`n`) as collected so far. */
class CollectedChoice {
  fields: JsonObject = {};
  readonly #index: number;
  readonly #call: CollectCall;
  /** In the order in which they began, tool calls included. Strict clients get no blocks, so only calls are kept for them. */
  readonly #blocks: (Record<string, unknown> | ToolCall)[] = [];
  #byNumber: Map<number, Record<string, unknown>> | undefined;
  #calls: Map<number, ToolCall> | undefined;
  #last: { readonly kind: string; readonly block: Record<string, unknown> } | undefined;
  #content = '';
  #refusal: string | null = null;
  #thoughts = '';
  #finish: Of<'finish'> | undefined;
  #audio: JsonObject | undefined;
  #annotations: readonly JsonObject[] | undefined;

  constructor(index: number, call: CollectCall) {
    this.#index = index;
    this.#call = call;
  }

  add(event: ChoiceEvent): void {
    switch (event.type) {
      case 'text':
        this.#content += event.text;
        this.#join(event, 'text', { text: event.text });
        return;
      case 'thinking':
        this.#thoughts += event.text ?? '';
        this.#join(event, 'thinking', { thinking: event.text ?? '' });
        return;
      case 'block':
        this.#block(event);
        return;
      case 'redacted':
        this.#open(event.block, { type: 'redacted_thinking', data: event.data });
        return;
      case 'media':
        this.#open(event.block, { ...mediaBlock(event), ...signed(event.signature) });
        return;
      case 'refusal':
        this.#refusal = (this.#refusal ?? '') + event.text;
        return;
      case 'tool_call':
        this.#toolCall(event);
        return;
      case 'audio':
        this.#audio = withAudio(this.#audio, event.audio);
        return;
      case 'annotations':
        this.#annotations = [...(this.#annotations ?? []), ...event.annotations];
        return;
      case 'finish':
        this.#finish ??= event;
        return;
      default:
        event satisfies never;
    }
  }

  toJson(listsBlocks: boolean): JsonObject {
    const { strict } = this.#call;
    const raw = this.#finish?.raw;
    return {
      index: this.#index,
      message: this.#message(listsBlocks),
      logprobs: null,
      finish_reason: this.#finish?.reason ?? 'stop',
      ...this.fields,
      ...(strict || raw === undefined ? {} : { native_finish_reason: raw }),
    };
  }

  #message(listsBlocks: boolean): JsonObject {
    const { strict, showsReasoning } = this.#call;
    const calls = this.#calls === undefined ? [] : [...this.#calls.values()];
    const blocks = strict ? [] : this.#visibleBlocks();
    const hasOther = calls.length > 0 || this.#audio !== undefined;
    const images = blocks.some((block) => block['type'] === 'image_url');
    return {
      role: 'assistant',
      content: images ? blocks.filter(isContent).map(withoutSignature) : this.#content === '' && hasOther ? null : this.#content,
      refusal: this.#refusal,
      // Named as in DeepSeek and vLLM. Joined without a separator, as a client joins the deltas of the same stream.
      ...(showsReasoning === true && this.#thoughts !== '' ? { reasoning_content: this.#thoughts } : {}),
      ...(this.#annotations === undefined ? {} : { annotations: this.#annotations }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((one) => toolCall(one, strict)) }),
      ...(this.#audio === undefined ? {} : { audio: { transcript: '', ...this.#audio } }),
      ...(blocks.length === 0 && (strict || !listsBlocks) ? {} : { content_blocks: blocks }),
    };
  }

  /**
   * Returns all blocks except calls after the last other block, because calls have their own list. Calls before another block
   * stay, because they mark the order.
   */
  #visibleBlocks(): readonly JsonObject[] {
    const last = this.#blocks.findLastIndex((block) => !isCall(block));
    return this.#blocks.slice(0, last + 1).map((block) => (isCall(block) ? usedTool(block) : block));
  }

  /** Appends a fragment to the block with its number, or, without a number, to the last block if the kind is the same. */
  #join({ block, signature }: Of<'text' | 'thinking'>, kind: 'text' | 'thinking', part: JsonObject): void {
    if (this.#call.strict) return;
    const known = block === undefined ? (this.#last?.kind === kind ? this.#last.block : undefined) : this.#byNumber?.get(block);
    if (known === undefined) {
      this.#open(block, { type: kind, ...part, ...signed(signature) });
      return;
    }
    known[kind] = String(known[kind] ?? '') + String(part[kind]);
    if (signature !== undefined) known['signature'] = `${(known['signature'] as string | undefined) ?? ''}${signature}`;
  }

  #block({ block, state, kind, native }: Of<'block'>): void {
    if (state === 'close') return;
    if (kind === 'native') {
      const known = this.#byNumber?.get(block);
      if (typeof native !== 'object' || native === null) return;
      if (known === undefined) this.#open(block, { ...native });
      else Object.assign(known, native);
    } else if (kind === 'text' || kind === 'thinking') this.#open(block, { type: kind, [kind]: '' });
  }

  #open(number: number | undefined, block: Record<string, unknown>): void {
    if (this.#call.strict) return;
    this.#blocks.push(block);
    if (number !== undefined) (this.#byNumber ??= new Map()).set(number, block);
    this.#last = { kind: String(block['type']), block };
  }

  #toolCall(event: Of<'tool_call'>): void {
    const calls = (this.#calls ??= new Map<number, ToolCall>());
    let known = calls.get(event.index);
    if (known === undefined) {
      const id = event.id ?? makeCallId(this.#call.id, this.#index, calls.size);
      known = { id, name: '', arguments: '', signature: undefined, caller: event.caller, kind: event.kind ?? 'function' };
      calls.set(event.index, known);
      this.#blocks.push(known);
      this.#last = undefined;
    }
    known.name += event.name ?? '';
    known.arguments += event.arguments ?? '';
    known.signature ??= event.thoughtSignature;
  }
}

const isCall = (block: JsonObject | ToolCall): block is ToolCall => 'arguments' in block && 'signature' in block && 'kind' in block;

/** Writes the signature into the function and, like Google's own OpenAI endpoint, into `extra_content`. */
function toolCall({ id, name, arguments: text, signature, caller, kind }: ToolCall, strict: boolean): JsonObject {
  if (kind === 'custom') return { id, type: 'custom', custom: { name, input: text } };
  const fn = { name, arguments: text };
  if (strict || signature === undefined)
    return { id, type: 'function', function: fn, ...(strict || caller === undefined ? {} : { caller }) };
  const member = { thought_signature: signature };
  return { id, type: 'function', function: { ...fn, ...member }, extra_content: { google: member } };
}

function usedTool({ id, name, arguments: text }: ToolCall): JsonObject {
  let input: unknown;
  try {
    input = parseExact(text);
  } catch {
    input = {};
  }
  return { type: 'tool_use', id, name, input };
}

/** Converts a file to a content part: images to `image_url`, everything else to `file`. */
function mediaBlock({ mimeType, base64 }: Of<'media'>): JsonObject {
  const uri = `data:${mimeType};base64,${base64}`;
  return mimeType.startsWith('image/') ? { type: 'image_url', image_url: { url: uri } } : { type: 'file', file: { file_data: uri } };
}

/** Joins audio deltas as client libraries do. */
function withAudio(before: JsonObject | undefined, delta: JsonObject): JsonObject {
  if (before === undefined) return delta;
  const joined = (member: string): JsonObject =>
    delta[member] === undefined ? {} : { [member]: `${(before[member] as string | undefined) ?? ''}${String(delta[member])}` };
  return { ...before, ...delta, ...joined('data'), ...joined('transcript') };
}

/** True for parts that `content` may contain if it is a list. */
const isContent = (block: JsonObject): boolean => block['type'] === 'image_url' || (block['type'] === 'text' && block['text'] !== '');

function withoutSignature({ signature: _signature, ...block }: JsonObject): JsonObject {
  return block;
}
