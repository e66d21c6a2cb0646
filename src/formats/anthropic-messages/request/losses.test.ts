import { describe, expect, it } from 'vitest';
import { toConverse } from '../../bedrock-converse/request/index.ts';
import { toMessages } from './index.ts';

const media = new Map();
const anthropic = (body: object) =>
  toMessages({ ...base, ...body }, { model: 'claude-sonnet-4-5', foundationModel: undefined, stream: false }, { media });
const bedrock = (body: object) =>
  toConverse({ ...base, ...body }, { model: 'amazon.nova-pro-v1:0', foundationModel: undefined }, { media });
const base = { messages: [{ role: 'user', content: 'x' }] };
const converters = [
  ['Anthropic', anthropic],
  ['Bedrock', bedrock],
] as const;
const history = (call: object) => [
  ...base.messages,
  { role: 'assistant', tool_calls: [{ id: 'a', ...call }] },
  { role: 'tool', tool_call_id: 'a', content: 'r' },
];
const named = (args: unknown) => ({ messages: history({ type: 'function', function: { name: 'f', arguments: args } }) });
const tool = (parameters: unknown) => ({ tools: [{ type: 'function', function: { name: 'f', parameters } }] });

describe.each(converters)('a chat request that is converted for %s', (_name, convert) => {
  it.each<[string, object, string[]]>([
    ['arguments that were cut off', named('{"a":'), ['messages[].tool_calls[].arguments']],
    ['arguments that are a list', named('[1]'), ['messages[].tool_calls[].arguments']],
    ['no arguments', named(''), []],
    ['arguments of null', named('null'), []],
    ['arguments with white space', named(' {"a":1} '), []],
    ['the free text of a custom tool', { messages: history({ type: 'custom', custom: { name: 'c', input: 'free' } }) }, []],
    ['parameters in a string', tool('{"type":"object"}'), ['tools[].function.parameters']],
    ['a tool without parameters', tool(undefined), []],
    ['thinking that is not an object', { thinking: 'on' }, ['thinking']],
    ['an output_config that is not an object', { output_config: 'low' }, ['output_config']],
    ['metadata that is not an object', { metadata: 'x' }, ['metadata']],
    ['a response format without a schema', { response_format: { type: 'json_schema', json_schema: { name: 'o' } } }, ['response_format']],
  ])('reports what is lost: %s', (_case, body, params) => {
    expect(convert(body).dropped.map(({ param }) => param)).toEqual(params);
  });

  it.each<[object, string]>([
    [{ type: 'url_context' }, 'tools[].url_context'],
    [{ googleMaps: {} }, 'tools[].googleMaps'],
    [{ type: 'code_execution' }, 'tools[].code_execution'],
    [{ type: 'web_search_preview', search_context_size: 'low' }, 'tools[].web_search_preview'],
    [{ type: 'file_search', vector_store_ids: [] }, 'tools[].file_search'],
  ])('leaves out the tool %j of another service', (foreign, param) => {
    const own = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } };
    const { body, dropped } = convert({ tools: [foreign, own] });
    expect(dropped.map((one) => one.param)).toEqual([param]);
    expect(JSON.stringify(body)).not.toContain(param.slice('tools[].'.length));
  });

  it('leaves out stop sequences that the model rejects', () => {
    const { body, dropped } = convert({ stop: ['', 'END'] });
    expect(JSON.stringify(body)).toMatch(/top(?:_s|S)equences":\["END"\]/);
    expect(dropped).toHaveLength(1);
  });

  it('reports one of two lists of stop sequences', () => {
    expect(convert({ stop: 'A', stop_sequences: ['B'] }).dropped).toHaveLength(1);
    expect(convert({ stop: ['A'], stop_sequences: ['A'] }).dropped).toHaveLength(0);
  });

  it.each<[string, unknown]>([
    ['an unknown role', { role: 'critic', content: 'x' }],
    ['no role', { content: 'x' }],
    ['a part that is not an object', { role: 'user', content: [5, { type: 'text', text: 'x' }] }],
    ['content that is a number', { role: 'user', content: 5 }],
  ])('rejects a message with %s', (_case, message) => {
    expect(() => convert({ messages: [message, ...base.messages] })).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });
});

