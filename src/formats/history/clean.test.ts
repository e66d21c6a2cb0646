import { JsonBody } from '../../core/json/body.ts';
import { describe, expect, it } from 'vitest';
import { dropExtensions } from '../openai-chat/extensions.ts';
import { historyOf, type HistoryRules, mistralHistory, openaiHistory } from './rules.ts';

const call = (id: string, extra: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{"a":"\\"role\\""}' },
  ...extra,
});
const user = { role: 'user', content: 'say "assistant": \\' };

function clean(messages: readonly unknown[], rules: HistoryRules = openaiHistory) {
  const { body, dropped } = dropExtensions(JsonBody.from(Buffer.from(JSON.stringify({ model: 'm', messages }))), rules);
  return { messages: body.value('messages') as Record<string, unknown>[], dropped: dropped.map(({ param }) => param) };
}

describe('dropExtensions does not change an assistant message', () => {
  it.each([
    ['with text', { role: 'assistant', content: 'a' }],
    [
      'with all members of an SDK object',
      { content: null, refusal: null, role: 'assistant', annotations: [], audio: null, tool_calls: [call('c')] },
    ],
    ['with content parts', { role: 'assistant', content: [{ type: 'text', text: 'a' }] }],
    ['with a refusal', { role: 'assistant', content: null, refusal: 'No.' }],
    ['with unknown members', { role: 'assistant', content: 'a', hologram: { b: 1 } }],
  ])('%s', (_name, message) => {
    const body = JsonBody.from(Buffer.from(JSON.stringify({ messages: [user, message, user] })));
    expect(dropExtensions(body).body).toBe(body);
  });
});

it.each(['constructor', '__proto__', 'hasOwnProperty'])(
  'the cleaning of a history does not change a message with the unknown role %s',
  (role) => {
    const messages = [
      { role: 'user', content: 'a', name: 'n' },
      { role, content: 'a' },
    ];
    expect(clean(messages, { ...mistralHistory, refusedOf: { user: ['name'] } }).messages).toEqual([
      { role: 'user', content: 'a' },
      messages[1],
    ]);
  },
);

describe('dropExtensions finds an assistant message', () => {
  const thinking = { reasoning_content: 'hm' };
  it.each([
    ['whose role follows its content', JSON.stringify({ ...thinking, content: 'a', role: 'assistant' })],
    ['with two roles, of which one is its own', '{"reasoning_content":"hm","role":"user","content":"a","role":"assistant"}'],
    ['with blanks', JSON.stringify({ role: 'assistant', content: 'a', ...thinking }, null, 2)],
    ['after a message that is none', `null,${JSON.stringify({ role: 'assistant', content: 'a', ...thinking })}`],
  ])('%s', (_name, message) => {
    const body = JsonBody.from(Buffer.from(`{"messages":[${JSON.stringify(user)},${message}]}`));
    const [last] = (dropExtensions(body).body.value('messages') as object[]).slice(-1);
    expect(last).toEqual({ role: 'assistant', content: 'a' });
  });

  it('only among the messages', () => {
    const schema = { type: 'object', properties: { role: { enum: ['user'] } }, examples: [{ role: 'assistant', ...thinking }] };
    const part = { type: 'text', text: 'a', role: 'assistant', ...thinking };
    const value = {
      messages: [{ role: 'user', content: [part] }],
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    };
    const body = JsonBody.from(Buffer.from(JSON.stringify(value)));
    expect(dropExtensions(body).body).toBe(body);
  });
});

it('a result of a legacy function becomes one of a tool, also without its call', () => {
  const result = { role: 'function', name: 'f', content: 'a' };
  expect(clean([user, result], mistralHistory).messages).toEqual([user, { role: 'tool', content: 'a' }]);
  expect(clean([user, result]).messages).toEqual([user, result]);
});

