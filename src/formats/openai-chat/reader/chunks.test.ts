import { expect, it } from 'vitest';
import type { ModelEvent } from '../../../core/events.ts';
import { MessageEvents } from '../../anthropic-messages/to-client/events.ts';
import { wholeMessage } from '../../anthropic-messages/to-client/index.ts';
import { collectChat } from '../collect.ts';
import { ChatReader } from './chunks.ts';

const chunk = (choices: readonly object[]): { name: string; data: string } => ({ name: '', data: JSON.stringify({ id: 'c', choices }) });
const done = { name: '', data: '[DONE]' };

it('ChatReader reads many choices and many sources separately', () => {
  const reader = new ChatReader();
  const numbers = Array.from({ length: 1000 }, (_, index) => index);
  reader.push(chunk(numbers.map((index) => ({ index, delta: { content: 'x' }, finish_reason: 'stop' }))));
  const annotations = Array.from({ length: 125_000 }, () => ({}));
  reader.push(chunk([{ index: 7, delta: { annotations } }]));
  reader.push(done);
  const events = reader.end();
  expect(events.filter(({ type }) => type === 'finish').map((event) => 'choice' in event && event.choice)).toEqual(numbers);
  expect(events.find(({ type }) => type === 'annotations')).toMatchObject({ choice: 7, annotations: { length: 125_000 } });
});

const chunksWith = (...deltas: readonly object[]): readonly object[] => {
  const reader = new ChatReader();
  const chunks = deltas.map((delta, index) => chunk([{ index: 0, delta, finish_reason: index === deltas.length - 1 ? 'stop' : null }]));
  const events = [...chunks, done].flatMap((event) => reader.push(event));
  return [...events, ...reader.end()].filter(({ type }) => type !== 'start' && type !== 'finish');
};
const calls = (...tool_calls: readonly object[]): object => ({ tool_calls });
const toolCall = { type: 'tool_call', choice: 0 };

it.each([
  [
    'a call with a late name',
    [
      calls({ index: 0, id: 'a', type: 'function' }, { index: 1, id: 'b', function: { name: 'g', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{"x"' } }),
      calls({ index: 0, function: { name: 'f', arguments: ':1' } }),
      calls({ index: 0, function: { arguments: '}' } }),
    ],
    [
      { ...toolCall, index: 1, id: 'b', name: 'g', arguments: '' },
      { ...toolCall, index: 0, id: 'a', name: 'f', arguments: '{"x":1' },
      { ...toolCall, index: 0, arguments: '}' },
    ],
  ],
  [
    'a call without a name',
    [calls({ index: 0, id: 'a', function: { arguments: '{' } }), calls({ index: 0, function: { arguments: '}' } })],
    [{ ...toolCall, index: 0, id: 'a', name: '', arguments: '{}' }],
  ],
  ['text next to an empty list of blocks', [{ content: 'x', content_blocks: [] }], [{ type: 'text', choice: 0, text: 'x' }]],
  [
    'parts with alternative names',
    [
      {
        content: [
          { type: 'output_text', text: 'x' },
          { type: 'refusal', refusal: 'no' },
        ],
      },
    ],
    [
      { type: 'text', choice: 0, text: 'x' },
      { type: 'refusal', choice: 0, text: 'no' },
    ],
  ],
  ['an object that was requested as JSON', [{ content: { a: 1 } }], [{ type: 'text', choice: 0, text: '{"a":1}' }]],
  [
    'strings in a list',
    [{ content: ['x', { type: 'text', text: 'y' }, { text: 'z' }] }],
    ['x', 'y', 'z'].map((text) => ({ type: 'text', choice: 0, text })),
  ],
  [
    'signed thinking and a tool step in a list',
    [
      {
        content: [
          { type: 'thinking', thinking: 'x', signature: 's' },
          { type: 'server_tool_use', id: 'a' },
        ],
      },
    ],
    [
      { type: 'thinking', choice: 0, text: 'x', signature: 's' },
      { type: 'block', choice: 0, block: -1, state: 'open', kind: 'native', native: { type: 'server_tool_use', id: 'a' } },
    ],
  ],
])('ChatReader reads %s', (_name, deltas, events) => {
  expect(chunksWith(...deltas)).toEqual(events);
});

it.each<[object, object]>([
  [{ finish_reason: 'error' }, { message: 'The provider ended its response with "error".', status: 502 }],
  // OpenRouter, API reference, "Errors": the reason is in the choice.
  [
    { finish_reason: 'error', error: { code: 429, message: 'Slow down.' } },
    { message: 'Slow down.', status: 429 },
  ],
  [
    { finish_reason: 'error', error: { code: 'x', message: 'No.' } },
    { message: 'No.', status: 502 },
  ],
])('ChatReader reports a choice with the finish reason "error" as an error: %j', (choice, error) => {
  const reader = new ChatReader();
  const events = [...reader.push(chunk([{ index: 0, delta: { content: 'x' }, ...choice }])), ...reader.push(done), ...reader.end()];
  expect(events.at(-1)).toMatchObject({ type: 'error', error });
});

it('ChatReader reads arguments of null as a call without arguments', () => {
  const reader = new ChatReader();
  const writer = new MessageEvents({ id: 'r', model: 'm' });
  const deltas = [
    calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
    calls({ index: 0, function: { arguments: 'null' } }),
  ];
  const events = deltas.flatMap((delta) => reader.push(chunk([{ index: 0, delta }]))).flatMap((event) => writer.push(event));
  expect(events.map(({ type }) => type)).toEqual(['message_start', 'ping', 'content_block_start']);
  const message = { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: 'null' } }] };
  expect(wholeMessage({ choices: [{ index: 0, message }] }, { id: 'r', model: 'm' })['content']).toEqual([
    { type: 'tool_use', id: 'a', name: 'f', input: {} },
  ]);
});

it.each([
  ['chatcmpl-req_1', 'msg_req_1'],
  ['', 'msg_req_1'],
  ['chatcmpl-9', 'chatcmpl-9'],
])('wholeMessage for the completion ID %j has the ID %s', (id, expected) => {
  const completion = { id, choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] };
  expect(wholeMessage(completion, { id: 'req_1', model: 'm' })['id']).toBe(expected);
});

