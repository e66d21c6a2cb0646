/** The same answer (a thought, a text, a call) in the formats of three services, whole and streamed. */

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'model-x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const chatUsage = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 4 },
};
const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } };

export const chatWhole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'model-x',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Let me look.', reasoning_content: 'Hm.', tool_calls: [call] },
      finish_reason: 'tool_calls',
    },
  ],
  usage: chatUsage,
};

export const chatStream = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'H' }),
  chunk({ reasoning_content: 'm.' }),
  chunk({ content: 'Let me' }),
  chunk({ content: ' look.' }),
  chunk({ tool_calls: [{ index: 0, ...call, function: { name: 'get_weather', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
  chunk({}, 'tool_calls'),
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'model-x', choices: [], usage: chatUsage })}\n\n`,
  'data: [DONE]\n\n',
];

export const contentsWhole = {
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { text: 'Let me look.' },
          { functionCall: { name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'U0lHTkVE' },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, thoughtsTokenCount: 4, totalTokenCount: 29, cachedContentTokenCount: 8 },
  modelVersion: 'model-x',
  responseId: 'c1',
};

const signature = 'RXFzQg'.padEnd(60, 'A');
const messageUsage = { input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } };
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'model-x', stop_sequence: null };

export const messageWhole = {
  ...head,
  content: [
    { type: 'thinking', thinking: 'Hm.', signature },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
  ],
  stop_reason: 'tool_use',
  usage: messageUsage,
};

const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const start = (index: number, content_block: object): string => event('content_block_start', { index, content_block });
const delta = (index: number, one: object): string => event('content_block_delta', { index, delta: one });
const stop = (index: number): string => event('content_block_stop', { index });

export const messageStream = [
  event('message_start', { message: { ...head, content: [], stop_reason: null, usage: { ...messageUsage, output_tokens: 1 } } }),
  start(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
  delta(0, { type: 'signature_delta', signature }),
  stop(0),
  start(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'Let me' }),
  delta(1, { type: 'text_delta', text: ' look.' }),
  stop(1),
  start(2, { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '{"city":' }),
  delta(2, { type: 'input_json_delta', partial_json: '"Oslo"}' }),
  stop(2),
  event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: messageUsage }),
  event('message_stop', {}),
];
