import { expect, it } from 'vitest';
import { cleanHistory } from '../../history/clean.ts';
import { openaiHistory } from '../../history/rules.ts';
import { Drops } from '../../shared/request/drops.ts';
import { toHub } from './index.ts';
import { ownNames } from './names.ts';

const text = { type: 'text', text: 'x' };
const call = { type: 'tool_use', id: 't', name: 'f', input: {} };
const thought = { type: 'thinking', thinking: 'hm', signature: 's' };
const basePath = 'messages[].content[].';

it.each<[string, object[], string[]]>([
  ['thinking', [thought, text], [`${basePath}thinking`]],
  ['thinking without a text', [{ ...thought, thinking: '' }, call], [`${basePath}thinking`]],
  ['encrypted thinking', [{ type: 'redacted_thinking', data: 'x' }, text], [`${basePath}redacted_thinking`]],
  ['a step of a server tool', [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, text], [`${basePath}server_tool_use`]],
  ['citations', [{ ...text, citations: [{ type: 'char_location' }] }], [`${basePath}citations`]],
  ['nothing if only the order of text and call differs', [call, text], []],
])('a chat service without content blocks loses %s of an assistant message', (_, content, names) => {
  const { body, dropped } = toHub({ messages: [{ role: 'assistant', content }] });
  const drops = new Drops();
  cleanHistory(body['messages'] as readonly unknown[], openaiHistory, drops);
  expect(ownNames([...dropped, ...drops.list], false).map(({ param }) => param)).toEqual(names);
});

it("reports a result without its call by the API's name of the id", () => {
  expect(ownNames([{ param: 'messages[].tool_call_id', reason: 'x' }], false)[0]?.param).toBe(
    'messages[].content[].tool_result.tool_use_id',
  );
});
