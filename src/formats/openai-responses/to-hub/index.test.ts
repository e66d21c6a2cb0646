import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { toHub } from './index.ts';

const convert = (body: JsonObject) => toHub({ model: 'm', input: 'Hi', ...body });
const messagesOf = (input: unknown) => convert({ input }).body['messages'];
const lost = (body: JsonObject) => convert(body).dropped.map(({ param }) => param);
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{ "a" : 1 }' };
const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{ "a" : 1 }' } }];
const result = { type: 'function_call_output', call_id: 'c1', output: 'done' };
const thought = (more: JsonObject) => ({ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], ...more });

describe('input becomes messages', () => {
  it.each<[string, unknown, readonly JsonObject[]]>([
    ['a text', 'Hi', [{ role: 'user', content: 'Hi' }]],
    ['a message without a type', [{ role: 'developer', content: 'Hi' }], [{ role: 'developer', content: 'Hi' }]],
    [
      'parts',
      [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi' },
            { type: 'input_image', image_url: 'https://h.example/a.png', detail: 'high' },
            { type: 'input_image', file_id: 'file-1', detail: 'auto' },
            { type: 'input_file', file_data: 'data:,', filename: 'a.pdf' },
            { type: 'input_file', file_url: 'https://h.example/a.pdf' },
            { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: 'https://h.example/a.png', detail: 'high' } },
            { type: 'image_url', image_url: { url: 'file-1' } },
            { type: 'file', file: { file_data: 'data:,', filename: 'a.pdf' } },
            { type: 'file', file: { file_url: 'https://h.example/a.pdf' } },
            { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
          ],
        },
      ],
    ],
    [
      'an answer with calls, and their outputs',
      [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }] }, call, result],
      [
        { role: 'assistant', content: 'Let me look.', tool_calls: calls },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
      ],
    ],
    [
      'an output with an image',
      [call, { ...result, output: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] }],
      [
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
      ],
    ],
    [
      'a message between a call and its output',
      [call, { role: 'user', content: 'Wait.' }, result],
      [
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
        { role: 'user', content: 'Wait.' },
      ],
    ],
    ['a refusal', [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }], [{ role: 'assistant', content: 'No.' }]],
    [
      'a call of a tool with free text input',
      [
        { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** "x"' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'ok' },
      ],
      [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c2', type: 'function', function: { name: 'patch', arguments: '{"input":"*** \\"x\\""}' } }],
        },
        { role: 'tool', tool_call_id: 'c2', content: 'ok' },
      ],
    ],
    [
      'signed reasoning',
      [thought({ encrypted_content: 'gateway:thinking:SIG' }), { role: 'assistant', content: 'a' }],
      [
        {
          role: 'assistant',
          content: 'a',
          reasoning_content: 'Hm.',
          content_blocks: [
            { type: 'thinking', thinking: 'Hm.', signature: 'SIG' },
            { type: 'text', text: 'a' },
          ],
        },
      ],
    ],
    [
      'encrypted reasoning',
      [
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:redacted:DATA' },
        { role: 'assistant', content: 'a' },
      ],
      [
        {
          role: 'assistant',
          content: 'a',
          content_blocks: [
            { type: 'redacted_thinking', data: 'DATA' },
            { type: 'text', text: 'a' },
          ],
        },
      ],
    ],
    [
      'the signature of a call',
      [{ type: 'reasoning', summary: [], encrypted_content: 'gateway:next:SIG' }, call],
      [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ ...calls[0], extra_content: { google: { thought_signature: 'SIG' } } }],
        },
      ],
    ],
    [
      'the signatures of a text',
      [
        { role: 'assistant', content: 'abcd' },
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:text:1:2:S' },
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:text:1:0:E' },
        call,
      ],
      [
        {
          role: 'assistant',
          content: 'abcd',
          tool_calls: calls,
          content_blocks: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'bc', signature: 'S' },
            { type: 'text', text: 'd' },
            { type: 'text', text: '', signature: 'E' },
            { type: 'tool_use', id: 'c1', name: 'f', input: {} },
          ],
        },
      ],
    ],
    [
      'a signature without a text',
      [
        { role: 'assistant', content: 'ab' },
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:text:0:0:E' },
      ],
      [
        {
          role: 'assistant',
          content: 'ab',
          content_blocks: [
            { type: 'text', text: 'ab' },
            { type: 'text', text: '', signature: 'E' },
          ],
        },
      ],
    ],
    [
      'an image of the model',
      [
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:next:SIG' },
        { type: 'image_generation_call', id: 'ig_1', status: 'completed', output_format: 'jpeg', result: 'AA==' },
      ],
      [
        {
          role: 'assistant',
          content: null,
          content_blocks: [{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AA==' }, signature: 'SIG' }],
        },
      ],
    ],
    [
      'reasoning of an open model',
      [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }],
      [{ role: 'assistant', content: null, reasoning_content: 'Hm.', content_blocks: [{ type: 'thinking', thinking: 'Hm.' }] }],
    ],
  ])('%s', (_name, input, messages) => {
    expect(messagesOf(input)).toEqual(messages);
  });

  it('with the instructions first', () => {
    expect(convert({ instructions: 'Be brief.' }).body['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ]);
  });
});

