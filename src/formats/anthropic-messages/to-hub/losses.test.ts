import { expect, it } from 'vitest';
import { toHub } from './index.ts';

const image = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
const searchResult = { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }] };
const user = (block: object) => ({ messages: [{ role: 'user', content: [block] }] });
const result = (block: object) => user({ type: 'tool_result', tool_use_id: 't1', content: [block] });
const baseRequest = { messages: [{ role: 'user', content: 'x' }] };

it.each<[string, object, string[]]>([
  ['nothing if all members are known', user({ type: 'text', text: 'x', citations: null, cache_control: { type: 'ephemeral' } }), []],
  ['a member of a text', user({ type: 'text', text: 'x', tone: 'low' }), ['messages[].content[].tone']],
  [
    'a member of a text of the assistant',
    { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'x', tone: 'low' }] }] },
    ['messages[].content[].tone'],
  ],
  ['a member of a text in a result', result({ type: 'text', text: 'x', tone: 'low' }), ['messages[].content[].tone']],
  ['a member of an image', user({ type: 'image', source: image, detail: 'high' }), ['messages[].content[].image.detail']],
  ['a member of an image source', user({ type: 'image', source: { ...image, crop: [1] } }), ['messages[].content[].image.source.crop']],
  ['a member of a search result', user({ ...searchResult, rank: 1 }), ['messages[].content[].search_result.rank']],
  [
    'a member of a text in a search result',
    user({ ...searchResult, content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }),
    ['messages[].content[].search_result.cache_control'],
  ],
  [
    'a member of a document source',
    user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x', encoding: 'y' } }),
    ['messages[].content[].document.source.encoding'],
  ],
  [
    'a block in a search result that is not text',
    user({ ...searchResult, content: [{ type: 'image', source: image }] }),
    ['messages[].content[].search_result.image'],
  ],
  [
    'the caller of a tool call if it is a program',
    {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {}, caller: { type: 'code_execution_20250825' } }] },
      ],
    },
    ['messages[].content[].tool_use.caller'],
  ],
  [
    'nothing if the caller of a tool call is the model',
    { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {}, caller: { type: 'direct' } }] }] },
    [],
  ],
  [
    'changes of the tools during a conversation',
    {
      messages: [
        {
          role: 'system',
          content: [
            { type: 'tool_addition', tool: {} },
            { type: 'tool_removal', tool: {} },
            { type: 'text', text: 'x' },
          ],
        },
      ],
    },
    ['messages[].content[].tool_addition', 'messages[].content[].tool_removal'],
  ],
  ['a member of an instruction', { ...baseRequest, system: [{ type: 'text', text: 'x', tone: 'low' }] }, ['system[].tone']],
  [
    'a member of a choice',
    { ...baseRequest, tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: 'any', most: 2 } },
    ['tool_choice.most'],
  ],
  [
    'a member of a format',
    { ...baseRequest, output_config: { format: { type: 'json_schema', schema: {}, strip: true } } },
    ['output_config.format.strip'],
  ],
])('toHub reports the loss of %s', (_, request, names) => {
  expect(toHub({ model: 'm', max_tokens: 1, ...request }).dropped.map(({ param }) => param)).toEqual(names);
});

it('toHub converts an assistant message with all optional members of an SDK to a plain one', () => {
  const content = [
    { type: 'text', text: 'x', citations: null },
    { type: 'tool_use', id: 't', name: 'f', input: {}, caller: null },
  ];
  const { body } = toHub({ model: 'm', max_tokens: 1, messages: [{ role: 'assistant', content }] });
  const tool_calls = [{ id: 't', type: 'function', function: { name: 'f', arguments: '{}' } }];
  expect(body['messages']).toEqual([{ role: 'assistant', content: 'x', tool_calls }]);
});

it('toHub treats cache_control: null like a missing one', () => {
  const request = (marker: object) => ({
    model: 'm',
    max_tokens: 1,
    system: [{ type: 'text', text: 's', ...marker }],
    tools: [{ name: 'f', input_schema: {}, ...marker }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x', ...marker }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'y', ...marker },
          { type: 'tool_use', id: 't', name: 'f', input: {}, ...marker },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'z', ...marker }] },
    ],
  });
  expect(toHub(request({ cache_control: null }))).toEqual(toHub(request({})));
});

it('toHub omits a message that only changes the tools', () => {
  const { body } = toHub({
    ...baseRequest,
    messages: [...baseRequest.messages, { role: 'system', content: [{ type: 'tool_removal', tool: {} }] }],
  });
  expect(body['messages']).toEqual(baseRequest.messages);
});
