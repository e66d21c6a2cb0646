import { expect, it } from 'vitest';
import type { LogRecord } from '../../../core/records/record.ts';
import { sampleRecord } from '../../../store/fixtures/sample.ts';
import { messagesOf } from './index.ts';

const record = {} as LogRecord;
const inputOf = (messages: readonly object[]): unknown[] =>
  JSON.parse(messagesOf({ record, request: JSON.stringify({ messages }), response: undefined }).input ?? '[]') as unknown[];
const userMessage = (content: string) => ({ role: 'user', content });
const expectedMessage = (content: string) => ({ role: 'user', parts: [{ type: 'text', content }] });

it('truncates a long conversation to the latest messages that fit', () => {
  const longConversation = Array.from({ length: 100 }, (_, index) => userMessage(`${index} ${'x'.repeat(1000)}`));
  const exported = inputOf(longConversation);
  expect(exported.at(-1)).toEqual(expectedMessage(`99 ${'x'.repeat(1000)}`));
  const size = JSON.stringify(exported).length;
  expect(size).toBeLessThanOrEqual(64 * 1024);
  expect(size + JSON.stringify(expectedMessage(`1 ${'x'.repeat(1000)}`)).length).toBeGreaterThan(64 * 1024);
});

it('keeps a conversation that fits exactly', () => {
  const empty = JSON.stringify([expectedMessage('a'), expectedMessage('')]).length;
  const full = [userMessage('a'), userMessage('x'.repeat(64 * 1024 - empty))];
  expect(inputOf(full)).toHaveLength(2);
  expect(inputOf([userMessage('ab'), ...full.slice(1)])).toHaveLength(1);
  expect(inputOf([userMessage('x'.repeat(64 * 1024))])).toEqual([]);
});

const callPart = { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Oslo' } };
const textPart = (content: string) => ({ type: 'text', content });
const json = '{"city":"Oslo"}';

it.each<[string, object, object]>([
  [
    'chat completions',
    {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'text', text: 'Oslo?' }] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: json } }] },
        { role: 'tool', tool_call_id: 'c1', content: '4 degrees' },
      ],
    },
    { instructions: undefined, isFirst: true },
  ],
  [
    'messages',
    {
      system: [{ type: 'text', text: 'Be kind.' }],
      messages: [
        { role: 'user', content: 'Oslo?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '4 degrees' }] }] },
      ],
    },
    { instructions: [textPart('Be kind.')], resultRole: 'user' },
  ],
  [
    'responses',
    {
      instructions: 'Be kind.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Oslo?' }] },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: json },
        { type: 'function_call_output', call_id: 'c1', output: '4 degrees' },
      ],
    },
    { instructions: [textPart('Be kind.')] },
  ],
])('converts instructions, calls and results of %s to the GenAI semantic conventions', (_, body, expected) => {
  const { instructions, isFirst, resultRole } = { isFirst: false, resultRole: 'tool', instructions: undefined, ...expected };
  const { system, input } = messagesOf({ record, request: JSON.stringify(body), response: undefined });
  expect(system === undefined ? undefined : JSON.parse(system)).toEqual(instructions);
  expect(JSON.parse(input ?? '')).toEqual([
    ...(isFirst ? [{ role: 'system', parts: [textPart('Be kind.')] }] : []),
    { role: 'user', parts: [textPart('Oslo?')] },
    { role: 'assistant', parts: [callPart] },
    { role: resultRole, parts: [{ type: 'tool_call_response', id: 'c1', response: '4 degrees' }] },
  ]);
});

const events = (...list: readonly object[]): string => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const chunk = (delta: object, index = 0) => ({ choices: [{ index, delta }] });
const toolDelta = (id: string | undefined, name: string | undefined, args: string) => ({
  tool_calls: [{ index: 0, id, function: { name, arguments: args } }],
});

