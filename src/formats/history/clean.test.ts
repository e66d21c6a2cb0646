import { JsonBody } from '../../core/json/body.ts';
import { describe, expect, it } from 'vitest';
import { dropExtensions } from '../openai-chat/extensions.ts';
import { type HistoryRules, mistralHistory, openaiHistory } from './rules.ts';

const call = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{"a":"\\"role\\""}' },
  ...more,
});
const user = { role: 'user', content: 'say "assistant": \\' };

function clean(messages: readonly unknown[], rules: HistoryRules = openaiHistory) {
  const { body, dropped } = dropExtensions(JsonBody.from(Buffer.from(JSON.stringify({ model: 'm', messages }))), rules);
  return { messages: body.value('messages') as Record<string, unknown>[], dropped: dropped.map(({ param }) => param) };
}

describe('assistant messages that can stay', () => {
  it.each([
    ['a text', { role: 'assistant', content: 'a' }],
    ['as libraries dump it', { content: null, refusal: null, role: 'assistant', annotations: [], audio: null, tool_calls: [call('c')] }],
    ['parts', { role: 'assistant', content: [{ type: 'text', text: 'a' }] }],
    ['a refusal', { role: 'assistant', content: null, refusal: 'No.' }],
    ['unknown members', { role: 'assistant', content: 'a', hologram: { b: 1 } }],
  ])('%s', (_name, message) => {
    const body = JsonBody.from(Buffer.from(JSON.stringify({ messages: [user, message, user] })));
    expect(dropExtensions(body).body).toBe(body);
  });
});

it.each(['constructor', '__proto__', 'hasOwnProperty'])('a role that no service knows stays as it is: %s', (role) => {
  const messages = [
    { role: 'user', content: 'a', name: 'n' },
    { role, content: 'a' },
  ];
  expect(clean(messages, { ...mistralHistory, refusedOf: { user: ['name'] } }).messages).toEqual([
    { role: 'user', content: 'a' },
    messages[1],
  ]);
});

describe('assistant messages that a service would refuse', () => {
  const said = { role: 'assistant', content: 'a' };
  it.each([
    ['thoughts', { ...said, reasoning_content: 'hm' }, said, ['messages[].reasoning_content']],
    ['behind other members', { content: 'a', extra_content: { google: {} }, role: 'assistant' }, said, ['messages[].extra_content']],
    [
      'images',
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
      ['messages[].content[].image_url'],
    ],
    [
      'blocks beside a text',
      {
        ...said,
        content_blocks: [
          { type: 'thinking', thinking: '', signature: 's' },
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
          { type: 'text', text: 'a', citations: [{ type: 'char_location' }] },
        ],
      },
      said,
      [
        'messages[].content_blocks',
        'messages[].content[].thinking',
        'messages[].content[].server_tool_use',
        'messages[].content[].citations',
      ],
    ],
    ['nothing at all', { role: 'assistant', content: null }, { role: 'assistant', content: '' }, []],
    ['no calls', { ...said, tool_calls: [] }, said, []],
    ['an object', { role: 'assistant', content: { b: 1 } }, { role: 'assistant', content: '{"b":1}' }, []],
    [
      'sound',
      { role: 'assistant', content: null, audio: { id: 'audio_1', data: 'AA', transcript: 'Hi' } },
      { role: 'assistant', content: 'Hi', audio: { id: 'audio_1' } },
      [],
    ],
    [
      'sound of another service',
      { role: 'assistant', content: null, audio: { id: 'audio_req_1' } },
      { role: 'assistant', content: '' },
      ['messages[].audio'],
    ],
    [
      'signatures in a call',
      { role: 'assistant', content: null, tool_calls: [call('c', { extra_content: { google: {} } })] },
      { role: 'assistant', content: null, tool_calls: [call('c')] },
      ['messages[].tool_calls[].extra_content'],
    ],
    [
      'what made a call',
      { role: 'assistant', content: null, tool_calls: [call('c', { caller: { type: 'code_execution_20250825', tool_id: 's' } })] },
      { role: 'assistant', content: null, tool_calls: [call('c')] },
      ['messages[].tool_calls[].caller'],
    ],
    [
      'calls as blocks of Anthropic',
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }] },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] },
      [],
    ],
  ])('%s', (_name, message, wanted, dropped) => {
    expect(clean([user, message])).toEqual({ messages: [user, wanted], dropped });
  });
});

describe('ids of calls', () => {
  const long = `call_${'x'.repeat(60)}`;
  const step = (id: string | undefined) => [
    { role: 'assistant', content: null, tool_calls: [{ ...call('c'), id }] },
    { role: 'tool', tool_call_id: id, content: '1' },
  ];
  it.each([
    ['too long', long, openaiHistory, /^call_x{26}_[a-z0-9]{8}$/],
    ['missing', undefined, openaiHistory, /^call_gw_0$/],
    ['of another form', 'toolu_01', mistralHistory, /^[a-z0-9]{9}$/],
  ])('%s', (_name, id, rules, form) => {
    const { messages } = clean(step(id), rules);
    const [made] = (messages[0]?.['tool_calls'] ?? []) as { id: string }[];
    expect(made?.id).toMatch(form);
    expect(messages[1]?.['tool_call_id']).toBe(made?.id);
  });

  it('stay different', () => {
    const ids = Array.from({ length: 2000 }, (_, n) => mistralHistory.idFor(`call_${n}`));
    expect(new Set(ids).size).toBe(2000);
  });
});
