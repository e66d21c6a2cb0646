import { JsonBody } from '../../core/json/body.ts';
import { expect, it } from 'vitest';
import { dropExtensions } from '../openai-chat/extensions.ts';
import { historyOf, openaiHistory } from './rules.ts';

const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] };
const calls = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
};
const text = { type: 'text', text: 'x' };
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const block = (content: unknown, more: object = {}) => ({ type: 'tool_result', tool_use_id: 'a', content, ...more });
const result = (content: unknown) => ({ role: 'tool', tool_call_id: 'a', content });
const user = (...content: unknown[]) => ({ role: 'user', content });

it.each<[name: string, messages: readonly unknown[], sent: readonly unknown[], dropped: readonly string[]]>([
  ['after calls in the same form', [use, user(block('r'))], [calls, result('r')], []],
  ['after calls of the chat format', [calls, user(block([text]))], [calls, result([text])], []],
  ['without content', [calls, user(block(undefined))], [calls, result('')], []],
  ['before a text', [use, user(block('r'), text)], [calls, result('r'), user(text)], []],
  ['after a text', [use, user(text, block('r'))], [calls, result('r'), user(text)], []],
  [
    'with what no chat message has',
    [use, user(block('r', { is_error: true, cache_control: { type: 'ephemeral' } }))],
    [calls, result('r')],
    ['messages[].content[].tool_result.is_error', 'messages[].cache_control'],
  ],
])('services of the chat format get results in the form of Anthropic as tool messages: %s', (_name, messages, sent, dropped) => {
  for (const rules of [openaiHistory, historyOf([])]) {
    const cleaned = dropExtensions(JsonBody.from(Buffer.from(JSON.stringify({ messages }))), rules);
    expect(cleaned.body.value('messages')).toEqual(sent);
    expect(cleaned.dropped.map(({ param }) => param)).toEqual(dropped);
  }
});

it('a file in a result in the form of Anthropic is sent to OpenAI in a message of the user', () => {
  const { body } = dropExtensions(JsonBody.of({ messages: [use, user(block([text, image]), text)] }), openaiHistory);
  const from = { type: 'text', text: 'From the result of a:' };
  expect(body.value('messages')).toEqual([calls, result([text]), user(from, image, text)]);
});

it.each([
  ['a text', { messages: [user({ type: 'text', text: '"tool_result"' })] }],
  ['an enum', { messages: [user(text)], tools: [{ type: 'function', function: { name: 'f', parameters: { enum: ['tool_result'] } } }] }],
  ['a name', { messages: [user(text)], metadata: { tool_result: 'x', kind: 'tool_result' } }],
])('the name of the form in %s changes nothing', (_name, request) => {
  const body = JsonBody.from(Buffer.from(JSON.stringify(request)));
  expect(dropExtensions(body).body).toBe(body);
});
