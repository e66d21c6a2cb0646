import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../core/events.ts';
import { withFunctionCalls } from './legacy-calls.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { partsInOrder } from '../history/assistant-parts.ts';
import { openaiDialect } from './client.ts';
import { collectChat } from './collect.ts';

const call = {
  id: 'r1',
  createdAt: 1,
  model: 'm',
  strict: true,
  includeUsage: false,
  provider: 'p',
  asksForFunctions: true,
  notes: undefined,
  showsReasoning: false,
};
const toolCallEvents = (index: number, name: string, args: string): ModelEvent[] => [
  { type: 'tool_call', choice: 0, index, id: `c${index}`, name, arguments: '' },
  { type: 'tool_call', choice: 0, index, arguments: args },
];
const begin: ModelEvent = { type: 'start', id: 'a', model: 'm', created: 1 };
const finish: ModelEvent = { type: 'finish', choice: 0, reason: 'tool_calls' };

/** The message and the finish reason, of the complete response and joined from the deltas. */
function messagesOf(events: readonly ModelEvent[]): readonly JsonObject[] {
  const completion = JSON.parse(openaiDialect.answer?.(collectChat(events, call), call) ?? '') as { choices: JsonObject[] };
  const writer = openaiDialect.write?.(call);
  const pieces = [...events.flatMap((event) => [...(writer?.push(event) ?? [])]), ...(writer?.end() ?? [])].join('');
  const chunks = pieces
    .split('\n\n')
    .filter((text) => text.startsWith('data: {'))
    .map((text) => JSON.parse(text.slice(6)) as { choices: JsonObject[] });
  let message: JsonObject = {};
  let reason: unknown;
  for (const { choices } of chunks) {
    message = joined(message, choices[0]?.['delta'] as JsonObject);
    reason = choices[0]?.['finish_reason'] ?? reason;
  }
  const { message: choiceMessage, finish_reason } = completion.choices[0] as JsonObject;
  return [
    { ...(choiceMessage as JsonObject), reason: finish_reason },
    { ...message, reason },
  ];
}

/** Strings are concatenated and lists merged by index, as in OpenAI's SDKs. */
function joined(accumulated: JsonObject, delta: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...accumulated };
  for (const [key, value] of Object.entries(delta)) {
    const existing = merged[key];
    if (key === 'index' || key === 'type' || key === 'role') merged[key] = value;
    else if (typeof existing === 'string' && typeof value === 'string') merged[key] = existing + value;
    else if (isJsonObject(existing) && isJsonObject(value)) merged[key] = joined(existing, value);
    else if (Array.isArray(value)) {
      const list = Array.isArray(existing) ? [...(existing as JsonObject[])] : [];
      for (const entry of value as (JsonObject & { index: number })[]) list[entry.index] = joined(list[entry.index] ?? {}, entry);
      merged[key] = list;
    } else merged[key] = value;
  }
  return merged;
}

describe('a client that sends the legacy field functions', () => {
  it('gets a call in function_call', () => {
    for (const message of messagesOf([begin, ...toolCallEvents(0, 'f', '{"a":1}'), finish])) {
      expect(message).toMatchObject({ function_call: { name: 'f', arguments: '{"a":1}' }, reason: 'function_call' });
      expect(message).not.toHaveProperty('tool_calls');
    }
  });

  it('gets further calls in tool_calls', () => {
    for (const message of messagesOf([begin, ...toolCallEvents(0, 'f', '{"a":1}'), ...toolCallEvents(1, 'g', '{}'), finish])) {
      expect(message).toMatchObject({
        function_call: { name: 'f', arguments: '{"a":1}' },
        tool_calls: [{ id: 'c1', function: { name: 'g', arguments: '{}' } }],
      });
      const names = partsInOrder({ role: 'assistant', ...message }).flatMap((part) =>
        part.kind === 'call' ? [(part.call['function'] as JsonObject)['name']] : [],
      );
      expect(names).toEqual(['f', 'g']);
    }
  });

  it('gets text unchanged', () => {
    for (const message of messagesOf([begin, { type: 'text', choice: 0, text: 'x' }, { ...finish, reason: 'stop' }]))
      expect(message).toMatchObject({ content: 'x', reason: 'stop' });
  });
});

describe('partsInOrder', () => {
  const listed = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
  it.each<[string, object, string[]]>([
    ['the same call', { name: 'f', arguments: '{"a":1}' }, ['f']],
    ['the same call in another order', { arguments: '{"a":1}', name: 'f' }, ['f']],
    ['the same call with other whitespace and members', { name: 'f', arguments: '{ "a": 1 }', parsed_arguments: { a: 1 } }, ['f']],
    ['an empty call', { name: '', arguments: '' }, ['f']],
    ['an incomplete call', {}, ['f']],
    ['a call of the same function', { name: 'f', arguments: '{"a":2}' }, ['f', 'f']],
    ['a truncated call', { name: 'f', arguments: '{"a' }, ['f', 'f']],
    ['another call', { name: 'g', arguments: '{"a":1}' }, ['g', 'f']],
  ])('compares function_call and tool_calls: %s', (_, useFunctionCall, names) => {
    const parts = partsInOrder({ role: 'assistant', content: null, function_call: useFunctionCall, tool_calls: [listed] });
    expect(parts.flatMap((part) => (part.kind === 'call' ? [(part.call['function'] as JsonObject)['name']] : []))).toEqual(names);
  });
});

it.each([[{ finish_reason: null }], [{}]])('withFunctionCalls adds no finish reason if the provider sends none: %j', (ending) => {
  const fn = { name: 'look', arguments: '{}' };
  const completion = { choices: [{ message: { tool_calls: [{ function: fn }] }, ...ending }] };
  expect(withFunctionCalls(completion)).toEqual({ choices: [{ message: { function_call: fn }, ...ending }] });
});
