import type { ModelEvent } from '../../../core/events.ts';
import { isPlain, type Plain } from '../../../core/json/merge.ts';
import { textOf } from '../../shared/json.ts';
import type { Kept } from '../../shared/answer/kept.ts';
import { argumentsOf, otherEvent, reasoningIn, signatureOf } from './completion.ts';

/** One answer of the stream (`n`), as far as it has come. */
export interface StreamedAnswer {
  readonly index: number;
  /** The last choice that named a reason for the end. */
  finish: Plain | undefined;
  /** Calls by the service's number. */
  readonly calls: Map<number, StreamedCall>;
  /** Of all calls so far. */
  count: number;
  readonly sources: Plain[];
  /** Of all answers. */
  readonly kept: Kept;
}

/** A call of the stream. */
interface StreamedCall {
  /** Its number in the hub. */
  readonly number: number;
  /** The id that it came with. */
  readonly id: string | undefined;
  /** Arguments that came before its name, without which nobody can be told of it; undefined once the name is known. */
  waiting: string | undefined;
}

export const newAnswer = (index: number, kept: Kept): StreamedAnswer => ({
  index,
  finish: undefined,
  calls: new Map(),
  count: 0,
  sources: [],
  kept,
});

/** What one delta says, in the order in which its members mean it: thoughts, text, calls. */
export function deltaEvents(delta: Plain, answer: StreamedAnswer, out: ModelEvent[]): void {
  const choice = answer.index;
  const blocks = delta['content_blocks'];
  if (Array.isArray(blocks) && blocks.length > 0) for (const one of blocks) blockEvents(one, choice, out);
  else plainEvents(delta, choice, out);
  const refusal = textOf(delta['refusal']);
  if (refusal !== undefined) out.push({ type: 'refusal', choice, text: refusal });
  if (isPlain(delta['audio'])) out.push({ type: 'audio', choice, audio: delta['audio'] });
  if (Array.isArray(delta['annotations'])) for (const source of delta['annotations']) if (isPlain(source)) keepSource(source, answer);
  if (Array.isArray(delta['images'])) for (const image of delta['images']) if (isPlain(image)) out.push(otherEvent(image, choice, -1));
  if (Array.isArray(delta['tool_calls']))
    for (const [at, call] of delta['tool_calls'].entries()) if (isPlain(call)) callEvents(call, at, answer, out);
  if (isPlain(delta['function_call'])) callEvents({ index: 0, function: delta['function_call'] }, 0, answer, out);
}

function keepSource(source: Plain, answer: StreamedAnswer): void {
  answer.kept.addJson(source);
  answer.sources.push(source);
}

/** A text, or the list of parts that some services send. */
function plainEvents(delta: Plain, choice: number, out: ModelEvent[]): void {
  const thought = reasoningIn(delta);
  if (thought !== '') out.push({ type: 'thinking', choice, text: thought });
  const { content } = delta;
  if (typeof content === 'string') {
    if (content !== '') out.push({ type: 'text', choice, text: content });
  } else if (Array.isArray(content)) for (const part of content) if (isPlain(part)) partEvents(part, choice, out);
}

function partEvents(part: Plain, choice: number, out: ModelEvent[]): void {
  switch (part['type']) {
    case 'text':
    case 'output_text':
      if (typeof part['text'] === 'string' && part['text'] !== '') out.push({ type: 'text', choice, text: part['text'] });
      return;
    case 'thinking':
    case 'reasoning': {
      const text = joinedText(part['thinking'] ?? part['summary']);
      if (text !== '') out.push({ type: 'thinking', choice, text });
      return;
    }
    case 'image_url':
      out.push(otherEvent(part, choice, -1));
      return;
    case 'refusal':
      if (typeof part['refusal'] === 'string' && part['refusal'] !== '') out.push({ type: 'refusal', choice, text: part['refusal'] });
      return;
    default:
  }
}

/** A text, or the list of texts that some services have there. */
function joinedText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value)
    ? value
        .filter(isPlain)
        .map(({ text }) => textOf(text) ?? '')
        .join('')
    : '';
}

/** A delta of the gateway's own blocks: `{index, delta}`. */
function blockEvents(one: unknown, choice: number, out: ModelEvent[]): void {
  if (!isPlain(one) || !isPlain(one['delta'])) return;
  const { delta } = one;
  const block = typeof one['index'] === 'number' ? one['index'] : 0;
  const signature = textOf(delta['signature']);
  const signed = signature === undefined ? {} : { signature };
  if (typeof delta['type'] === 'string') out.push(otherEvent(delta, choice, block));
  else if (typeof delta['text'] === 'string') {
    if (delta['text'] === '') out.push({ type: 'block', choice, block, state: 'open', kind: 'text' });
    else out.push({ type: 'text', choice, text: delta['text'], block, ...signed });
  } else if (typeof delta['thinking'] === 'string') out.push({ type: 'thinking', choice, text: delta['thinking'], block, ...signed });
  else if (signature !== undefined) out.push({ type: 'thinking', choice, block, signature });
  else if (typeof delta['data'] === 'string') out.push({ type: 'redacted', choice, block, data: delta['data'] });
  else out.push({ type: 'block', choice, block, state: 'open', kind: 'native', native: delta });
}

/**
 * Some services leave the number out, or give every call the same: then another id is another call. Some name a call only
 * after its first event.
 */
function callEvents(call: Plain, at: number, answer: StreamedAnswer, out: ModelEvent[]): void {
  const key = typeof call['index'] === 'number' ? call['index'] : at;
  const id = textOf(call['id']);
  const fn = [call['function'], call['custom']].find(isPlain) ?? {};
  const before = answer.calls.get(key);
  const isNew = before === undefined || (id !== undefined && before.id !== undefined && id !== before.id);
  const known = isNew ? begun(key, id, answer) : before;
  const name = textOf(fn['name']);
  const text = argumentsOf(fn);
  if (known.waiting !== undefined && name === undefined) {
    if (text !== undefined) answer.kept.add(text.length);
    known.waiting += text ?? '';
    return;
  }
  const isTold = known.waiting === undefined;
  if (isTold && text === undefined && isPlain(call['extra_content']) === false) return;
  const input = isTold ? text : known.waiting + (text ?? '');
  known.waiting = undefined;
  out.push({
    type: 'tool_call',
    choice: answer.index,
    index: known.number,
    ...(isPlain(call['custom']) ? { kind: 'custom' as const } : {}),
    ...(isTold || known.id === undefined ? {} : { id: known.id }),
    ...(isTold ? {} : { name: name ?? '' }),
    ...(input === undefined ? {} : { arguments: input }),
    ...signatureOf(call, fn),
  });
}

function begun(key: number, id: string | undefined, answer: StreamedAnswer): StreamedCall {
  answer.kept.add(id?.length);
  const call = { number: answer.count, id, waiting: '' };
  answer.calls.set(key, call);
  answer.count += 1;
  return call;
}

/** Calls that the service never named. */
export function namelessCalls({ index: choice, calls }: StreamedAnswer): readonly ModelEvent[] {
  return [...calls.values()]
    .filter(({ waiting }) => waiting !== undefined)
    .map(({ number: index, id, waiting = '' }) => ({
      type: 'tool_call',
      choice,
      index,
      ...(id === undefined ? {} : { id }),
      name: '',
      arguments: waiting,
    }));
}
