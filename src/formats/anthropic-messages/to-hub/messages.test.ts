import { expect, it } from 'vitest';
import { toHub } from './index.ts';

const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: id });
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words });

/** Services of the chat format reject calls whose results do not follow directly. */
it('puts all results of a step directly after its calls, before texts between them', () => {
  const messages = [
    user(text('Hi')),
    assistant(call('a'), call('b')),
    user(result('a')),
    user(text('Wait')),
    { role: 'system', content: 'Be brief.' },
    user(text('and'), result('b')),
    assistant(call('c')),
    user(result('c'), text('Thanks')),
  ];
  const made = toHub({ messages }).body['messages'] as { role: string; content: unknown; tool_call_id?: string }[];
  expect(made.map(({ role, tool_call_id: id }) => id ?? role)).toEqual([
    'user',
    'assistant',
    'a',
    'b',
    'user',
    'system',
    'user',
    'assistant',
    'c',
    'user',
  ]);
});
