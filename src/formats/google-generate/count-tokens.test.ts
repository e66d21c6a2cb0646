import { expect, it } from 'vitest';
import { countableChat, fromCountTokens } from './count-tokens.ts';

const messages = [{ role: 'user', content: 'x' }];

it('counts messages and tools, and reports the schema of the response', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const chat = { model: 'm', messages, tools, temperature: 1, tool_choice: 'none', reasoning_effort: 'low' };
  expect(countableChat(chat)).toEqual({ body: { messages, tools }, dropped: [] });
  expect(countableChat({ messages, response_format: { type: 'json_object' } })).toEqual({ body: { messages }, dropped: [] });
  const { dropped } = countableChat({ messages, response_format: { type: 'json_schema', json_schema: { name: 'n' } } });
  expect(dropped).toEqual([{ param: 'response_format', reason: 'not counted by this service' }]);
});

it('reads the count', () => {
  expect(fromCountTokens('{"totalTokens":7}')).toEqual({ input_tokens: 7 });
  expect(() => fromCountTokens('{}')).toThrow('contains no token count');
});
