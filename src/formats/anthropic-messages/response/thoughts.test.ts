import { JsonBody } from '../../../core/json/body.ts';
import type { Note } from '../../../core/model/notes.ts';
import { describe, expect, it } from 'vitest';
import { callOf } from '../../../../test/contract/call.ts';
import { MessagesStream } from './stream.ts';
import { ThoughtNotes, withStoredThinking } from './thoughts.ts';

type Block = Readonly<Record<string, unknown>>;

const thought = (text: string, signature = 'sig'): Block => ({ type: 'thinking', thinking: text, signature });
const redacted: Block = { type: 'redacted_thinking', data: 'x' };
const text = (value: string): Block => ({ type: 'text', text: value });
const use = (id: unknown): Block => ({ type: 'tool_use', id, name: 'f', input: {} });

const notes = { recall: () => new Map<string, string>(), keep: () => undefined };
const whole = (blocks: readonly Block[]): readonly Note[] =>
  new MessagesStream(callOf({ notes })).whole({ content: blocks }).flatMap((event) => (event.type === 'note' ? [event.note] : []));

function streamed(blocks: readonly Block[]): readonly Note[] {
  const notes = new ThoughtNotes();
  return blocks.flatMap((block, index) => {
    const { thinking, signature, text: said, ...start } = block;
    const begun = notes.begin(index, start);
    for (const [member, value] of Object.entries({ thinking, signature, text: said })) {
      if (typeof value === 'string') for (const half of [value.slice(0, 1), value.slice(1)]) notes.delta(index, { [member]: half });
    }
    return begun ?? [];
  });
}

describe('thinking stored for the calls of a response', () => {
  const rows: readonly [name: string, blocks: readonly Block[], notes: Readonly<Record<string, readonly Block[]>>][] = [
    ['thoughts', [thought('a'), use('1')], { 1: [thought('a')] }],
    ['redacted thinking', [redacted, use('1')], { 1: [redacted] }],
    ['text between thinking blocks', [thought('a'), text('b'), thought('c'), use('1')], { 1: [thought('a'), text('b'), thought('c')] }],
    ['thinking before each call', [thought('a'), use('1'), use('2'), thought('b'), use('3')], { 1: [thought('a')], 3: [thought('b')] }],
    ['text before the first thinking block, which is not stored', [text('a'), thought('b'), use('1')], { 1: [thought('b')] }],
    ['no thinking', [text('a'), use('1')], {}],
    ['thinking without a call', [thought('a'), text('b')], {}],
    ['thinking without a signature', [thought('a', ''), use('1')], {}],
    ['unsigned thinking next to signed thinking', [thought('a', ''), thought('b'), use('1')], { 1: [thought('b')] }],
    ['a call without an id', [thought('a'), use(undefined), use('2')], {}],
    ['more thinking than can be stored', [thought('a'.repeat(1024 * 1024)), use('1'), thought('b'), use('2')], { 2: [thought('b')] }],
    ['a value that is not a block', [null as never, thought('a'), use('1')], { 1: [thought('a')] }],
  ];

  it.each(rows)('consists of the blocks before each call: %s', (_name, blocks, expected) => {
    const found = (notes: readonly Note[]) => Object.fromEntries(notes.map(({ id, text: kept }) => [id, JSON.parse(kept) as unknown]));
    expect(found(whole(blocks))).toEqual(expected);
    expect(found(streamed(blocks.filter((block) => block !== null)))).toEqual(expected);
  });
});

const called = (...ids: string[]) => ({
  role: 'assistant',
  content: 'b',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});

describe('withStoredThinking', () => {
  const model = 'claude-sonnet-4-0';
  const rows: readonly [name: string, body: Block, model: string, ids: readonly string[]][] = [
    ['calls without thinking', { reasoning_effort: 'low', messages: [called('1', '2'), called('2', '3')] }, model, ['1', '2', '3']],
    ['calls in a request with thinking settings', { thinking: { type: 'enabled' }, messages: [called('1')] }, model, ['1']],
    ['calls for a model that always uses thinking', { messages: [called('1')] }, 'claude-opus-5-5', ['1']],
    ['no calls without thinking settings', { messages: [called('1')] }, model, []],
    ['no calls', { reasoning_effort: 'low', messages: [{ role: 'assistant', content: 'a' }] }, model, []],
    ['a user message', { reasoning_effort: 'low', messages: [{ ...called('1'), role: 'user' }] }, model, []],
    [
      'calls next to thinking of the client',
      { reasoning_effort: 'low', messages: [{ ...called('1'), content: [thought('a')] }] },
      model,
      [],
    ],
    [
      'calls next to content blocks of the client',
      { reasoning_effort: 'low', messages: [{ ...called('1'), content_blocks: [{ thinking: 'a' }] }] },
      model,
      [],
    ],
    [
      'calls next to redacted blocks of the client',
      { reasoning_effort: 'low', messages: [{ ...called('1'), content_blocks: [{ data: 'a' }] }] },
      model,
      [],
    ],
  ];

  it.each(rows)('looks up the stored thinking that a request needs: %s', (_name, body, name, ids) => {
    const asked: string[] = [];
    const recall = (recalled: readonly string[]) => {
      asked.push(...recalled);
      return new Map<string, string>();
    };
    withStoredThinking(JsonBody.of(body), callOf({ model: name, notes: { recall, keep: () => undefined } }));
    expect(asked).toEqual(ids);
  });
});

describe('withThoughts', () => {
  const known = new Map([
    ['1', JSON.stringify([thought('a'), text('b')])],
    ['2', JSON.stringify([thought('c')])],
  ]);
  const withThoughts = (body: Block, notes: ReadonlyMap<string, string> | undefined) => {
    const memory = notes === undefined ? undefined : { recall: () => notes, keep: () => undefined };
    return withStoredThinking(JsonBody.of({ ...body, thinking: {} }), callOf({ notes: memory }));
  };
  const restored = (message: Block) => withThoughts({ messages: [message] }, known)['messages'] as readonly Block[];
  const blocksOf = (message: Block) => restored(message)[0]?.['content_blocks'];

  it('inserts the stored blocks before each call', () => {
    expect(blocksOf(called('1', '2'))).toEqual([thought('a'), text('b'), use('1'), thought('c'), use('2')]);
    expect(blocksOf({ ...called('1'), content: [text('b')] })).toEqual([thought('a'), text('b'), use('1')]);
  });

  it('keeps text and blocks that the client has changed', () => {
    expect(blocksOf({ ...called('1'), content: 'other' })).toEqual([thought('a'), text('other'), use('1')]);
    expect(blocksOf({ ...called('1', '2'), content: 'b ' })).toEqual([thought('a'), text('b '), use('1'), thought('c'), use('2')]);
    expect(blocksOf({ ...called('1'), content: '' })).toEqual([thought('a'), use('1')]);
    expect(blocksOf({ ...called('1'), content: [text('other')] })).toEqual([thought('a'), use('1')]);
    expect(blocksOf({ ...called('1'), content_blocks: [text('b')] })).toEqual([thought('a'), use('1'), text('b')]);
  });

  it('inserts each thinking block once', () => {
    const messages = withThoughts({ messages: [called('1'), called('1')] }, known)['messages'] as readonly Block[];
    expect(messages.map((message) => message['content_blocks'] !== undefined)).toEqual([true, false]);
  });

  it('returns the same body if nothing is stored', () => {
    const body = { messages: [called('1')], thinking: {} };
    expect([withThoughts(body, new Map()), withThoughts(body, undefined)]).toEqual([body, body]);
    expect(restored(called('9'))).toEqual([called('9')]);
  });
});
