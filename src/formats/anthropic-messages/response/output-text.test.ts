import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../../core/events.ts';
import { JsonBody } from '../../../core/json/body.ts';
import { ConverseStream } from '../../bedrock-converse/response/stream.ts';
import { fromConverse } from '../../bedrock-converse/response/whole.ts';
import { collectChat } from '../../openai-chat/collect.ts';
import { offersOutput, outputTool } from './output-tool.ts';
import { fromMessage } from './result.ts';
import { MessagesStream } from './stream.ts';

type Piece = { readonly text: string } | { readonly name: string; readonly input: object } | { readonly thinking: string };

const call = { id: 'req_1', createdAt: 1, model: 'm', strict: false };
const text = { text: 'Here it is: ' };
const output = { name: outputTool, input: { a: 1 } };
const tool = { name: 'weather', input: {} };
const stop = (pieces: readonly Piece[]) => (pieces.some((piece) => 'name' in piece) ? 'tool_use' : 'end_turn');

const block = (piece: Piece) =>
  'text' in piece
    ? { type: 'text', ...piece }
    : 'name' in piece
      ? { type: 'tool_use', id: 't', ...piece }
      : { type: 'thinking', ...piece, signature: 's' };

const converseBlock = (piece: Piece) =>
  'text' in piece
    ? piece
    : 'name' in piece
      ? { toolUse: { toolUseId: 't', ...piece } }
      : { reasoningContent: { reasoningText: { text: piece.thinking, signature: 's' } } };

function messageEvents(pieces: readonly Piece[]): readonly ModelEvent[] {
  const stream = new MessagesStream(call, true);
  const events = [
    { type: 'message_start', message: { id: 'm', model: 'm' } },
    ...pieces.flatMap((piece, index) => [
      { type: 'content_block_start', index, content_block: block(piece) },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop(pieces) } },
    { type: 'message_stop' },
  ];
  return events.flatMap((event) => stream.push({ name: '', data: JSON.stringify(event) }));
}

function converseEvents(pieces: readonly Piece[]): readonly ModelEvent[] {
  const stream = new ConverseStream(call, true);
  const push = (name: string, data: object): readonly ModelEvent[] => stream.push({ name, data: JSON.stringify(data) });
  const blocks = pieces.flatMap((piece, contentBlockIndex) => {
    const deltas =
      'text' in piece
        ? push('contentBlockDelta', { contentBlockIndex, delta: { text: piece.text } })
        : 'thinking' in piece
          ? push('contentBlockDelta', { contentBlockIndex, delta: { reasoningContent: { text: piece.thinking, signature: 's' } } })
          : [
              ...push('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: 't', name: piece.name } } }),
              ...push('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input: JSON.stringify(piece.input) } } }),
            ];
    return [...deltas, ...push('contentBlockStop', { contentBlockIndex })];
  });
  return [...push('messageStart', { role: 'assistant' }), ...blocks, ...push('messageStop', { stopReason: stop(pieces) })];
}

const services = [
  [
    'Anthropic',
    messageEvents,
    (pieces: readonly Piece[]) =>
      fromMessage(JSON.stringify({ id: 'm', model: 'm', content: pieces.map(block), stop_reason: stop(pieces) }), call),
  ],
  [
    'Bedrock',
    converseEvents,
    (pieces: readonly Piece[]) =>
      fromConverse(JSON.stringify({ output: { message: { content: pieces.map(converseBlock) } }, stopReason: stop(pieces) }), call),
  ],
] as const;

describe.each(services)('a response of %s with a schema', (_name, events, whole) => {
  it.each<[string, readonly Piece[], string | null]>([
    ['only the output tool', [output], '{"a":1}'],
    ['text before the output tool', [text, output], '{"a":1}'],
    ['text after the output tool', [output, text], '{"a":1}'],
    ['thinking and text before the output tool', [text, { thinking: 'hm' }, text, output], '{"a":1}'],
    ['only text', [text], 'Here it is: '],
    ["text before a tool of the client's", [text, { thinking: 'hm' }, tool], 'Here it is: '],
  ])('has the same content whole and streamed: %s', (_case, pieces, content) => {
    const collected = collectChat(events(pieces), call, true);
    expect(collected['choices']).toMatchObject([{ message: { content } }]);
    expect(collected['choices']).toEqual(whole(pieces)['choices']);
  });
});

it('text before the output tool is not lost if the stream ends with an error', () => {
  const stream = new MessagesStream(call, true);
  const events = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'x' } },
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  ].flatMap((event) => stream.push({ name: '', data: JSON.stringify(event) }));
  expect(events.map(({ type }) => type)).toEqual(['block', 'text', 'error']);
});

it.each([
  [{ tools: [{ name: 'f' }, { name: outputTool }] }, true],
  [{ toolConfig: { tools: [{ toolSpec: { name: outputTool } }] } }, true],
  [{ tools: [{ name: 'f' }] }, false],
  [{ toolConfig: { tools: [{ toolSpec: { name: 'f' } }] } }, false],
  [{}, false],
])('offersOutput(%j) is %s', (body, expected) => {
  expect(offersOutput(JsonBody.of(body))).toBe(expected);
});
