import { expect, it } from 'vitest';
import type { Plain } from '../../../core/json/merge.ts';
import { toHub } from '../../anthropic-messages/to-hub/index.ts';
import { plainChat } from './index.ts';

const service = { model: 'gpt-5', isOpenAi: true, passes: false, known: [], media: new Map() };
const search = { type: 'web_search_20250305', name: 'web_search' };
const own = { type: 'function', function: { name: 'f' } };
const forced = (name: string): Plain => ({ type: 'function', function: { name } });

it.each<[name: string, body: Plain, sent: Plain, dropped: readonly string[]]>([
  [
    'a forced tool that the service lacks',
    { tools: [own, search], tool_choice: forced('web_search') },
    { tools: [own] },
    ['tools[].web_search_20250305', 'tool_choice'],
  ],
  ['any of no tools', { tools: [search], tool_choice: 'required' }, {}, ['tools[].web_search_20250305', 'tool_choice']],
  [
    'a forced function',
    { tools: [own, search], tool_choice: forced('f') },
    { tools: [own], tool_choice: forced('f') },
    ['tools[].web_search_20250305'],
  ],
  [
    'a budget beside an effort',
    { thinking: { type: 'enabled', budget_tokens: 5000 }, reasoning_effort: 'low' },
    { reasoning_effort: 'low' },
    ['thinking'],
  ],
  [
    'thinking without a budget beside an effort',
    { thinking: { type: 'adaptive' }, reasoning_effort: 'low' },
    { reasoning_effort: 'low' },
    [],
  ],
])('sends %s', (_name, body, sent, dropped) => {
  const made = plainChat({ ...body, messages: [] }, service);
  expect(made.body).toEqual({ ...sent, messages: [] });
  expect(made.dropped.map(({ param }) => param)).toEqual(dropped);
});

it('sends an assistant that said nothing with an empty text: without calls null is refused', () => {
  const { body } = toHub({ max_tokens: 9, messages: [{ role: 'assistant', content: [] }] });
  expect(plainChat(body, service).body['messages']).toEqual([{ role: 'assistant', content: '' }]);
});
