import { expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/merge.ts';
import { ResponseEvents } from './to-client/events.ts';
import { toHub } from './to-hub/index.ts';

const count = 60_000;
const repeat = (create: (index: number) => JsonObject): JsonObject[] => Array.from({ length: count }, (_, index) => create(index));
const call = (id: number): JsonObject => ({ type: 'function_call', call_id: `c${id}`, name: 'f', arguments: '{}' });

/** A quadratic algorithm would need minutes for these. */
const inputs: Readonly<Record<string, readonly JsonObject[]>> = {
  'messages of the assistant in a row': repeat(() => ({ role: 'assistant', content: 'a' })),
  'calls, and their outputs in reverse order': [
    ...repeat(call),
    ...repeat((index) => ({ type: 'function_call_output', call_id: `c${count - 1 - index}`, output: 'a' })),
  ],
  'messages between calls and outputs': repeat((index) => (index % 2 === 0 ? call(index) : { role: 'user', content: 'a' })),
  reasoning: repeat(() => ({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: 'gateway:thinking:S' })),
  'parts of a message': [{ role: 'user', content: repeat(() => ({ type: 'input_text', text: 'a' })) }],
};

it.each(Object.entries(inputs))('toHub converts a long input in linear time: %s', (_name, input) => {
  expect(JSON.stringify(toHub({ model: 'm', input }).body).length).toBeGreaterThan(count);
});

const written: Readonly<Record<string, (writer: ResponseEvents, index: number) => unknown>> = {
  'calls that begin at the same time': (writer, index) => writer.push({ type: 'tool_call', choice: 0, index, name: 'f', arguments: '' }),
  'calls and text in turns': (writer, index) =>
    index % 2 === 0
      ? writer.push({ type: 'tool_call', choice: 0, index, name: 'f', arguments: '{' })
      : writer.push({ type: 'text', choice: 0, text: 'a' }),
  'pieces of text': (writer) => writer.push({ type: 'text', choice: 0, text: 'a' }),
  sources: (writer, index) =>
    writer.push(
      index % 2 === 0
        ? { type: 'text', choice: 0, text: 'abc' }
        : { type: 'annotations', choice: 0, annotations: [{ type: 'url_citation', url_citation: { url: 'u', start_index: 1 } }] },
    ),
};

it.each(Object.entries(written))('a response is written in linear time: %s', (_name, write) => {
  const writer = new ResponseEvents({ id: 'r', model: 'm', createdAt: 1 });
  for (let index = 0; index < count; index += 1) write(writer, index);
  writer.push({ type: 'finish', choice: 0, reason: 'stop' });
  expect(writer.end().length).toBeGreaterThan(1);
});