it.each<[string, string]>([
  [
    'a chat completion',
    JSON.stringify({
      choices: [{ message: { content: 'Wait.', tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: json } }] } }],
    }),
  ],
  [
    'a message',
    JSON.stringify({
      content: [
        { type: 'text', text: 'Wait.' },
        { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
      ],
    }),
  ],
  [
    'a response',
    JSON.stringify({
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Wait.' }] },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: json },
      ],
    }),
  ],
  [
    'a streamed chat completion',
    events(
      chunk({ role: 'assistant', content: 'Wa' }),
      chunk({ content: 'it.' }),
      chunk(toolDelta('c1', 'weather', '')),
      chunk(toolDelta(undefined, undefined, '{"city":')),
      chunk(toolDelta(undefined, undefined, '"Oslo"}')),
    ),
  ],
  [
    'a streamed message',
    events(
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Wait.' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c1', name: 'weather', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"city":' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"Oslo"}' } },
    ),
  ],
  [
    'a streamed response',
    events(
      { type: 'response.output_text.delta', delta: 'Wait.' },
      { type: 'response.function_call_arguments.delta', delta: json },
      { type: 'response.output_item.done', item: { type: 'function_call', call_id: 'c1', name: 'weather', arguments: json } },
    ),
  ],
])('converts %s to one output message with its finish reason', (_, response) => {
  const { output } = messagesOf({ record: sampleRecord({ finish: ['tool_calls'] }), request: undefined, response });
  expect(JSON.parse(output ?? '')).toMatchObject([
    { role: 'assistant', parts: [textPart('Wait.'), callPart], finish_reason: 'tool_calls' },
  ]);
});

it('separates the choices of a stream and sets the finish reason of each', () => {
  const response = events(chunk({ content: 'b' }, 1), chunk({ content: 'a' }), chunk({ content: 'b' }, 1), chunk({ content: 'a' }));
  const output = (part: Partial<LogRecord>): unknown =>
    JSON.parse(messagesOf({ record: sampleRecord(part), request: undefined, response }).output ?? '');
  const messagesWith = (first: string, second: string) => [
    { role: 'assistant', parts: [textPart('aa')], finish_reason: first },
    { role: 'assistant', parts: [textPart('bb')], finish_reason: second },
  ];
  expect(output({ finish: ['stop', 'length'] })).toEqual(messagesWith('stop', 'length'));
  expect(output({ finish: [] })).toEqual(messagesWith('stop', 'stop'));
  expect(output({ finish: [], end: 'fault' })).toEqual(messagesWith('fault', 'fault'));
});

it.each([
  ['U+2028', '\u2028'],
  ['U+2029', '\u2029'],
])('reads the events of a stream that contain the line separator %s', (_, separator) => {
  const response = events(chunk({ content: 'one ' }), chunk({ content: `a${separator}b` })).replaceAll('\n\n', '\r\n\r\n');
  const { output } = messagesOf({ record: sampleRecord({ finish: ['stop'] }), request: undefined, response });
  expect(JSON.parse(output ?? '')).toMatchObject([{ parts: [textPart(`one a${separator}b`)] }]);
});

const customCall = { type: 'custom_tool_call', call_id: 'c1', name: 'run', input: 'ls' };
const shellCall = { type: 'shell_call', call_id: 'c2', action: { commands: ['ls'] } };
const ownCallParts = [
  { type: 'tool_call', id: 'c1', name: 'run', arguments: 'ls' },
  { type: 'tool_call', id: 'c2', name: 'shell', arguments: { commands: ['ls'] } },
];

it('converts calls of custom tools and of a shell, and their results', () => {
  const input = [
    customCall,
    shellCall,
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'a' },
    { type: 'shell_call_output', call_id: 'c2', output: [{ stdout: 'b', stderr: 'c', outcome: { type: 'exit', exit_code: 0 } }] },
  ];
  const shown = messagesOf({ record, request: JSON.stringify({ input }), response: undefined }).input;
  expect(JSON.parse(shown ?? '')).toEqual([
    ...ownCallParts.map((part) => ({ role: 'assistant', parts: [part] })),
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'a' }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c2', response: 'bc' }] },
  ]);
});

it.each<[string, string]>([
  ['a chat completion', JSON.stringify({ choices: [{ message: { content: null, refusal: 'No.' } }] })],
  ['a streamed chat completion', events(chunk({ refusal: 'N' }), chunk({ refusal: 'o.' }))],
  ['a response', JSON.stringify({ output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }, customCall, shellCall] })],
  [
    'a streamed response',
    events(
      { type: 'response.refusal.delta', delta: 'No.' },
      ...[customCall, shellCall].map((item) => ({ type: 'response.output_item.done', item })),
    ),
  ],
])('converts a refusal in %s, and calls of tools that are not functions', (name, response) => {
  const { output } = messagesOf({ record: sampleRecord({ finish: ['stop'] }), request: undefined, response });
  const calls = name.endsWith('response') ? ownCallParts : [];
  expect(JSON.parse(output ?? '')).toMatchObject([{ role: 'assistant', parts: [textPart('No.'), ...calls] }]);
});
