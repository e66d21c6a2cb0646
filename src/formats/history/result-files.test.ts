import { JsonBody } from '../../core/json/body.ts';
import { expect, it } from 'vitest';
import { dropExtensions } from '../openai-chat/extensions.ts';
import { historyOf, mistralHistory, openaiHistory, openHistory } from './rules.ts';

const text = (value: string) => ({ type: 'text', text: value });
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } };
const sound = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
const file = { type: 'file', file: { file_id: 'file-1' } };
const from = (id: string) => text(`From the result of ${id}:`);
const next = [text('The result is in the next message.')];
const user = { role: 'user', content: 'hi' };
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content });

const bodyOf = (messages: readonly unknown[]) => JsonBody.from(Buffer.from(JSON.stringify({ model: 'm', messages })));

it.each<[name: string, after: readonly unknown[], sent: readonly unknown[]]>([
  ['at the end', [result('a', [text('x'), image])], [result('a', [text('x')]), { role: 'user', content: [from('a'), image] }]],
  ['without text', [result('a', [text(''), image])], [result('a', next), { role: 'user', content: [from('a'), image] }]],
  ['referred to by id', [result('a', [file])], [result('a', next), { role: 'user', content: [from('a'), file] }]],
  ['with sound', [result('a', [sound])], [result('a', next), { role: 'user', content: [from('a'), sound] }]],
  [
    'before a text of the user',
    [result('a', [image]), user],
    [result('a', next), { role: 'user', content: [from('a'), image, text('hi')] }],
  ],
  [
    'before parts of the user',
    [result('a', [image]), { role: 'user', name: 'n', content: [text('b'), file] }],
    [result('a', next), { role: 'user', name: 'n', content: [from('a'), image, text('b'), file] }],
  ],
  [
    'of several calls, whose results stay together',
    [result('a', [image]), result('b', 'y'), result('c', [text('z'), image, file]), { role: 'developer', content: 'd' }, user],
    [
      result('a', next),
      result('b', 'y'),
      result('c', [text('z')]),
      { role: 'user', content: [from('a'), image, from('c'), image, file] },
      { role: 'developer', content: 'd' },
      user,
    ],
  ],
  [
    'of two turns',
    [result('a', [image]), calls('b'), result('b', [file])],
    [
      result('a', next),
      { role: 'user', content: [from('a'), image] },
      calls('b'),
      result('b', next),
      { role: 'user', content: [from('b'), file] },
    ],
  ],
])('OpenAI gets files of tool results in a message of the user: %s', (_name, after, sent) => {
  const before = [user, calls('a')];
  const { body, dropped } = dropExtensions(bodyOf([...before, ...after]), openaiHistory);
  expect(body.value('messages')).toEqual([...before, ...sent]);
  expect(dropped).toEqual([]);
});

it.each<[name: string, after: readonly unknown[]]>([
  ['a file of the user', [result('a', 'x'), { role: 'user', content: [text('"role":"tool"'), image, file, sound] }]],
  ['texts', [result('a', [text('x'), text('"image_url"')]), { role: 'user', content: [image] }]],
  ['parts that no service of the format knows', [result('a', [{ type: 'image', source: { type: 'url', file_url: 'x' } }])]],
  ['no content', [result('a', null), { role: 'user', content: [image] }]],
])('OpenAI gets the same bytes if a result contains no file: %s', (_name, after) => {
  const body = bodyOf([user, calls('a'), ...after]);
  expect(dropExtensions(body, openaiHistory).body).toBe(body);
});

it.each([
  ['openHistory', openHistory],
  ['historyOf', historyOf([])],
  ['mistralHistory', mistralHistory],
] as const)('services that may accept files in results get them there: %s', (_name, rules) => {
  const id = 'abcdef123';
  const body = bodyOf([user, calls(id), result(id, [text('x'), image])]);
  expect(dropExtensions(body, rules).body).toBe(body);
});
