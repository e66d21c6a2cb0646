import { toolCallerOf } from '../../shared/tool-caller.ts';
import type { ModelEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { indexFrom, textOf } from '../../shared/json.ts';
import { signed } from '../../history/signatures.ts';
import type { RetainedSize } from '../../shared/response/retained-size.ts';
import { argumentsOf, citedIn, otherEvent, reasoningIn, signatureOf } from './completion.ts';
import { detailsIn, ReasoningDetails, textIn } from './reasoning-details.ts';

/** One choice (`n`) of the stream as received so far. */
export interface StreamedAnswer {
  readonly index: number;
  /** The last choice object with a finish reason. */
  finish: JsonObject | undefined;
  /** Calls by the service's number. */
  readonly calls: Map<number, StreamedCall>;
  /** Number of calls so far. */
  count: number;
  readonly sources: JsonObject[];
  /** Created on demand: few services send details. */
  details: ReasoningDetails | undefined;
  /** Details without text that came after the first content. They are held back to the end, to not divide the content. */
  readonly lateDetails: JsonObject[];
  /** True once text or a call was received. */
  isAnswering: boolean;
  /** Shared by all choices. */
  readonly retained: RetainedSize;
}

/** A tool call of the stream. */
interface StreamedCall {
  /** Its number in the hub. */
  readonly number: number;
  /** The id from its first event. */
  readonly id: string | undefined;
  /**
   * Arguments received before the name. They are held back, since a call cannot be forwarded without its name; undefined once the
   * name is known.
   */
  pendingArguments: string | undefined;
}

export const newAnswer = (index: number, retained: RetainedSize): StreamedAnswer => ({
  index,
  finish: undefined,
  calls: new Map(),
  count: 0,
  sources: [],
  details: undefined,
  lateDetails: [],
  isAnswering: false,
  retained: retained,
});

/** Converts one delta to events in a fixed order, with reasoning first, then text, then calls. */
export function deltaEvents(delta: JsonObject, answer: StreamedAnswer, out: ModelEvent[]): void {
  const choice = answer.index;
  const blocks = delta['content_blocks'];
  if (Array.isArray(blocks) && blocks.length > 0) for (const one of blocks) blockEvents(one, choice, out);
  else plainEvents(delta, answer, out);
  const refusal = textOf(delta['refusal']);
  if (refusal !== undefined) out.push({ type: 'refusal', choice, text: refusal });
  if (isJsonObject(delta['audio'])) out.push({ type: 'audio', choice, audio: delta['audio'] });
  if (Array.isArray(delta['annotations'])) for (const source of delta['annotations']) if (isJsonObject(source)) keepSource(source, answer);
  if (Array.isArray(delta['images'])) for (const image of delta['images']) if (isJsonObject(image)) out.push(otherEvent(image, choice, -1));
  if (isJsonObject(delta['function_call']) && !isListed(delta['function_call'], delta['tool_calls']))
    callEvents({ index: legacyCall, function: delta['function_call'] }, legacyCall, answer, out);
  if (Array.isArray(delta['tool_calls']))
    for (const [at, call] of delta['tool_calls'].entries()) if (isJsonObject(call)) callEvents(call, at, answer, out);
}

/** Number of the legacy `function_call` among the calls. */
const legacyCall = -1;

/** True if the list has the same fragment, or the fragment is empty. Some services write a call in both members. */
function isListed(fn: JsonObject, list: unknown): boolean {
  if (!Array.isArray(list) || list.length === 0) return false;
  if (!fn['name'] && !fn['arguments']) return true;
  return list.some((call: unknown) => {
    const listed = isJsonObject(call) && isJsonObject(call['function']) ? call['function'] : {};
    return listed['name'] === fn['name'] && listed['arguments'] === fn['arguments'];
  });
}

function keepSource(source: JsonObject, answer: StreamedAnswer): void {
  answer.retained.addJson(source);
  answer.sources.push(source);
}

/** Reads content as a text, or in the forms that some services send: a list of parts, or an object if JSON was requested. */
function plainEvents(delta: JsonObject, answer: StreamedAnswer, out: ModelEvent[]): void {
  const choice = answer.index;
  const thought = reasoningIn(delta);
  if (thought !== '') out.push({ type: 'thinking', choice, text: thought });
  for (const detail of detailsIn(delta)) detailEvents(detail, answer, out);
  const { content } = delta;
  if (hasLength(content) || isJsonObject(content) || hasLength(delta['tool_calls'])) {
    answer.isAnswering = true;
    answer.details?.close(out);
  }
  if (typeof content === 'string') textEvent(content, choice, out);
  else if (Array.isArray(content)) {
    for (const part of content) {
      if (isJsonObject(part)) partEvents(part, choice, out);
      else if (typeof part === 'string') textEvent(part, choice, out);
    }
  } else if (isJsonObject(content)) textEvent(JSON.stringify(content), choice, out);
}

function textEvent(text: string, choice: number, out: ModelEvent[]): void {
  if (text !== '') out.push({ type: 'text', choice, text });
}

const hasLength = (value: unknown): boolean => (typeof value === 'string' || Array.isArray(value)) && value.length > 0;

function detailEvents(detail: JsonObject, answer: StreamedAnswer, out: ModelEvent[]): void {
  if (answer.isAnswering && textIn(detail) === '') {
    answer.retained.addJson(detail);
    answer.lateDetails.push(detail);
  } else (answer.details ??= new ReasoningDetails(answer.index)).push(detail, out);
}

/** Returns the rest of the details at the end of the stream. */
export function lastDetails(answer: StreamedAnswer): readonly ModelEvent[] {
  const out: ModelEvent[] = [];
  answer.details?.close(out);
  const late = new ReasoningDetails(answer.index);
  for (const detail of answer.lateDetails) late.push(detail, out);
  late.close(out);
  return out;
}

function partEvents(part: JsonObject, choice: number, out: ModelEvent[]): void {
  switch (part['type'] ?? (typeof part['text'] === 'string' ? 'text' : undefined)) {
    case 'text':
    case 'output_text':
      if (typeof part['text'] === 'string') textEvent(part['text'], choice, out);
      return;
    case 'thinking':
    case 'reasoning': {
      const text = joinedText(part['thinking'] ?? part['summary']);
      const signature = textOf(part['signature']);
      if (text !== '' || signature !== undefined) out.push({ type: 'thinking', choice, text, ...signed(signature) });
      return;
    }
    case 'refusal':
      if (typeof part['refusal'] === 'string' && part['refusal'] !== '') out.push({ type: 'refusal', choice, text: part['refusal'] });
      return;
    default:
      out.push(otherEvent(part, choice, -1));
  }
}

/** Reads a text, or a list of texts that some services send instead. */
function joinedText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value)
    ? value
        .filter(isJsonObject)
        .map(({ text }) => textOf(text) ?? '')
        .join('')
    : '';
}