it('the arguments that are not an object are still sent', () => {
  expect(JSON.stringify(anthropic(named('{"a":')).body)).toContain('"input":{"arguments":"{\\"a\\":"}');
});

it.each(['guardrailConfig', 'guardrail_config', 'performanceConfig', 'promptVariables'])(
  'Bedrock gets no request in which %s is not an object',
  (field) => {
    expect(() => bedrock({ [field]: 'gr-1' })).toThrow(expect.objectContaining({ code: 'invalid_type' }));
  },
);

it.each(['requestMetadata', 'labels', 'additionalModelRequestFields', 'outputConfig'])('reports that %s is not an object', (field) => {
  expect(bedrock({ [field]: 'x' }).dropped.map(({ param }) => param)).toEqual([field]);
});

it('reasoning_effort is dropped if the client sends the beginning of the response, which excludes thinking', () => {
  const messages = [...base.messages, { role: 'assistant', content: 'a' }];
  const { body, dropped } = anthropic({ messages, reasoning_effort: 'high' });
  expect([body['thinking'], body['max_tokens'], dropped.map(({ param }) => param)]).toEqual([undefined, 4096, ['reasoning_effort']]);
  expect(anthropic({ reasoning_effort: 'high' }).body).toHaveProperty('thinking');
  const step = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } };
  const paused = [...base.messages, { role: 'assistant', content: [{ type: 'thinking', thinking: 't', signature: 's' }, step] }];
  expect(anthropic({ messages: paused, reasoning_effort: 'high' }).body).toHaveProperty('thinking');
  const adaptive = { model: 'claude-opus-4-8', foundationModel: undefined, stream: false };
  expect(toMessages({ messages, reasoning_effort: 'high' }, adaptive, { media }).body).toMatchObject({ output_config: { effort: 'high' } });
  expect(toMessages({ messages, reasoning_effort: 'high' }, adaptive, { media }).body).not.toHaveProperty('thinking');
});

it('Models of Anthropic on Bedrock get no stop sequences of white space', () => {
  const stops = (model: string) =>
    toConverse({ ...base, stop: [' \n', 'END'] }, { model, foundationModel: undefined }, { media }).body['inferenceConfig'];
  expect(stops('anthropic.claude-sonnet-4-5-v1:0')).toEqual({ stopSequences: ['END'] });
  expect(stops('amazon.nova-pro-v1:0')).toEqual({ stopSequences: [' \n', 'END'] });
});

describe('thinking that the client requests', () => {
  const max = { max_tokens: 9000 };
  const thinking = { type: 'enabled', budget_tokens: 2048 };
  it.each<[string, { readonly strict: boolean; readonly showsReasoning?: boolean }, object, string[]]>([
    ['is reported if strict compliance hides it', { strict: true }, { thinking }, ['content_blocks.thinking']],
    ['is not reported with strict compliance off', { strict: false }, { thinking }, []],
    ['is not reported if the client reads reasoning_content', { strict: true, showsReasoning: true }, { thinking }, []],
    ['is not reported if it is disabled', { strict: true }, { thinking: { type: 'disabled' } }, []],
    ['is not reported if only an effort is requested', { strict: true }, { reasoning_effort: 'high' }, []],
  ])('%s', (_name, client, body, params) => {
    const names = (dropped: readonly { readonly param: string }[]): string[] => dropped.map(({ param }) => param);
    const request = { ...base, ...max, ...body };
    const direct = { model: 'claude-sonnet-4-5', foundationModel: undefined, stream: false, ...client };
    const converse = { model: 'anthropic.claude-sonnet-4-5', foundationModel: undefined, ...client };
    expect(names(toMessages(request, direct, { media }).dropped)).toEqual(params);
    expect(names(toConverse(request, converse, { media }).dropped)).toEqual(params);
  });
});

it.each<[object, string[]]>([
  [{ user_location: { type: 'approximate', approximate: { city: 'Oslo' } } }, []],
  [{ user_location: { city: 'Oslo' } }, ['web_search_options.user_location']],
  [{ search_context_size: 'low', recency: 'day' }, ['web_search_options.search_context_size', 'web_search_options.recency']],
])('options of the web search that Anthropic does not have are reported: %j', (web_search_options, params) => {
  expect(anthropic({ web_search_options }).dropped.map(({ param }) => param)).toEqual(params);
});
