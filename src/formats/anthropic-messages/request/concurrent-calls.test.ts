import { expect, it } from 'vitest';
import { toMessages } from './index.ts';

const target = { model: 'claude-sonnet-4-5', foundationModel: undefined, stream: false };
const user = { role: 'user', content: 'q' };
const calls = (id: string): object => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
});
const result = (id: string): object => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` });

/** Short form of the turns: role, and each block with its id or text. */
function turns(...messages: object[]): { turns: string[]; dropped: string[] } {
  const { body, dropped } = toMessages({ messages: [user, ...messages] }, target, { media: new Map() });
  const shortened = (body['messages'] as { role: string; content: string | Record<string, string>[] }[]).map(({ role, content }) => {
    const blocks = typeof content === 'string' ? [content] : content.map((one) => one['id'] ?? one['content'] ?? one['text']);
    return `${role}: ${blocks.join(', ')}`;
  });
  return { turns: shortened.slice(1), dropped: dropped.map(({ param }) => param) };
}

it.each<[string, object[], string[]]>([
  [
    'in messages of their own, with all results after them',
    [calls('a'), calls('b'), result('b'), result('a')],
    ['assistant: a, b', 'user: result of a, result of b'],
  ],
  [
    'in messages of their own, each with its result',
    [calls('a'), result('a'), calls('b'), result('b')],
    ['assistant: a', 'user: result of a', 'assistant: b', 'user: result of b'],
  ],
  [
    'before a text without calls',
    [calls('a'), { role: 'assistant', content: 'x' }],
    ['assistant: a', 'user: The client sent no result.', 'assistant: x'],
  ],
  [
    'separated by a user message',
    [calls('a'), user, calls('b'), result('b')],
    ['assistant: a', 'user: The client sent no result., q', 'assistant: b', 'user: result of b'],
  ],
])('toMessages gives each result to its call, for calls %s', (_, messages, expected) => {
  expect(turns(...messages)).toEqual({ turns: expected, dropped: [] });
});
