import type { ModelEvent } from '../../../core/events.ts';
import { isPlain, type Plain } from '../../../core/json/merge.ts';
import { textOf } from '../../shared/json.ts';
import type { Kept } from '../../shared/kept.ts';
import { argumentsOf, otherEvent, reasoningIn, signatureOf } from './completion.ts';

/** One answer of the stream (`n`), as far as it has come. */
export interface StreamedAnswer {
  readonly index: number;
  /** The last choice that named a reason for the end. */
  finish: Plain | undefined;
  /** Calls by the service's number: their number in the hub, and the id that they came with. */
  readonly calls: Map<number, { readonly number: number; readonly id: string | undefined }>;
  /** Of all calls so far. */
  count: number;
  readonly sources: Plain[];
  /** Of all answers. */
  readonly kept: Kept;
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
  if (Array.isArray(blocks)) for (const one of blocks) blockEvents(one, choice, out);
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

/** Some services leave the number out, or give every call the same: then another id is another call. */
function callEvents(call: Plain, at: number, answer: StreamedAnswer, out: ModelEvent[]): void {
  const key = typeof call['index'] === 'number' ? call['index'] : at;
  const id = textOf(call['id']);
  const isCustom = isPlain(call['custom']);
  const fn = [call['function'], call['custom']].find(isPlain) ?? {};
  const known = answer.calls.get(key);
  const isNew = known === undefined || (id !== undefined && known.id !== undefined && id !== known.id);
  const number = isNew ? answer.count : known.number;
  if (isNew) {
    answer.kept.add(id?.length);
    answer.calls.set(key, { number, id });
    answer.count += 1;
  }
  const text = argumentsOf(fn);
  if (!isNew && text === undefined && isPlain(call['extra_content']) === false) return;
  out.push({
    type: 'tool_call',
    choice: answer.index,
    index: number,
    ...(isCustom ? { kind: 'custom' as const } : {}),
    ...(isNew && id !== undefined ? { id } : {}),
    ...(isNew ? { name: textOf(fn['name']) ?? '' } : {}),
    ...(text === undefined ? {} : { arguments: text }),
    ...signatureOf(call, fn),
  });
}