/** Types of blocks that are recognized by their members. Their deltas normally have no type. */
const untyped: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking']);

/** Converts a delta of the gateway's own blocks: `{index, delta}`. */
function blockEvents(one: unknown, choice: number, out: ModelEvent[]): void {
  if (!isJsonObject(one) || !isJsonObject(one['delta'])) return;
  const { delta } = one;
  const block = indexFrom(one['index']) ?? 0;
  const signature = textOf(delta['signature']);
  if (typeof delta['type'] === 'string' && !untyped.has(delta['type'])) out.push(otherEvent(delta, choice, block));
  else if (typeof delta['text'] === 'string') {
    if (delta['text'] === '') out.push({ type: 'block', choice, block, state: 'open', kind: 'text' });
    else out.push({ type: 'text', choice, text: delta['text'], block, ...signed(signature) }, ...citedIn(delta, choice, block));
  } else if (typeof delta['thinking'] === 'string')
    out.push({ type: 'thinking', choice, text: delta['thinking'], block, ...signed(signature) });
  else if (signature !== undefined) out.push({ type: 'thinking', choice, block, signature });
  else if (typeof delta['data'] === 'string') out.push({ type: 'redacted', choice, block, data: delta['data'] });
  else out.push({ type: 'block', choice, block, state: 'open', kind: 'native', native: delta });
}

/**
 * Handles services that omit the call number or give all calls the same one: a different id then means a different call. Some
 * services send the name only after the first event of a call.
 */
function callEvents(call: JsonObject, at: number, answer: StreamedAnswer, out: ModelEvent[]): void {
  const key = typeof call['index'] === 'number' ? call['index'] : at;
  const id = textOf(call['id']);
  const fn = [call['function'], call['custom']].find(isJsonObject) ?? {};
  const before = answer.calls.get(key);
  const isNew = before === undefined || (id !== undefined && before.id !== undefined && id !== before.id);
  const known = isNew ? newCall(key, id, answer) : before;
  const name = textOf(fn['name']);
  const text = argumentsOf(fn);
  if (known.pendingArguments !== undefined && name === undefined) {
    if (text !== undefined) answer.retained.add(text.length);
    known.pendingArguments += text ?? '';
    return;
  }
  const hasName = known.pendingArguments === undefined;
  if (hasName && text === undefined && isJsonObject(call['extra_content']) === false) return;
  const input = hasName ? text : known.pendingArguments + (text ?? '');
  known.pendingArguments = undefined;
  out.push({
    type: 'tool_call',
    choice: answer.index,
    index: known.number,
    ...(isJsonObject(call['custom']) ? { kind: 'custom' as const } : {}),
    ...(hasName || known.id === undefined ? {} : { id: known.id }),
    ...(hasName ? {} : { name: name ?? '' }),
    ...(input === undefined ? {} : { arguments: input }),
    ...signatureOf(call, fn),
    ...toolCallerOf(call),
  });
}

function newCall(key: number, id: string | undefined, answer: StreamedAnswer): StreamedCall {
  answer.retained.add(id?.length);
  const call = { number: answer.count, id, pendingArguments: '' };
  answer.calls.set(key, call);
  answer.count += 1;
  return call;
}

/** Returns the calls for which the service never sent a name. */
export function namelessCalls({ index: choice, calls }: StreamedAnswer): readonly ModelEvent[] {
  return [...calls.values()]
    .filter(({ pendingArguments }) => pendingArguments !== undefined)
    .map(({ number: index, id, pendingArguments = '' }) => ({
      type: 'tool_call',
      choice,
      index,
      ...(id === undefined ? {} : { id }),
      name: '',
      arguments: pendingArguments,
    }));
}
