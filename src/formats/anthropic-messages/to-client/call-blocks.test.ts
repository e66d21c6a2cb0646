import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../../core/events.ts';
import { MessageEvents } from './events.ts';
import { wholeMessage } from './index.ts';
import { ObjectEnd } from '../../shared/response/object-end.ts';

/** An event with the name or a part of the arguments of the call with this index. */
const call = (index: number, part: { readonly name?: string; readonly arguments?: string }): ModelEvent => ({
  type: 'tool_call',
  choice: 0,
  index,
  ...(part.name === undefined ? {} : { id: `call_${part.name}` }),
  ...part,
});
const text = (value: string): ModelEvent => ({ type: 'text', choice: 0, text: value });

/** Short form of the stream: where each block begins and ends, and its texts. */
function summary(events: readonly ModelEvent[]): string {
  const writer = new MessageEvents({ id: 'r1', model: 'm' });
  const written = [...events.flatMap((event) => writer.push(event)), ...writer.end()];
  return written
    .flatMap(({ type, index, content_block: block, delta }) => {
      const { name, type: kind } = (block ?? {}) as { name?: string; type?: string };
      const { partial_json: json, text: value } = (delta ?? {}) as { partial_json?: string; text?: string };
      if (type === 'content_block_start') return [`${String(index)}(${name ?? kind ?? ''}`];
      if (type === 'content_block_delta') return [`${String(index)}:${json ?? value ?? ''}`];
      return type === 'content_block_stop' ? [`${String(index)})`] : [];
    })
    .join(' ');
}

const [first, second] = [call(0, { name: 'f', arguments: '' }), call(1, { name: 'g', arguments: '' })];
const args = (index: number, part: string): ModelEvent => call(index, { arguments: part });

describe('MessageEvents writes concurrent tool calls as consecutive blocks', () => {
  it.each<[string, ModelEvent[], string]>([
    ['calls one after the other', [first, args(0, '{"a"'), args(0, ':1}'), second, args(1, '{}')], '0(f 0:{"a" 0::1} 0) 1(g 1:{} 1)'],
    ['calls that begin at the same time', [first, second, args(0, '{"a":1}'), args(1, '{}')], '0(f 0:{"a":1} 0) 1(g 1:{} 1)'],
    [
      'calls with alternating arguments',
      [first, second, args(0, '{"a"'), args(1, '{"b"'), args(0, ':1}'), args(1, ':2}')],
      '0(f 0:{"a" 0::1} 0) 1(g 1:{"b" 1::2} 1)',
    ],
    ['arguments of the later call first', [first, second, args(1, '{"b":2}'), args(0, '{}')], '0(f 0:{} 0) 1(g 1:{"b":2} 1)'],
    ['a first call without arguments', [first, second, args(1, '{"b":2}')], '0(f 0: 0) 1(g 1:{"b":2} 1)'],
    ['a truncated call', [first, args(0, '{"a'), second, args(1, '{}')], '0(f 0:{"a 0) 1(g 1:{} 1)'],
    ['calls with text after them', [first, args(0, '{"a'), second, args(1, '{}'), text('x')], '0(f 0:{"a 0) 1(g 1:{} 1) 2(text 2:x 2)'],
    ['text inside a call', [first, args(0, '{"a'), text('x'), args(0, '":1}'), text('y')], '0(f 0:{"a 0:":1} 0) 1(text 1:x 1:y 1)'],
    [
      'text inside one of two calls',
      [first, args(0, '{"a'), text('x'), second, args(1, '{}'), text('y'), args(0, '":1}')],
      '0(f 0:{"a 0:":1} 0) 1(g 1:{} 1) 2(text 2:x 2:y 2)',
    ],
    [
      'a refusal inside a call',
      [first, args(0, '{'), { type: 'refusal', choice: 0, text: 'x' }, args(0, '}')],
      '0(f 0:{ 0:} 0) 1(text 1:x 1)',
    ],
    ['whitespace after a call', [first, args(0, '{}'), text('x'), args(0, ' ')], '0(f 0:{} 0) 1(text 1:x 1)'],
    [
      'a truncated call whose end the service reports',
      [first, args(0, '{"a'), { type: 'block', choice: 0, block: 3, state: 'close', kind: 'tool' }, text('x')],
      '0(f 0:{"a 0) 1(text 1:x 1)',
    ],
    ['calls around text', [first, args(0, '{}'), text('x'), second, args(1, '{}')], '0(f 0:{} 0) 1(text 1:x 1) 2(g 2:{} 2)'],
    ['arguments of null', [call(0, { name: 'f', arguments: 'null' }), second, args(1, '{}')], '0(f 0: 0) 1(g 1:{} 1)'],
    ['arguments of null in parts', [first, args(0, 'nu'), args(0, 'll'), args(0, ' '), second, args(1, '{}')], '0(f 0: 0) 1(g 1:{} 1)'],
    ['arguments that begin as null does', [first, args(0, ' '), args(0, 'n'), args(0, 'x')], '0(f 0:{"arguments":" nx"} 0)'],
    ['arguments that are a list', [first, args(0, '[{'), args(0, '}]')], '0(f 0:{"arguments":[{}]} 0)'],
    [
      'arguments that are no objects, with text and a call after them',
      [first, args(0, '"a'), text('x'), second, args(0, '"'), args(1, '1'), args(1, '23')],
      '0(f 0:{"arguments":"a"} 0) 1(g 1:{"arguments":123} 1) 2(text 2:x 2)',
    ],
  ])('%s', (_, events, expected) => {
    expect(summary(events)).toBe(expected);
  });
});

