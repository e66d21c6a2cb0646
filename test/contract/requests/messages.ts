import { fields, hi, type RequestRow, userContents, conversationRow } from './row.ts';

const third = {
  model: 'gemini-3-pro-preview',
  url: 'https://us-central1-aiplatform.googleapis.com/v1/projects/p1/locations/us-central1/publishers/google/models/gemini-3-pro-preview:generateContent',
};
const call = (id: string, name: string, args: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: args, ...more },
});
const calls = (...list: object[]) => ({ role: 'assistant', content: null, tool_calls: list });
const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content });
const text = (value: string) => ({ text: value });
const user = (...parts: object[]) => ({ role: 'user', parts });
const model = (...parts: object[]) => ({ role: 'model', parts });
const functionCall = (name: string, args: object, more: object = {}) => ({ functionCall: { name, args, ...more } });
const functionResponse = (name: string, output: unknown, more: object = {}) => ({
  functionResponse: { ...more, name, response: { output } },
});
const pngBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const signature = 'CsYBAb4+/9vQ==';
const step = (tool: object, ...more: object[]) => [...hi, calls(tool), ...more, result('c1', 'r')];

const refusedAt = (param: string) => ({ refused: ['unsupported_parameter', param] as const });

/** How messages become contents. */
export const messageRows: readonly RequestRow[] = [
  conversationRow(
    'a result that is an object',
    [...hi, calls(call('c1', 'f', '{}')), result('c1', { x: 1 })],
    [user(text('hi')), model(functionCall('f', {})), user(functionResponse('f', '{"x":1}'))],
  ),
  conversationRow('one text', hi, userContents),
  conversationRow(
    'thoughts under field names of other providers are dropped',
    [...hi, { role: 'assistant', content: 'a', reasoning_content: 'hm', reasoning: 'hm' }],
    [user(text('hi')), model(text('a'))],
    { dropped: ['messages[].reasoning_content', 'messages[].reasoning'] },
  ),
  conversationRow(
    'every system and developer text, in order',
    [
      { role: 'system', content: 'A' },
      ...hi,
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'B' },
          { type: 'text', text: 'C' },
        ],
      },
      { role: 'system', content: '' },
    ],
    userContents,
    { system: { parts: [text('A'), text('B'), text('C')] } },
  ),
  conversationRow('a system message alone gets a user message', [{ role: 'system', content: 'A' }], [user(text(' '))], {
    system: { parts: [text('A')] },
  }),
  conversationRow(
    'consecutive messages of one role are merged',
    [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'c' },
      { role: 'assistant', content: 'd' },
      { role: 'user', content: 'e' },
    ],
    [user(text('a'), text('b')), model(text('c'), text('d')), user(text('e'))],
  ),
  conversationRow(
    'a history that starts with the assistant',
    [{ role: 'assistant', content: 'c' }, ...hi],
    [user(text(' ')), model(text('c')), user(text('hi'))],
  ),
  conversationRow(
    'empty texts are dropped',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'x' },
        ],
      },
      { role: 'assistant', content: '' },
      ...hi,
    ],
    [user(text('x'), text('hi'))],
  ),
  conversationRow('names of authors are dropped and reported', [{ role: 'user', name: 'bob', content: 'hi' }], userContents, {
    dropped: ['messages[].name'],
  }),
  conversationRow('a call and its result', step(call('c1', 'f', '{"a":1}')), [
    ...userContents,
    model(functionCall('f', { a: 1 })),
    user(functionResponse('f', 'r')),
  ]),
  conversationRow(
    'text next to calls',
    [...hi, { ...calls(call('c1', 'f', '{}')), content: 'Wait.' }, result('c1', 'r')],
    [...userContents, model(text('Wait.'), functionCall('f', {})), user(functionResponse('f', 'r'))],
  ),
  conversationRow('empty arguments', step(call('c1', 'f', '')), [
    ...userContents,
    model(functionCall('f', {})),
    user(functionResponse('f', 'r')),
  ]),
  {
    ...conversationRow('arguments keep the digits of long numbers', step(call('c1', 'f', '{"id":12345678901234567890}')), undefined),
    text: '"args":{"id":12345678901234567890}',
  },
  conversationRow(
    'three results in another order',
    [
      ...hi,
      calls(call('a', 'f', '{}'), call('b', 'g', '{}'), call('c', 'f', '{"n":2}')),
      result('c', '3'),
      result('a', '1'),
      result('b', '2'),
    ],
    [
      ...userContents,
      model(functionCall('f', {}), functionCall('g', {}), functionCall('f', { n: 2 })),
      user(functionResponse('f', '1'), functionResponse('g', '2'), functionResponse('f', '3')),
    ],
  ),
  conversationRow(
    'results are placed before the text of the user',
    [...hi, calls(call('a', 'f', '{}'), call('b', 'g', '{}')), result('a', '1'), { role: 'user', content: 'go on' }, result('b', '2')],
    [
      ...userContents,
      model(functionCall('f', {}), functionCall('g', {})),
      user(functionResponse('f', '1'), functionResponse('g', '2'), text('go on')),
    ],
  ),
  conversationRow(
    'a missing result is replaced by an error result',
    [...hi, calls(call('a', 'f', '{}'), call('b', 'g', '{}')), result('b', '2')],
    [
      ...userContents,
      model(functionCall('f', {}), functionCall('g', {})),
      user({ functionResponse: { name: 'f', response: { error: 'The client sent no result.' } } }, functionResponse('g', '2')),
    ],
  ),
  conversationRow(
    'arguments that are not a JSON object are sent as text and reported',
    [...hi, calls(call('a', 'f', '{"x"')), result('a', '1')],
    [...userContents, model(functionCall('f', { arguments: '{"x"' })), user(functionResponse('f', '1'))],
    { dropped: ['messages[].tool_calls[].arguments'] },
  ),
  conversationRow(
    'results without an id are matched to the calls in order',
    [...hi, calls(call('a', 'f', '{}'), call('b', 'g', '{}')), { role: 'tool', content: '1' }, result('', '2')],
    [...userContents, model(functionCall('f', {}), functionCall('g', {})), user(functionResponse('f', '1'), functionResponse('g', '2'))],
  ),
  conversationRow(
    'repeated ids are matched in order',
    [...hi, calls(call('a', 'f', '{}'), call('a', 'g', '{}')), result('a', '1'), result('a', '2')],
    [...userContents, model(functionCall('f', {}), functionCall('g', {})), user(functionResponse('f', '1'), functionResponse('g', '2'))],
  ),
  conversationRow(
    'ids that are repeated in another turn',
    [...step(call('c1', 'f', '{}')), calls(call('c1', 'g', '{}')), result('c1', 's')],
    [
      ...userContents,
      model(functionCall('f', {})),
      user(functionResponse('f', 'r')),
      model(functionCall('g', {})),
      user(functionResponse('g', 's')),
    ],
  ),
  conversationRow(
    'calls in two consecutive assistant messages are merged',
    [...hi, calls(call('a', 'f', '{}')), calls(call('b', 'g', '{}')), result('a', '1'), result('b', '2')],
    [...userContents, model(functionCall('f', {}), functionCall('g', {})), user(functionResponse('f', '1'), functionResponse('g', '2'))],
  ),
  conversationRow(
    'a result in parts',
    [
      ...hi,
      calls(call('c1', 'f', '{}')),
      result('c1', [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ],
    [...userContents, model(functionCall('f', {})), user(functionResponse('f', 'a\n\nb'))],
  ),
  conversationRow(
    'an image in a result is placed after it for older models',
    [...hi, calls(call('c1', 'f', '{}')), result('c1', [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }])],
    [
      ...userContents,
      model(functionCall('f', {})),
      user(functionResponse('f', ''), { inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
    ],
  ),
  conversationRow(
    'an image in a result is part of it from generation 3 on',
    [
      ...hi,
      calls(call('c1', 'f', '{}', { thought_signature: signature })),
      result('c1', [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]),
    ],
    [
      ...userContents,
      model({ ...functionCall('f', {}), thoughtSignature: signature }),
      user({ functionResponse: { name: 'f', response: { output: '' }, parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } }),
    ],
    third,
  ),
  conversationRow(
    'function_call of the older API',
    [
      ...hi,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'r' },
    ],
    [...userContents, model(functionCall('f', { a: 1 })), user(functionResponse('f', 'r'))],
  ),
  ...(
    [
      ['in the function', call('c1', 'f', '{}', { thought_signature: signature })],
      ['in the call', { ...call('c1', 'f', '{}'), thought_signature: signature }],
      ['in extra_content.google', { ...call('c1', 'f', '{}'), extra_content: { google: { thought_signature: signature } } }],
      ['in extra_content.vertex', { ...call('c1', 'f', '{}'), extra_content: { vertex: { thought_signature: signature } } }],
      ['in provider_specific_fields', { ...call('c1', 'f', '{}'), provider_specific_fields: { thought_signature: signature } }],
      ['in camel case', call('c1', 'f', '{}', { thoughtSignature: signature })],
      ['behind the id', call(`c1__thought__${signature}`, 'f', '{}')],
    ] as const
  ).map(([where, tool]) =>
    conversationRow(`a signature ${where}`, step(tool), [
      ...userContents,
      model({ ...functionCall('f', {}), thoughtSignature: signature }),
      user(functionResponse('f', 'r')),
    ]),
  ),
  conversationRow(
    'a missing signature is replaced by a placeholder on the first call',
    [...hi, calls(call('call_a', 'f', '{}'), call('call_b', 'g', '{}')), result('call_a', '1'), result('call_b', '2')],
    [
      ...userContents,
      model({ ...functionCall('f', {}), thoughtSignature: 'skip_thought_signature_validator' }, functionCall('g', {})),
      user(functionResponse('f', '1'), functionResponse('g', '2')),
    ],
    third,
  ),
  conversationRow(
    'the placeholder can be disabled',
    [...hi, calls(call('call_a', 'f', '{}')), result('call_a', '1')],
    [...userContents, model(functionCall('f', {})), user(functionResponse('f', '1'))],
    { ...third, settings: { region: 'us-central1', project: 'p1', signature_stand_in: false } },
  ),
  conversationRow(
    'ids of Gemini are sent back to models that generate them',
    [...hi, calls(call('xdds9n0p', 'f', '{}', { thought_signature: signature })), result('xdds9n0p', '1')],
    [
      ...userContents,
      model({ functionCall: { id: 'xdds9n0p', name: 'f', args: {} }, thoughtSignature: signature }),
      user(functionResponse('f', '1', { id: 'xdds9n0p' })),
    ],
    third,
  ),
  conversationRow(
    'ids that the gateway generated are not sent',
    [...hi, calls(call('call_gw_1', 'f', '{}', { thought_signature: signature })), result('call_gw_1', '1')],
    [...userContents, model({ ...functionCall('f', {}), thoughtSignature: signature }), user(functionResponse('f', '1'))],
    third,
  ),
  conversationRow(
    'signatures of texts and images are sent back from content blocks',
    [
      ...hi,
      {
        role: 'assistant',
        content: 'ab',
        content_blocks: [
          { type: 'text', text: 'a', signature },
          { type: 'text', text: 'b' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' }, signature: 'S2' },
          { type: 'text', text: '', signature: 'S3' },
        ],
      },
      ...hi,
    ],
    [
      ...userContents,
      model(
        { text: 'a', thoughtSignature: signature },
        text('b'),
        { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: 'S2' },
        { text: '', thoughtSignature: 'S3' },
      ),
      ...userContents,
    ],
  ),
  conversationRow(
    'content blocks that do not match the content are ignored',
    [...hi, { role: 'assistant', content: 'new', content_blocks: [{ type: 'text', text: 'old', signature }] }, ...hi],
    [...userContents, model(text('new')), ...userContents],
  ),
  conversationRow(
    'thoughts are not sent back',
    [
      ...hi,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'x' },
          { type: 'text', text: 'a' },
        ],
      },
      ...hi,
    ],
    [...userContents, model(text('a')), ...userContents],
    { dropped: ['messages[].content[].thinking'] },
  ),
  conversationRow(
    'a refusal becomes text of the model',
    [...hi, { role: 'assistant', content: null, refusal: 'No.' }, ...hi],
    [...userContents, model(text('No.')), ...userContents],
  ),
  conversationRow('a result without a call is sent as text', [...hi, result('x', '1')], [user(text('hi'), text('1'))], {
    dropped: ['messages[].tool_call_id'],
  }),
  conversationRow(
    'a result with an unknown id, and one that is sent twice, are sent as text in their place',
    [
      ...hi,
      calls(call('a', 'f', '{}')),
      result('b', '1'),
      result('a', '2'),
      ...hi,
      result('a', '3'),
      { role: 'assistant', content: 'x' },
      result('a', '4'),
    ],
    [
      ...userContents,
      model(functionCall('f', {})),
      user(functionResponse('f', '2'), text('1'), text('hi'), text('3')),
      model(text('x')),
      user(text('4')),
    ],
    { dropped: ['messages[].tool_call_id'] },
  ),
  conversationRow(
    'calls and results in the form of Anthropic',
    [
      ...hi,
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
          { type: 'tool_use', id: 'b', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: '2' }, pngBlock] },
          { type: 'text', text: 'go' },
          { type: 'tool_result', tool_use_id: 'a', content: '1', is_error: true, cache_control: { type: 'ephemeral' } },
          { type: 'tool_result', tool_use_id: 'c', content: '3' },
        ],
      },
    ],
    [
      ...userContents,
      model(functionCall('f', {}), functionCall('g', {})),
      user(
        { functionResponse: { name: 'f', response: { error: '1' } } },
        functionResponse('g', '2'),
        { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
        text('3'),
        text('go'),
      ),
    ],
    { dropped: ['messages[].cache_control', 'messages[].tool_call_id'] },
  ),
  fields(
    'a part of a result in the form of Anthropic is rejected at its place',
    { messages: [...hi, { role: 'user', content: [text('x'), { type: 'tool_result', content: [{ type: 'hologram' }] }] }] },
    {},
    refusedAt('messages[1].content[1].content[0]'),
  ),
  fields(
    'an unknown role is rejected',
    { messages: [{ role: 'wizard', content: 'x' }] },
    {},
    { refused: ['unsupported_parameter', 'messages[0].role'] },
  ),
  fields('a number as content', { messages: [{ role: 'user', content: 5 }] }, {}, refusedAt('messages[0].content')),
  fields('a number as a system text', { messages: [{ role: 'system', content: 5 }, ...hi] }, {}, refusedAt('messages[0].content')),
  fields('a number in content', { messages: [{ role: 'user', content: ['x', 5] }] }, {}, refusedAt('messages[0].content[1]')),
  fields(
    'a number as a result',
    { messages: [...hi, calls(call('a', 'f', '{}')), { role: 'tool', tool_call_id: 'a', content: 5 }] },
    {},
    refusedAt('messages[2].content'),
  ),
  conversationRow('an object as a system text is sent as JSON', [{ role: 'system', content: { a: 1 } }, ...hi], userContents, {
    system: { parts: [{ text: '{"a":1}' }] },
  }),
  fields('no messages', { messages: undefined }, {}, { refused: ['missing_required_parameter', 'messages'] }),
];