describe('parameters', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['limits', { max_output_tokens: 9, temperature: 0, top_p: 1 }, { max_completion_tokens: 9, temperature: 0, top_p: 1 }],
    ['effort', { reasoning: { effort: 'low', summary: 'auto' } }, { reasoning_effort: 'low' }],
    ['verbosity', { text: { verbosity: 'low', format: { type: 'text' } } }, { verbosity: 'low', response_format: { type: 'text' } }],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: true, description: null } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } } },
    ],
    ['log probabilities', { include: ['message.output_text.logprobs'], top_logprobs: 5 }, { logprobs: true, top_logprobs: 5 }],
    ['log probabilities of the tokens alone', { include: ['message.output_text.logprobs'], top_logprobs: 0 }, { logprobs: true }],
    ['a stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
    [
      'functions',
      { tools: [{ type: 'function', name: 'f', parameters: {}, strict: null }], parallel_tool_calls: false },
      { tools: [{ type: 'function', function: { name: 'f', parameters: {} } }], parallel_tool_calls: false },
    ],
    [
      'a web search',
      {
        tools: [
          {
            type: 'web_search',
            search_context_size: 'medium',
            user_location: { type: 'approximate', city: 'Oslo' },
            filters: { allowed_domains: ['a.example'] },
          },
        ],
      },
      {
        tools: [
          {
            type: 'web_search_20250305',
            name: 'web_search',
            user_location: { type: 'approximate', city: 'Oslo' },
            allowed_domains: ['a.example'],
          },
        ],
      },
    ],
    ['a choice by word', { tool_choice: 'required' }, { tool_choice: 'required' }],
    ['a choice by name', { tool_choice: { type: 'function', name: 'f' } }, { tool_choice: { type: 'function', function: { name: 'f' } } }],
    [
      'a choice of several',
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'f' }] } },
      {
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] } },
      },
    ],
  ])('%s', (_name, body, expected) => {
    const { messages: _messages, model: _model, ...converted } = convert(body).body;
    expect([converted, lost(body)]).toEqual([expected, []]);
  });

  it('a tool with free text input becomes a function that describes its grammar', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
    const { body, dropped } = convert({ tools: [{ type: 'custom', name: 'patch', description: 'd', format }] });
    const input = { type: 'string', description: 'Text that follows this lark grammar:\nstart: "a"' };
    const parameters = { type: 'object', properties: { input }, required: ['input'], additionalProperties: false };
    expect(body['tools']).toEqual([{ type: 'function', function: { name: 'patch', description: 'd', parameters } }]);
    expect(dropped.map(({ param }) => param)).toEqual(['tools[].format']);
  });

  it.each<[JsonObject, readonly string[]]>([
    [{ store: false, truncation: 'disabled', include: ['reasoning.encrypted_content'], metadata: { a: 'b' }, background: false }, []],
    [{ store: true, truncation: 'auto', top_logprobs: 5, max_tool_calls: 3 }, ['store', 'truncation', 'max_tool_calls', 'top_logprobs']],
    [{ include: ['file_search_call.results', 'message.output_text.logprobs'] }, ['include']],
    [{ hologram: 1, messages: [] }, ['hologram', 'messages']],
    [{ reasoning: { mode: 'x' }, text: { color: 'red' } }, ['reasoning.mode', 'text.color']],
    [{ tools: [{ type: 'code_interpreter' }, { type: 'function', name: 'f', novel: 1 }] }, ['tools[].code_interpreter', 'tools[].novel']],
    [{ tools: [{ type: 'web_search', search_context_size: 'high' }] }, ['tools[].web_search.search_context_size']],
    [{ tools: [{ type: 'web_search', filters: { blocked_domains: ['a.example'] } }] }, ['tools[].web_search.filters.blocked_domains']],
    [{ tool_choice: { type: 'file_search' } }, ['tool_choice']],
    [{ input: [{ role: 'user', content: 'a', id: 'msg_1', status: 'completed', phase: 'commentary' }] }, ['input[].phase']],
    [
      { input: [{ role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [{}] }] }] },
      ['input[].content[].annotations'],
    ],
    [
      {
        input: [
          { ...call, id: 'fc_1', status: 'completed', caller: { type: 'direct' } },
          { ...result, status: 'completed', name: 'f' },
        ],
      },
      [],
    ],
    [
      { input: [{ ...call, namespace: 'n', async: true, caller: { type: 'program', caller_id: 'p' } }] },
      ['input[].function_call.namespace', 'input[].function_call.async', 'input[].function_call.caller'],
    ],
    [{ input: [call, { ...result, caller: { type: 'program', caller_id: 'p' } }] }, ['input[].function_call_output.caller']],
    [
      {
        input: [
          { type: 'web_search_call', id: 'ws_1', status: 'completed' },
          { role: 'user', content: 'a' },
        ],
      },
      ['input[].web_search_call'],
    ],
    [{ input: [thought({ encrypted_content: 'gAAAA' }), call] }, ['input[].reasoning.encrypted_content']],
    [
      { input: [{ role: 'assistant', content: 'shorter' }, thought({ summary: [], encrypted_content: 'gateway:text:4:9:S' })] },
      ['input[].reasoning.encrypted_content'],
    ],
    [{ input: [{ role: 'user', content: [{ type: 'input_text', text: 'a', hologram: 1 }] }] }, ['input[].content[].hologram']],
  ])('what the common format cannot express is reported: %j', (body, params) => {
    expect(lost(body)).toEqual(params);
  });

  it('are repeated in the response, with the defaults of the API', () => {
    expect(convert({ temperature: 0.5, metadata: { a: 'b' }, tools: [{ type: 'custom', name: 'f' }] }).echo).toEqual({
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: { a: 'b' },
      parallel_tool_calls: true,
      reasoning: { effort: null, summary: null },
      temperature: 0.5,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      tools: [{ type: 'custom', name: 'f' }],
      top_logprobs: 0,
      top_p: null,
      truncation: 'disabled',
      user: null,
    });
  });
});

describe('what would be missing in the conversation is rejected', () => {
  it.each<[string, JsonObject, string]>([
    ['input that is no text and no list', { input: 5 }, 'input'],
    ['no input', { input: undefined }, 'input'],
    ['tools that are no objects', { tools: ['f'] }, 'tools[0]'],
    ['an earlier response', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a conversation', { conversation: { id: 'conv_1' } }, 'conversation'],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['background work', { background: true }, 'background'],
    ['a reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    ['an unknown item', { input: [call, { type: 'computer_call_output', call_id: 'c', output: {} }] }, 'input[1].type'],
    ['an unknown role', { input: [{ role: 'tool', content: 'a' }] }, 'input[0].role'],
    ['an unknown part', { input: [{ role: 'user', content: [{ type: 'hologram' }] }] }, 'input[0].content[0].type'],
    ['an image without an address', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0]'],
    ['a file without content', { input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, 'input[0].content[0]'],
    [
      'an image of the assistant',
      { input: [{ role: 'assistant', content: [{ type: 'input_image', image_url: 'data:,' }] }] },
      'input[0].content',
    ],
  ])('%s', (_name, body, param) => {
    expect(() => convert(body)).toThrow(expect.objectContaining({ status: 400, param }) as Error);
  });
});
