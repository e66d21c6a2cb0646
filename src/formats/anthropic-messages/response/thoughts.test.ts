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
const toolUse = (id: unknown): Block => ({ type: 'tool_use', id, name: 'f', input: {} });

const notes = { recall: () => new Map<string, string>(), keep: () => undefined };
const notesOf = (blocks: readonly Block[]): readonly Note[] =>
  new MessagesStream(callOf({ notes })).whole({ content: blocks }).flatMap((event) => (event.type === 'note' ? [event.note] : []));

function streamed(blocks: readonly Block[]): readonly Note[] {
  const notes = new ThoughtNotes();
  return blocks.flatMap((block, index) => {
    const { thinking, signature, text: blockText, ...start } = block;
    const started = notes.begin(index, start);
    for (const [member, value] of Object.entries({ thinking, signature, text: blockText })) {
      if (typeof value === 'string') for (const piece of [value.slice(0, 1), value.slice(1)]) notes.delta(index, { [member]: piece });
    }
    return started ?? [];
  });
}

describe('thinking stored for the calls of a response', () => {
  const rows: readonly [name: string, blocks: readonly Block[], notes: Readonly<Record<string, readonly Block[]>>][] = [
    ['thoughts', [thought('a'), toolUse('1')], { 1: [thought('a')] }],
    ['redacted thinking', [redacted, toolUse('1')], { 1: [redacted] }],
    ['text between thinking blocks', [thought('a'), text('b'), thought('c'), toolUse('1')], { 1: [thought('a'), text('b'), thought('c')] }],
    [
      'thinking before each call',
      [thought('a'), toolUse('1'), toolUse('2'), thought('b'), toolUse('3')],
      { 1: [thought('a')], 3: [thought('b')] },
    ],
    ['text before the first thinking block, which is not stored', [text('a'), thought('b'), toolUse('1')], { 1: [thought('b')] }],
    ['no thinking', [text('a'), toolUse('1')], {}],
    ['thinking without a call', [thought('a'), text('b')], {}],
    ['thinking without a signature', [thought('a', ''), toolUse('1')], {}],
    ['unsigned thinking next to signed thinking', [thought('a', ''), thought('b'), toolUse('1')], { 1: [thought('b')] }],
    ['a call without an id', [thought('a'), toolUse(undefined), toolUse('2')], {}],
    [
      'more thinking than can be stored',
      [thought('a'.repeat(1024 * 1024)), toolUse('1'), thought('b'), toolUse('2')],
      { 2: [thought('b')] },
    ],
    ['a value that is not a block', [null as never, thought('a'), toolUse('1')], { 1: [thought('a')] }],
  ];

  it.each(rows)('consists of the blocks before each call: %s', (_name, blocks, expected) => {
    const notesById = (notes: readonly Note[]) =>
      Object.fromEntries(notes.map(({ id, text: noteText }) => [id, JSON.parse(noteText) as unknown]));
    expect(notesById(notesOf(blocks))).toEqual(expected);
    expect(notesById(streamed(blocks.filter((block) => block !== null)))).toEqual(expected);
  });
});

const assistantCall = (...ids: string[]) => ({
  role: 'assistant',
  content: 'b',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});

describe('withStoredThinking', () => {
  const model = 'claude-sonnet-4-0';
  const rows: readonly [name: string, body: Block, model: string, ids: readonly string[]][] = [
    [
      'calls without thinking',
      { reasoning_effort: 'low', messages: [assistantCall('1', '2'), assistantCall('2', '3')] },
      model,
      ['1', '2', '3'],
    ],
    ['calls in a request with thinking settings', { thinking: { type: 'enabled' }, messages: [assistantCall('1')] }, model, ['1']],
    ['calls for a model that always uses thinking', { messages: [assistantCall('1')] }, 'claude-opus-5-5', ['1']],
    ['no calls without thinking settings', { messages: [assistantCall('1')] }, model, []],
    ['no calls', { reasoning_effort: 'low', messages: [{ role: 'assistant', content: 'a' }] }, model, []],
    ['a user message', { reasoning_effort: 'low', messages: [{ ...assistantCall('1'), role: 'user' }] }, model, []],
    [
      'calls next to thinking of the client',
      { reasoning_effort: 'low', messages: [{ ...assistantCall('1'), content: [thought('a')] }] },
      model,
      [],
    ],
    [
      'calls next to content blocks of the client',
      { reasoning_effort: 'low', messages: [{ ...assistantCall('1'), content_blocks: [{ thinking: 'a' }] }] },
      model,
      [],
    ],
    [
      'calls next to redacted blocks of the client',
      { reasoning_effort: 'low', messages: [{ ...assistantCall('1'), content_blocks: [{ data: 'a' }] }] },
      model,
      [],
    ],
  ];

  it.each(rows)('looks up the stored thinking that a request needs: %s', (_name, body, name, ids) => {
    const requestedIds: string[] = [];
    const recall = (ids: readonly string[]) => {
      requestedIds.push(...ids);
      return new Map<string, string>();
    };
    withStoredThinking(JsonBody.of(body), callOf({ model: name, notes: { recall, keep: () => undefined } }));
    expect(requestedIds).toEqual(ids);
  });
});

describe('withThoughts', () => {
  const storedNotes = new Map([
    ['1', JSON.stringify([thought('a'), text('b')])],
    ['2', JSON.stringify([thought('c')])],
  ]);
  const withThoughts = (body: Block, notes: ReadonlyMap<string, string> | undefined) => {
    const memory = notes === undefined ? undefined : { recall: () => notes, keep: () => undefined };
    return withStoredThinking(JsonBody.of({ ...body, thinking: {} }), callOf({ notes: memory }));
  };
  const restored = (message: Block) => withThoughts({ messages: [message] }, storedNotes)['messages'] as readonly Block[];
  const blocksOf = (message: Block) => restored(message)[0]?.['content_blocks'];

  it('inserts the stored blocks before each call', () => {
    expect(blocksOf(assistantCall('1', '2'))).toEqual([thought('a'), text('b'), toolUse('1'), thought('c'), toolUse('2')]);
    expect(blocksOf({ ...assistantCall('1'), content: [text('b')] })).toEqual([thought('a'), text('b'), toolUse('1')]);
  });

  it('keeps text and blocks that the client has changed', () => {
    expect(blocksOf({ ...assistantCall('1'), content: 'other' })).toEqual([thought('a'), text('other'), toolUse('1')]);
    expect(blocksOf({ ...assistantCall('1', '2'), content: 'b ' })).toEqual([
      thought('a'),
      text('b '),
      toolUse('1'),
      thought('c'),
      toolUse('2'),
    ]);
    expect(blocksOf({ ...assistantCall('1'), content: '' })).toEqual([thought('a'), toolUse('1')]);
    expect(blocksOf({ ...assistantCall('1'), content: [text('other')] })).toEqual([thought('a'), toolUse('1')]);
    expect(blocksOf({ ...assistantCall('1'), content_blocks: [text('b')] })).toEqual([thought('a'), toolUse('1'), text('b')]);
  });

  it('inserts each thinking block once', () => {
    const messages = withThoughts({ messages: [assistantCall('1'), assistantCall('1')] }, storedNotes)['messages'] as readonly Block[];
    expect(messages.map((message) => message['content_blocks'] !== undefined)).toEqual([true, false]);
  });

  it('returns the same body if nothing is stored', () => {
    const body = { messages: [assistantCall('1')], thinking: {} };
    expect([withThoughts(body, new Map()), withThoughts(body, undefined)]).toEqual([body, body]);
    expect(restored(assistantCall('9'))).toEqual([assistantCall('9')]);
  });
});
