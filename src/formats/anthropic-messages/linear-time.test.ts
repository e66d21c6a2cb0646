import { expect, it } from 'vitest';
import { partsInOrder } from '../history/assistant-parts.ts';
import { toMessages } from './request/index.ts';
import { MessageEvents } from './to-client/events.ts';

type Json = Record<string, unknown>;

const count = 60_000;
const repeat = (create: (index: number) => Json): Json[] => Array.from({ length: count }, (_, index) => create(index));
const user: Json = { role: 'user', content: 'Hi' };
const callOf = (id: string): Json => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const toolUseOf = (id: string): Json => ({ type: 'tool_use', id, name: 'f', input: {} });

/** A quadratic algorithm would need minutes for these. */
const histories: Readonly<Record<string, readonly Json[]>> = {
  'assistant messages in a row': [user, ...repeat(() => ({ role: 'assistant', content: 'a' })), user],
  'the same ID for all calls': [user, { role: 'assistant', content: null, tool_calls: repeat(() => callOf('c')) }],
  'results in reverse order': [
    user,
    { role: 'assistant', content: null, tool_calls: repeat((index) => callOf(`c${index}`)) },
    ...repeat((index) => ({ role: 'tool', tool_call_id: `c${count - 1 - index}`, content: String(count - 1 - index) })),
  ],
  'results of unknown functions': [
    user,
    { role: 'assistant', content: null, tool_calls: repeat((index) => callOf(`c${index}`)) },
    ...repeat(() => ({ role: 'function', name: 'g', content: 'a' })),
  ],
  'a long call next to many short ones': [
    user,
    {
      role: 'assistant',
      content: null,
      function_call: { name: 'f', arguments: JSON.stringify({ a: 'x'.repeat(1_000_000) }) },
      tool_calls: repeat((index) => callOf(`c${index}`)),
    },
  ],
  'blocks of calls in reverse order': [
    user,
    {
      role: 'assistant',
      content: null,
      tool_calls: repeat((index) => callOf(`c${index}`)),
      content_blocks: repeat((index) => toolUseOf(`c${count - 1 - index}`)),
    },
  ],
};

const convert = (body: Json): Json =>
  toMessages({ max_tokens: 9, ...body }, { model: 'claude-sonnet-4-5', foundationModel: undefined, stream: false }, { media: new Map() })
    .body;

it.each(Object.entries(histories))('toMessages converts a long history in linear time: %s', (_name, messages) => {
  expect((convert({ messages })['messages'] as Json[]).length).toBeGreaterThan(1);
});

it('toMessages sends results in the order of their calls', () => {
  const { messages } = convert({ messages: histories['results in reverse order'] }) as { messages: { content: Json[] }[] };
  expect(messages[2]?.content.every(({ tool_use_id: id, content }, index) => id === `c${index}` && content === String(index))).toBe(true);
});

it('MessageEvents writes calls that begin at the same time in linear time', () => {
  const writer = new MessageEvents({ id: 'r', model: 'm' });
  const write = (index: number, part: object) => writer.push({ type: 'tool_call', choice: 0, index, ...part }).length;
  for (let index = 0; index < count; index += 1) write(index, { name: 'f', arguments: '' });
  for (let index = 0; index < count; index += 1) expect(write(index, { arguments: '{}' })).toBeGreaterThan(0);
});

it('partsInOrder collects streamed citations in linear time', () => {
  const deltas = [{ index: 0, delta: { text: 'a' } }, ...repeat((index) => ({ index: 0, delta: { citation: { at: index } } }))];
  const parts = partsInOrder({ role: 'assistant', content_blocks: deltas });
  expect(parts).toMatchObject([{ kind: 'text', from: { citations: { length: count } } }]);
});

it('toMessages converts a schema with repeated types at each level in linear time', () => {
  let schema: Json = { type: 'string' };
  for (let level = 0; level < 60; level += 1) schema = { type: ['object', 'object'], properties: { a: schema } };
  const converted = convert({ messages: [user], response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } });
  expect(JSON.stringify(converted)).toContain('"additionalProperties":false');
});