it('MessageEvents gives each call an id of its own', () => {
  const writer = new MessageEvents({ id: 'r1', model: 'm' });
  const events = [0, 1, 2].map((index): ModelEvent => ({ ...call(index, { name: 'f', arguments: '{}' }), id: 'same' }) as ModelEvent);
  const ids = events
    .flatMap((event) => writer.push(event))
    .flatMap(({ content_block: block }) => (block as { id: string } | undefined)?.id ?? []);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toBe('same');
});

it('MessageEvents begins a text block with its first text', () => {
  const opened = (block: number): ModelEvent => ({ type: 'block', choice: 0, block, state: 'open', kind: 'text' });
  const textInBlock = (block: number, value: string): ModelEvent => ({ ...text(value), block }) as ModelEvent;
  expect(summary([opened(0), textInBlock(0, ''), opened(1), textInBlock(1, 'a'), opened(2), textInBlock(2, 'b')])).toBe(
    '0(text 0:a 0) 1(text 1:b 1)',
  );
});

it('MessageEvents streams a context summary (compaction) as the API does', () => {
  const native = (members: object): ModelEvent => ({ type: 'block', choice: 0, block: 0, state: 'open', kind: 'native', native: members });
  const writer = new MessageEvents({ id: 'r1', model: 'm' });
  const written = [native({ type: 'compaction', content: null }), native({ content: 'x', encrypted_content: 'y' })].flatMap((event) =>
    writer.push(event),
  );
  const delta = { type: 'compaction_delta', content: 'x', encrypted_content: 'y' };
  expect(written.at(-1)).toEqual({ type: 'content_block_delta', index: 0, delta });
});

it.each([
  ['{"a":12345678901234567890}', '{"a":12345678901234567890}'],
  ['12345678901234567890', '{"arguments":12345678901234567890}'],
  ['[1]', '{"arguments":[1]}'],
  ['{"a', String.raw`{"arguments":"{\"a"}`],
  ['null', '{}'],
])('wholeMessage converts the arguments %s to an object', (json, input) => {
  const message = { content: null, tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: json } }] };
  const converted = wholeMessage({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }, { id: 'r1', model: 'm' });
  expect(JSON.stringify(converted['content'])).toBe(`[{"type":"tool_use","id":"t","name":"f","input":${input}}]`);
});

it.each([
  ['{}', true],
  [' {"a":{"b":[1,{}]}}', true],
  [String.raw`{"a":"}\"}"}`, true],
  [String.raw`{"a":"\\"}`, true],
  ['', false],
  ['{"a":"}', false],
  [String.raw`{"a":"\"}`, false],
  ['{"a":{}', false],
  ['null', false],
  ['"{}"', false],
])('ObjectEnd for %j: reached: %s, with any chunk size', (json, isReached) => {
  for (const size of [1, 2, 3, 100]) {
    const end = new ObjectEnd();
    for (let offset = 0; offset < json.length; offset += size) end.push(json.slice(offset, offset + size));
    expect(end.isReached).toBe(isReached);
  }
});
