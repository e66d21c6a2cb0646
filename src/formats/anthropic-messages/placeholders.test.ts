import { expect, it } from 'vitest';
import { JsonBody } from '../../core/json/body.ts';
import { droppedWithPlaceholders, unsignedPlaceholder, withoutPlaceholders } from './placeholders.ts';

const budget = { type: 'enabled', budget_tokens: 1024 };
const user = { role: 'user', content: 'Hi' };
const assistantMessage = (...content: readonly object[]) => ({ role: 'assistant', content });
const unsignedThinking = { type: 'thinking', thinking: 'a', signature: unsignedPlaceholder };
const signedThinking = { type: 'thinking', thinking: 'b', signature: 's' };
const text = { type: 'text', text: 'c' };
const page = (encrypted_index: string) => ({ type: 'web_search_result_location', url: 'https://a.example', encrypted_index });

it.each<[string, readonly object[], readonly object[]]>([
  ['nothing without a mark', [user, assistantMessage(signedThinking, text)], [user, assistantMessage(signedThinking, text)]],
  [
    'thinking of another service',
    [user, assistantMessage(unsignedThinking, signedThinking, text)],
    [user, assistantMessage(signedThinking, text)],
  ],
  [
    'encrypted reasoning of another service',
    [user, assistantMessage({ type: 'redacted_thinking', data: 'gateway:x' }, text)],
    [user, assistantMessage(text)],
  ],
  [
    'sources of another service',
    [user, assistantMessage({ ...text, citations: [page(unsignedPlaceholder)] })],
    [user, assistantMessage(text)],
  ],
  [
    'no sources of the API itself',
    [assistantMessage({ ...text, citations: [page('e'), page(unsignedPlaceholder)] })],
    [assistantMessage({ ...text, citations: [page('e')] })],
  ],
  [
    'an assistant message that would become empty',
    [user, assistantMessage(unsignedThinking), user, assistantMessage(unsignedThinking, text)],
    [user, user, assistantMessage(text)],
  ],
  [
    'an assistant message that was empty before',
    [user, assistantMessage(), user, assistantMessage(unsignedThinking, text)],
    [user, user, assistantMessage(text)],
  ],
  ['an empty assistant message without a mark', [user, assistantMessage(), user], [user, user]],
])('withoutMarks removes %s', (_name, messages, expected) => {
  expect(withoutPlaceholders(JsonBody.of({ model: 'm', messages })).value('messages')).toEqual(expected);
});

it('withoutMarks returns the same body if it only resembles one that needs a change', () => {
  const emptyResult = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [] }] };
  const body = JsonBody.of({ model: 'm', thinking: budget, messages: [user, assistantMessage(signedThinking), emptyResult] });
  expect(withoutPlaceholders(body)).toBe(body);
});

const toolUse = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] };

it.each<[string, object, readonly object[], readonly string[]]>([
  [
    'no thinking budget if another service made the last calls',
    budget,
    [user, assistantMessage(unsignedThinking, toolUse), result],
    ['thinking'],
  ],
  [
    'the thinking budget if the API itself made the last calls',
    budget,
    [user, assistantMessage(unsignedThinking, text), user, assistantMessage(signedThinking, toolUse), result],
    [],
  ],
  [
    'no thinking budget if a service without thinking made the last calls',
    budget,
    [user, assistantMessage(text, toolUse), result],
    ['thinking'],
  ],
  [
    'the thinking budget if a service without thinking made earlier calls',
    budget,
    [user, assistantMessage(toolUse), result, assistantMessage(text), user],
    [],
  ],
  [
    'the thinking budget for calls of another service that have thinking of the API',
    budget,
    [user, assistantMessage(signedThinking, toolUse), result],
    [],
  ],
  ['the thinking budget without calls', budget, [user, assistantMessage(unsignedThinking, text), user], []],
  ['adaptive thinking', { type: 'adaptive' }, [user, assistantMessage(unsignedThinking, toolUse), result], []],
])('withoutMarks keeps %s', (_name, thinking, messages, dropped) => {
  const body = JsonBody.of({ model: 'm', thinking, messages });
  const result = withoutPlaceholders(body);
  expect(result.value('thinking')).toEqual(dropped.length === 0 ? thinking : undefined);
  expect(droppedWithPlaceholders(body, result).map(({ param }) => param)).toEqual(dropped);
});
