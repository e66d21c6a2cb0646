import { makeCallId } from '../../core/model/call-id.ts';
import type { ModelEvent } from '../../core/events.ts';

/** State of one choice (`n`) of a stream that is being written. */
export interface ChoiceState {
  readonly index: number;
  /** The role is written with the first delta. */
  hasRole: boolean;
  isFinished: boolean;
  /** The block written last, for providers that don't number their blocks. */
  block: number;
  blockKind: string | undefined;
  /** Index of each call by the provider's number: clients expect calls to be counted from 0 in each choice. */
  readonly calls: Map<number, number>;
  /** Fields to add to the next chunk of this choice. */
  fields: Record<string, unknown> | undefined;
}

export function newChoice(index: number): ChoiceState {
  return { index, hasRole: false, isFinished: false, block: -1, blockKind: undefined, calls: new Map(), fields: undefined };
}

/** What the writer knows about the call. */
export interface DeltaCall {
  readonly strict: boolean;
  readonly showsReasoning?: boolean | undefined;
  readonly asksForFunctions?: boolean | undefined;
  /** Request id, from which ids of tool calls are made if the provider sent none. */
  readonly id: string;
}

type Delta<T extends ModelEvent['type']> = Extract<ModelEvent, { type: T }>;
export type DeltaEvent = Delta<'block' | 'text' | 'thinking' | 'redacted' | 'refusal' | 'tool_call' | 'media' | 'audio' | 'annotations'>;

/**
 * Returns the members of a chunk's `delta` as JSON text without braces; '' if there is nothing to write. Blocks, images and
 * signatures are written only with strict compliance off.
 */
export function deltaText(event: DeltaEvent, choice: ChoiceState, call: DeltaCall): string {
  switch (event.type) {
    case 'text':
      return textDelta(event, choice, call.strict);
    case 'thinking':
      return thinkingDelta(event, choice, call);
    case 'tool_call':
      return toolDelta(event, choice, call);
    case 'block':
      return call.strict || event.state === 'close' ? '' : openDelta(event, choice);
    case 'redacted':
      return call.strict ? '' : blockDelta(event.block, `"data":${JSON.stringify(event.data)}`);
    case 'media':
      return call.strict ? '' : mediaDelta(event, choice);
    case 'refusal':
      return event.text === '' ? '' : `"refusal":${JSON.stringify(event.text)}`;
    case 'audio':
      return `"audio":${JSON.stringify(event.audio)}`;
    case 'annotations':
      return `"annotations":${JSON.stringify(event.annotations)}`;
    default:
      return event satisfies never;
  }
}

function textDelta(event: Delta<'text'>, choice: ChoiceState, strict: boolean): string {
  if (event.text === '' && (strict || event.signature === undefined)) return '';
  const text = JSON.stringify(event.text);
  if (strict) return `"content":${text}`;
  const block = blockDelta(blockOf(choice, 'text', event.block), `"text":${text}${signed(event.signature)}`);
  return event.text === '' ? block : `"content":${text},${block}`;
}

function thinkingDelta(event: Delta<'thinking'>, choice: ChoiceState, { strict, showsReasoning }: DeltaCall): string {
  const block = strict ? '' : thoughtBlock(event, choice);
  if (showsReasoning !== true || event.text === undefined || event.text === '') return block;
  const text = `"reasoning_content":${JSON.stringify(event.text)}`;
  return block === '' ? text : `${text},${block}`;
}

function thoughtBlock(event: Delta<'thinking'>, choice: ChoiceState): string {
  const block = blockOf(choice, 'thinking', event.block);
  const signature = signed(event.signature);
  if (event.text === undefined) return signature === '' ? '' : blockDelta(block, signature.slice(1));
  return event.text === '' && signature === '' ? '' : blockDelta(block, `"thinking":${JSON.stringify(event.text)}${signature}`);
}

/** Opens a block that is visible before its first text. */
function openDelta(event: Delta<'block'>, choice: ChoiceState): string {
  const block = blockOf(choice, event.kind, event.block);
  switch (event.kind) {
    case 'text':
      return blockDelta(block, '"text":""');
    case 'thinking':
      return blockDelta(block, '"thinking":""');
    case 'native':
      return typeof event.native === 'object' && event.native !== null ? blockDelta(block, membersOf(event.native)) : '';
    case 'redacted':
    case 'media':
    case 'tool':
      return '';
    default:
      return event.kind satisfies never;
  }
}

function mediaDelta(event: Delta<'media'>, choice: ChoiceState): string {
  const url = JSON.stringify(`data:${event.mimeType};base64,`).slice(0, -1) + event.base64;
  const part = event.mimeType.startsWith('image/')
    ? `"type":"image_url","image_url":{"url":${url}"}`
    : `"type":"file","file":{"file_data":${url}"}`;
  return blockDelta(blockOf(choice, undefined, event.block), part + signed(event.signature));
}

function toolDelta(event: Delta<'tool_call'>, choice: ChoiceState, call: DeltaCall): string {
  const known = choice.calls.get(event.index);
  const position = known ?? choice.calls.size;
  if (known === undefined) choice.calls.set(event.index, position);
  // The first call is written as `function_call`, so it does not count in the list.
  const isLegacy = call.asksForFunctions === true && event.kind !== 'custom';
  const index = isLegacy ? position - 1 : position;
  const isCustom = event.kind === 'custom';
  const inner: string[] = [];
  if (event.name !== undefined) inner.push(`"name":${JSON.stringify(event.name)}`);
  const input = event.arguments ?? (known === undefined ? '' : undefined);
  if (input !== undefined) inner.push(`"${isCustom ? 'input' : 'arguments'}":${JSON.stringify(input)}`);
  const signature = event.thoughtSignature === undefined || call.strict ? undefined : JSON.stringify(event.thoughtSignature);
  if (signature !== undefined) inner.push(`"thought_signature":${signature}`);
  // Repeated here, because OpenAI's stream helpers keep unknown members of the call, but drop those of the function.
  const extra = signature === undefined ? '' : `,"extra_content":{"google":{"thought_signature":${signature}}}`;
  const caller = event.caller === undefined || call.strict ? '' : `,"caller":${JSON.stringify(event.caller)}`;
  if (index < 0) return inner.length === 0 ? '' : `"function_call":{${inner.join(',')}}`;
  const toolType = isCustom ? 'custom' : 'function';
  const id = event.id ?? (known === undefined ? makeCallId(call.id, choice.index, position) : undefined);
  const head = id === undefined ? '' : `,"id":${JSON.stringify(id)},"type":"${toolType}"`;
  if (inner.length === 0 && head === '') return '';
  return `"tool_calls":[{"index":${index}${head}${inner.length === 0 ? '' : `,"${toolType}":{${inner.join(',')}}`}${extra}${caller}}]`;
}

function blockDelta(index: number, members: string): string {
  return `"content_blocks":[{"index":${index},"delta":{${members}}}]`;
}

const signed = (signature: string | undefined): string => (signature === undefined ? '' : `,"signature":${JSON.stringify(signature)}`);

/**
 * Returns the provider's block number. Without one, the last block continues if the kind is the same; kind `undefined` always
 * starts a new block.
 */
function blockOf(choice: ChoiceState, kind: string | undefined, given: number | undefined): number {
  if (given !== undefined) choice.block = given;
  else if (kind === undefined || choice.blockKind !== kind) choice.block += 1;
  choice.blockKind = kind;
  return choice.block;
}

/** `{"a":1}` → `"a":1`. */
function membersOf(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}