it('cache writes are counted equally in a complete response and in a stream', () => {
  const call = { id: 'req_1', createdAt: 1, model: 'm', strict: false, showsReasoning: false };
  const events: readonly ModelEvent[] = [
    { type: 'text', choice: 0, text: 'x' },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'usage', usage: { prompt: 100, completion: 9, cached: 30, cacheWrite: 50, details: { cache_write_1h: 40 } } },
  ];
  const writer = new MessageEvents(call);
  const streamed = [...events.flatMap((event) => writer.push(event)), ...writer.end()].find(({ type }) => type === 'message_delta');
  expect(wholeMessage(collectChat(events, call), call)['usage']).toEqual(streamed?.['usage']);
  expect(streamed?.['usage']).toMatchObject({
    input_tokens: 20,
    cache_creation_input_tokens: 50,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 40 },
    cache_read_input_tokens: 30,
  });
});

it.each<[string, object, object]>([
  ['vLLM', { finish_reason: 'stop', stop_reason: 'END' }, { stop_reason: 'stop_sequence', stop_sequence: 'END' }],
  ['SGLang', { finish_reason: 'stop', matched_stop: 'END' }, { stop_reason: 'stop_sequence', stop_sequence: 'END' }],
  ['a token of the model', { finish_reason: 'stop', stop_reason: 128_008 }, { stop_reason: 'end_turn', stop_sequence: null }],
  ['another reason', { finish_reason: 'length', stop_reason: 'END' }, { stop_reason: 'max_tokens', stop_sequence: null }],
  ['none', { finish_reason: 'stop', stop_reason: null }, { stop_reason: 'end_turn', stop_sequence: null }],
])('the stop sequence that ended the response is reported: %s', (_name, end, expected) => {
  const names = { id: 'r', model: 'm' };
  expect(wholeMessage({ choices: [{ message: { content: 'x' }, ...end }] }, names)).toMatchObject(expected);
  const reader = new ChatReader();
  const writer = new MessageEvents(names);
  const modelEvents = [...reader.push(chunk([{ index: 0, delta: { content: 'x' }, ...end }])), ...reader.end()];
  const written = [...modelEvents.flatMap((event) => writer.push(event)), ...writer.end()];
  expect(written.find(({ type }) => type === 'message_delta')).toMatchObject({ delta: expected });
});

const page = { type: 'web_search_result_location', cited_text: '', encrypted_index: 'gateway:unsigned' };

it.each<[string, object, object, readonly object[]]>([
  [
    'URLs and search results with titles',
    {},
    { citations: ['https://a.example', 'https://b.example'], search_results: [{ url: 'https://b.example', title: 'B', date: null }] },
    [
      { ...page, url: 'https://a.example', title: null },
      { ...page, url: 'https://b.example', title: 'B' },
    ],
  ],
  [
    'search results alone',
    {},
    { search_results: [{ url: 'https://b.example', title: 'B' }] },
    [{ ...page, url: 'https://b.example', title: 'B' }],
  ],
  ['URLs alone', {}, { citations: ['https://a.example'] }, [{ ...page, url: 'https://a.example', title: null }]],
  [
    'annotations, which take precedence',
    { annotations: [{ type: 'url_citation', url_citation: { url: 'https://c.example', title: 'C' } }] },
    { citations: ['https://a.example'] },
    [{ ...page, url: 'https://c.example', title: 'C' }],
  ],
  ['empty lists', {}, { citations: [], search_results: null }, []],
])('sources next to the choices are converted to citations: %s', (_name, messageMembers, completionMembers, expected) => {
  const names = { id: 'r', model: 'm' };
  const message = wholeMessage(
    { choices: [{ message: { content: 'x', ...messageMembers }, finish_reason: 'stop' }], ...completionMembers },
    names,
  );
  expect(message['content']).toEqual([{ type: 'text', text: 'x', ...(expected.length === 0 ? {} : { citations: expected }) }]);
  const reader = new ChatReader();
  const writer = new MessageEvents(names);
  const deltas = [{ content: '' }, { content: 'x' }, messageMembers];
  const modelEvents = deltas.flatMap((delta) =>
    reader.push({ name: '', data: JSON.stringify({ id: 'c', choices: [{ index: 0, delta }], ...completionMembers }) }),
  );
  const written = [...modelEvents, ...reader.push(done), ...reader.end()].flatMap((event) => writer.push(event));
  const citations = written.flatMap(({ delta }) => (delta as { citation?: object } | undefined)?.citation ?? []);
  expect(citations).toEqual(expected);
});