describe('dropExtensions cleans an assistant message', () => {
  const assistantMessage = { role: 'assistant', content: 'a' };
  it.each([
    [
      'with an empty list next to calls',
      { role: 'assistant', content: [], tool_calls: [call('c')] },
      { role: 'assistant', content: null, tool_calls: [call('c')] },
      [],
    ],
    ['with an empty list', { role: 'assistant', content: [] }, { role: 'assistant', content: '' }, []],
    ['with thinking', { ...assistantMessage, reasoning_content: 'hm' }, assistantMessage, ['messages[].reasoning_content']],
    [
      'with text after other members',
      { content: 'a', extra_content: { google: {} }, role: 'assistant' },
      assistantMessage,
      ['messages[].extra_content'],
    ],
    [
      'with images',
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
      'with blocks next to text',
      {
        ...assistantMessage,
        content_blocks: [
          { type: 'thinking', thinking: '', signature: 's' },
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
          { type: 'text', text: 'a', citations: [{ type: 'char_location' }] },
        ],
      },
      assistantMessage,
      [
        'messages[].content_blocks',
        'messages[].content[].thinking',
        'messages[].content[].server_tool_use',
        'messages[].content[].citations',
      ],
    ],
    ['without content', { role: 'assistant', content: null }, { role: 'assistant', content: '' }, []],
    ['with an empty list of calls', { ...assistantMessage, tool_calls: [] }, assistantMessage, []],
    ['with an object as content', { role: 'assistant', content: { b: 1 } }, { role: 'assistant', content: '{"b":1}' }, []],
    [
      'with audio',
      { role: 'assistant', content: null, audio: { id: 'audio_1', data: 'AA', transcript: 'Hi' } },
      { role: 'assistant', content: 'Hi', audio: { id: 'audio_1' } },
      [],
    ],
    [
      'with audio of another service',
      { role: 'assistant', content: null, audio: { id: 'audio_req_1' } },
      { role: 'assistant', content: '' },
      ['messages[].audio'],
    ],
    [
      'with signatures in a call',
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
  ])('%s', (_name, message, expected, dropped) => {
    expect(clean([user, message])).toEqual({ messages: [user, expected], dropped });
  });
});

it('the cache marks of an assistant stay for a service that reads them', () => {
  const content = [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }];
  const tool_calls = [call('c', { thought_signature: 's' })];
  const body = JsonBody.of({ messages: [{ role: 'assistant', content, tool_calls }] });
  const { body: cleaned, dropped } = dropExtensions(body, historyOf([{ takes: ['cache_control'] }]), ['cache_control']);
  expect(cleaned.value('messages')).toEqual([{ role: 'assistant', content, tool_calls: [call('c')] }]);
  expect(dropped.map(({ param }) => param)).toEqual(['messages[].tool_calls[].thought_signature']);
});

describe('call IDs', () => {
  const longId = `call_${'x'.repeat(60)}`;
  const step = (id: string | undefined) => [
    { role: 'assistant', content: null, tool_calls: [{ ...call('c'), id }] },
    { role: 'tool', tool_call_id: id, content: '1' },
  ];
  it.each([
    ['too long', longId, openaiHistory, /^call_x{26}_[a-z0-9]{8}$/],
    ['missing', undefined, openaiHistory, /^call_gw_0$/],
    ['of another form', 'toolu_01', mistralHistory, /^[a-z0-9]{9}$/],
  ])('are replaced if they are %s', (_name, id, rules, expectedId) => {
    const { messages } = clean(step(id), rules);
    const [cleaned] = (messages[0]?.['tool_calls'] ?? []) as { id: string }[];
    expect(cleaned?.id).toMatch(expectedId);
    expect(messages[1]?.['tool_call_id']).toBe(cleaned?.id);
  });

  const turn = (...ids: string[]) => [
    { role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) },
    ...ids.map((id, at) => ({ role: 'tool', tool_call_id: id, content: String(at) })),
  ];
  const idsIn = (messages: readonly Record<string, unknown>[]) =>
    messages.map((message) => message['tool_call_id'] ?? (message['tool_calls'] as { id: string }[] | undefined)?.map(({ id }) => id));

  it('are made distinct within a turn, with those of the results', () => {
    expect(idsIn(clean(turn('c', 'c', 'd', 'c')).messages)).toEqual([['c', 'c_2', 'd', 'c_3'], 'c', 'c_2', 'd', 'c_3']);
    const [calls, ...results] = idsIn(clean(turn(longId, longId)).messages);
    expect([calls, new Set(results).size]).toEqual([results, 2]);
  });

  it('may occur again in a later turn, unless the service rejects it', () => {
    const history = [...turn('c'), ...turn('c', 'd'), ...turn('c')];
    const body = JsonBody.from(Buffer.from(JSON.stringify({ messages: history })));
    expect(dropExtensions(body).body).toBe(body);
    const unique = clean(history, { ...openaiHistory, uniqueIds: true }).messages;
    expect(idsIn(unique)).toEqual([['c'], 'c', ['c_2', 'd'], 'c_2', 'd', ['c_3'], 'c_3']);
  });

  it('stay distinct after the conversion', () => {
    const ids = Array.from({ length: 2000 }, (_, n) => mistralHistory.idFor(`call_${n}`));
    expect(new Set(ids).size).toBe(2000);
  });
});
