import { expect, it } from 'vitest';
import { JsonBody } from '../../core/json/body.ts';
import { droppedWithPlaceholders, unsignedPlaceholder, withoutPlaceholders } from './placeholders.ts';

const user = { role: 'user', content: 'Hi' };
const said = (...content: readonly object[]) => ({ role: 'assistant', content });
const foreign = { type: 'thinking', thinking: 'a', signature: unsignedPlaceholder };
const own = { type: 'thinking', thinking: 'b', signature: 's' };
const text = { type: 'text', text: 'c' };
const page = (encrypted_index: string) => ({ type: 'web_search_result_location', url: 'https://a.example', encrypted_index });

it.each<[string, readonly object[], readonly object[]]>([
  ['nothing without a mark', [user, said(own, text)], [user, said(own, text)]],
  ['thinking of another service', [user, said(foreign, own, text)], [user, said(own, text)]],
  ['encrypted reasoning of another service', [user, said({ type: 'redacted_thinking', data: 'gateway:x' }, text)], [user, said(text)]],
  ['sources of another service', [user, said({ ...text, citations: [page(unsignedPlaceholder)] })], [user, said(text)]],
  [
    'no sources of the API itself',
    [said({ ...text, citations: [page('e'), page(unsignedPlaceholder)] })],
    [said({ ...text, citations: [page('e')] })],
  ],
  ['an assistant message that would become empty', [user, said(foreign), user, said(foreign, text)], [user, user, said(text)]],
  ['no assistant message that was empty before', [said(), said(foreign, text)], [said(), said(text)]],
])('withoutMarks removes %s', (_what, messages, wanted) => {
  expect(withoutPlaceholders(JsonBody.of({ model: 'm', messages })).value('messages')).toEqual(wanted);
});

const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] };
const budget = { type: 'enabled', budget_tokens: 1024 };

it.each<[string, object, readonly object[], readonly string[]]>([
  ['no thinking budget if another service made the last calls', budget, [user, said(foreign, use), result], ['thinking']],
  ['the thinking budget if the API itself made the last calls', budget, [user, said(foreign, text), user, said(own, use), result], []],
  ['the thinking budget without calls', budget, [user, said(foreign, text), user], []],
  ['adaptive thinking', { type: 'adaptive' }, [user, said(foreign, use), result], []],
])('withoutMarks keeps %s', (_what, thinking, messages, dropped) => {
  const body = JsonBody.of({ model: 'm', thinking, messages });
  const made = withoutPlaceholders(body);
  expect(made.value('thinking')).toEqual(dropped.length === 0 ? thinking : undefined);
  expect(droppedWithPlaceholders(body, made).map(({ param }) => param)).toEqual(dropped);
});
