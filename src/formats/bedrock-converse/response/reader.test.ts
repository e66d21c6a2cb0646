import { expect, it } from 'vitest';
import { MessageEvents } from '../../anthropic-messages/to-client/events.ts';
import { collectChat } from '../../openai-chat/collect.ts';
import { ConverseStream } from './stream.ts';
import { ConverseTap } from './tap.ts';
import { fromConverse } from './whole.ts';

const call = { id: 'r', createdAt: 1, model: 'm', strict: false, showsReasoning: false };
const used = { toolUseId: 's', name: 'nova_grounding', type: 'server_tool_use' };
const groundingResult = { toolUseId: 's', type: 'nova_grounding_result', status: 'success' };
const content = [{ text: 'A page.' }];

const event = (name: string, data: object) => ({ name, data: JSON.stringify(data) });
const streamed = [
  event('messageStart', { role: 'assistant' }),
  event('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: used } }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{"q":12345678901234567890' } } }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '}' } } }),
  event('contentBlockStop', { contentBlockIndex: 0 }),
  event('contentBlockStart', { contentBlockIndex: 1, start: { toolResult: groundingResult } }),
  event('contentBlockDelta', { contentBlockIndex: 1, delta: { toolResult: content } }),
  event('contentBlockStop', { contentBlockIndex: 1 }),
  event('messageStop', { stopReason: 'end_turn' }),
];
const readWire = (wire: readonly ReturnType<typeof event>[]) => {
  const stream = new ConverseStream(call);
  return wire.flatMap((event) => stream.push(event));
};
const events = () => readWire(streamed);

it('a Converse response keeps the input and the result of a server tool, whole and streamed', () => {
  const text = `{"output":{"message":{"role":"assistant","content":[
    {"toolUse":${JSON.stringify(used).slice(0, -1)},"input":{"q":12345678901234567890}}},
    {"toolResult":${JSON.stringify({ ...groundingResult, content })}}]}},"stopReason":"end_turn"}`;
  const complete = JSON.stringify(fromConverse(text, call));
  expect(complete).toContain('{"type":"server_tool_use","id":"s","name":"nova_grounding","input":{"q":12345678901234567890}}');
  expect(complete).toContain('{"type":"nova_grounding_result","tool_use_id":"s","content":[{"text":"A page."}]}');
  const streamedText = JSON.stringify(events());
  expect(streamedText).toContain('"native":{"input":{"q":12345678901234567890}}');
  expect(streamedText).toContain('"native":{"content":[{"text":"A page."}]}');
});

it('a Converse stream has the input of a server tool for clients of the messages API', () => {
  const writer = new MessageEvents({ id: 'r', model: 'm' });
  expect(events().flatMap((event) => writer.push(event))).toContainEqual({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json: '{"q":12345678901234567890}' },
  });
});

const video = { format: 'mp4', source: { s3Location: { uri: 's3://b/k' } } };

it.each([
  ['an unknown kind', { video }, { type: 'video', ...video }],
  [
    'an image that failed',
    { image: { format: 'png', error: { message: 'No.' } } },
    { type: 'image', format: 'png', error: { message: 'No.' } },
  ],
  ['an image without its bytes', { image: { ...video, format: 'webp' } }, { type: 'image', ...video, format: 'webp' }],
])('a Converse response has unknown content as a block: %s', (_name, content, expected) => {
  const complete = fromConverse(JSON.stringify({ output: { message: { content: [content] } }, stopReason: 'end_turn' }), call);
  const [kind, { format, ...rest }] = Object.entries(content)[0] ?? ['', video];
  const events = readWire([
    event('contentBlockStart', { contentBlockIndex: 0, start: { [kind]: { format } } }),
    event('contentBlockDelta', { contentBlockIndex: 0, delta: { [kind]: rest } }),
    event('contentBlockStop', { contentBlockIndex: 0 }),
    event('messageStop', { stopReason: 'end_turn' }),
  ]);
  for (const completion of [complete, collectChat(events, call)])
    expect(completion['choices']).toMatchObject([{ message: { content_blocks: [expected] } }]);
});

it('a Converse stream ignores unknown events', () => {
  expect(readWire([event('initial-response', {}), { name: 'initial-response', data: '' }])).toEqual([]);
});

it.each([
  ['a call without arguments', [event('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'f' } } })]],
  ['the input of a server tool', streamed.slice(1, 4)],
  ['the result of a server tool', streamed.slice(5, 7)],
  [
    'encrypted reasoning',
    [event('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent: 'cmVkYWN0ZWQ=' } } })],
  ],
  [
    'citations',
    [
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'x' } }),
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { citation: { location: { web: { url: 'https://a.example' } } } } }),
    ],
  ],
])('a Converse stream closes blocks that the service leaves open: %s', (_name, block) => {
  const close = { ...block[0], name: 'contentBlockStop' } as ReturnType<typeof event>;
  const end = event('messageStop', { stopReason: 'end_turn' });
  expect(readWire([...block, end])).toEqual(readWire([...block, close, end]));
});

const toolUse = event('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'f' } } });
const plainText = event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi' } });

it.each([
  ['end_turn after a call', [toolUse], 'end_turn', 'tool_calls', 'tool_use'],
  ['tool_use after a call', [toolUse], 'tool_use', 'tool_calls', 'tool_use'],
  ['tool_use without a call', [plainText], 'tool_use', 'stop', 'end_turn'],
  ['max_tokens after a call', [toolUse], 'max_tokens', 'length', 'max_tokens'],
  ['stop_sequence', [plainText], 'stop_sequence', 'stop', 'stop_sequence'],
])('a Converse response with the stop reason %s', (_name, content, stopReason, finish, stop) => {
  const read = readWire([...content, event('messageStop', { stopReason })]);
  expect(read).toContainEqual({ type: 'finish', choice: 0, reason: finish, raw: stopReason });
  const writer = new MessageEvents({ id: 'r', model: 'm' });
  const written = [...read.flatMap((one) => writer.push(one)), ...writer.end()];
  expect(written.find(({ type }) => type === 'message_delta')).toMatchObject({ delta: { stop_reason: stop } });
});

it.each([
  ['flex', { tier: 'flex' }],
  ['default', undefined],
])('a Converse response has the tier %s in its usage, whole and streamed', (type, details) => {
  const metadata = { usage: { inputTokens: 5, outputTokens: 1 }, serviceTier: { type } };
  const streamed = new ConverseTap();
  streamed.event(event('metadata', metadata));
  const complete = new ConverseTap();
  complete.whole(JSON.stringify({ output: { message: { content } }, stopReason: 'end_turn', ...metadata }));
  for (const { usage } of [streamed, complete]) expect([usage?.prompt, usage?.details]).toEqual([5, details]);
});
