import type { Media } from '../../../core/provider.ts';
import { describe, expect, it } from 'vitest';
import { mediaNeeds, toMessages } from './index.ts';
import { claudeTraitsOf } from './model.ts';

type Json = Record<string, unknown>;

const call = { model: 'claude-sonnet-4-5@20250929', foundationModel: undefined, stream: false };
const vertex = { version: 'vertex-2023-10-16' };
const user = (content: unknown): Json => ({ role: 'user', content });
const imagePart = (url: string): Json => ({ type: 'image_url', image_url: { url } });
const mcpListing = { type: 'mcp_tool_listing', mcp_server_name: 's', tools: [{ name: 't', input_schema: {} }] };
/** An object that cannot be converted to a string. */
const oddObject = { toString: 1, valueOf: 1 };
const thought = { type: 'thinking', thinking: 't', signature: 's' };
const pdfMedia: readonly [string, Media] = ['https://h.example/r', { mimeType: 'application/pdf', base64: 'JVBERi0=' }];
const sourceOf = (block: unknown): unknown => (block as Json)['source'];

function convert(
  body: Json,
  media: readonly (readonly [string, Media])[] = [],
  handledTools: readonly string[] = [],
): { body: Json; dropped: string[] } {
  const converted = toMessages({ max_tokens: 9, messages: [user('Hi')], ...body }, call, {
    vertex,
    media: new Map(media),
    handled: handledTools,
  });
  return { body: converted.body, dropped: converted.dropped.map(({ param }) => param) };
}

describe('toMessages for Vertex AI', () => {
  it('sends the version instead of the model', () => {
    expect(convert({ model: 'x' }).body).toEqual({ anthropic_version: 'vertex-2023-10-16', max_tokens: 9, messages: [user('Hi')] });
  });

  it.each([
    ['service_tier', 'auto'],
    ['container', 'c'],
    ['mcp_servers', [{}]],
    ['speed', 'fast'],
    ['labels', { a: 'b' }],
  ])('omits %s, which Vertex AI rejects', (name, value) => {
    expect(convert({ [name]: value })).toMatchObject({ dropped: [name] });
    expect(convert({ [name]: value }).body).not.toHaveProperty(name);
  });

  it('does not report parameters that are listed as handled', () => {
    expect(convert({ labels: { a: 'b' } }, [], ['labels'])).toMatchObject({ dropped: [] });
  });

  it.each(['ultra', 'constructor', '__proto__'])('reports the unknown reasoning_effort %s instead of sending a budget', (effort) => {
    const params = { model: call.model, messages: [user('Hi')], max_tokens: 9000, reasoning_effort: effort };
    const { body, dropped } = toMessages(params, call, { vertex, media: new Map(), handled: [] });
    expect(body).not.toHaveProperty('thinking');
    expect(dropped).toEqual([{ param: 'reasoning_effort', reason: 'not an effort that this model knows' }]);
  });

  const onlyTool = { type: 'function', function: { name: 'f' } };
  const otherTool = { type: 'function', function: { name: 'g' } };
  it.each<[string, Json, string[]]>([
    ['an unknown choice', { tools: [onlyTool], tool_choice: 'constructor' }, ['tool_choice']],
    ['an unknown kind of choice', { tools: [onlyTool], tool_choice: { type: 'x' } }, ['tool_choice']],
    ['a forced tool without tools', { tool_choice: 'required' }, ['tool_choice']],
    [
      'allowed tools that do not exist',
      { tools: [onlyTool], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [otherTool] } } },
      ['tool_choice'],
    ],
    ['none without tools', { tool_choice: 'none' }, []],
    ['an absent choice', { tools: [onlyTool], tool_choice: null }, []],
  ])('sends no tool_choice for %s, and reports what is lost', (_, params, lost) => {
    const { body, dropped } = convert(params);
    expect(body).not.toHaveProperty('tool_choice');
    expect(dropped).toEqual(lost);
  });

  it('omits strict of a tool', () => {
    const tools = [{ type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object' } } }];
    expect(convert({ tools }).body['tools']).toEqual([{ name: 'f', input_schema: { type: 'object' } }]);
  });

  it('sends every file inline', () => {
    const { body } = convert(
      { messages: [user([imagePart(pdfMedia[0]), { type: 'document', source: { type: 'url', url: pdfMedia[0] }, title: 'T' }])] },
      [pdfMedia],
    );
    const content = (body['messages'] as { content: unknown[] }[])[0]?.content ?? [];
    expect(content.map(sourceOf)).toEqual(Array(2).fill({ type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }));
    expect(content[1]).toMatchObject({ title: 'T' });
  });

  it('sends files in tool results inline and keeps the other blocks of the result', () => {
    const reference = { type: 'tool_reference', tool_name: 'g' };
    const result = (content: unknown) => ({ type: 'tool_result', tool_use_id: 'a', content });
    const toolUse = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const messages = [
      user('Hi'),
      { role: 'assistant', content: [toolUse] },
      user([result([{ type: 'document', source: { type: 'url', url: pdfMedia[0] } }, reference, 'x'])]),
    ];
    const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
    const sent = convert({ messages }, [pdfMedia]).body['messages'] as readonly Json[];
    expect(sent[2]).toEqual(user([result([{ type: 'document', source }, reference, { type: 'text', text: 'x' }])]));
  });

  it('rejects a file ID', () => {
    expect(() => convert({ messages: [user([{ type: 'file', file: { file_id: 'file_1' } }])] })).toThrow('not read by this service');
  });
});

describe('mediaNeeds', () => {
  const messages = [
    { role: 'system', content: [imagePart('https://h.example/0.txt')] },
    user([
      imagePart('https://h.example/1.png'),
      imagePart('https://h.example/2.txt?x=1'),
      imagePart('http://h.example/3.png'),
      imagePart('data:image/png;base64,AAAA'),
    ]),
    { role: 'assistant', content: [imagePart('https://h.example/4.txt')] },
    { role: 'tool', tool_call_id: 'a', content: [imagePart('https://h.example/5.md'), imagePart('gs://b/6.png')] },
    user([
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'image', source: { type: 'url', url: 'https://h.example/7.png' } }] },
      imagePart('https://h.example/2.txt?x=1'),
    ]),
  ];

  it.each([
    ['direct', ['https://h.example/2.txt?x=1', 'http://h.example/3.png', 'https://h.example/5.md']],
    [
      'vertex',
      [
        'https://h.example/1.png',
        'https://h.example/2.txt?x=1',
        'http://h.example/3.png',
        'https://h.example/5.md',
        'gs://b/6.png',
        'https://h.example/7.png',
      ],
    ],
  ] as const)('lists each file that must be sent inline once: %s', (form, urls) => {
    const needs = mediaNeeds({ messages }, form);
    expect(needs.map(({ url }) => url)).toEqual(urls);
    expect(needs.every(({ maxBytes }) => maxBytes > 20_000_000)).toBe(true);
  });
});

describe('toMessages', () => {
  it.each<[string, Json]>([
    ['the type of a tool', { tools: [{ type: oddObject, name: oddObject }] }],
    ['the name of a server', { mcp_servers: [{ name: oddObject }] }],
    ['the type of a choice', { tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: oddObject } }],
    ['the type of a part', { messages: [user('Hi'), { role: 'system', content: [{ type: oddObject }] }] }],
    [
      'the type of a citation',
      { messages: [user('Hi'), { role: 'assistant', content: [{ type: 'text', text: 'x', citations: [{ type: oddObject }] }] }] },
    ],
  ])('does not throw for an object instead of a string: %s', (_name, body) => {
    expect(() => convert(body)).not.toThrow();
  });

  it.each<[string, Json, Json, string[]]>([
    [
      'the complete context summary (compaction)',
      { type: 'compaction', content: 'c', signature: 's', tool_changes: [{ type: 'tool_removal' }] },
      {},
      [],
    ],
    ['tools of an MCP server of the request', mcpListing, { mcp_servers: [{ name: 's' }] }, []],
    ['no tools of another MCP server', mcpListing, {}, ['messages[].content[].mcp_tool_listing']],
  ])('sends back %s', (_name, block, extra, dropped) => {
    const assistantMessage = { role: 'assistant', content: 'x', content_blocks: [block, { type: 'text', text: 'x' }] };
    const converted = toMessages({ ...extra, messages: [user('Hi'), assistantMessage, user('Ho')] }, call, { media: new Map() });
    const text = { type: 'text', text: 'x' };
    expect((converted.body['messages'] as Json[])[1]).toEqual({
      role: 'assistant',
      content: dropped.length === 0 ? [block, text] : [text],
    });
    expect(converted.dropped.map(({ param }) => param)).toEqual(dropped);
  });

  it('keeps all digits of a tool input that a client joined from a stream', () => {
    const deltas = [
      { index: 0, delta: { type: 'server_tool_use', id: 's', name: 'web_search' } },
      { index: 0, delta: { partial_json: '{"q":1234567890' } },
      { index: 0, delta: { partial_json: '1234567890}' } },
      { index: 1, delta: { type: 'web_search_tool_result', tool_use_id: 's', content: [] } },
    ];
    const messages = [user('Hi'), { role: 'assistant', content: '', content_blocks: deltas }, user('Ho')];
    expect(JSON.stringify(convert({ messages }).body)).toContain('"input":{"q":12345678901234567890}');
  });

  it('sends the web search tool in addition to allowed_tools', () => {
    const functionTool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
    const tool_choice = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [functionTool] } };
    const { body } = convert({ tools: [functionTool], tool_choice, web_search_options: {} });
    expect((body['tools'] as Json[]).map(({ name }) => name)).toEqual(['f', 'web_search']);
  });

  it.each<[string, Json, Json[], string[]]>([
    [
      'on its last call',
      { content: 'x', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      [
        { type: 'text', text: 'x' },
        { type: 'tool_use', id: 'a', name: 'f', input: {}, cache_control: { type: 'ephemeral' } },
      ],
      [],
    ],
    [
      'on the text before its thinking',
      { content: [{ type: 'text', text: 'x' }, thought] },
      [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
      ['messages[].content[].thinking'],
    ],
    ['nowhere, and reports it', { content: [thought] }, [], ['messages[].cache_control', 'messages[].content[].thinking']],
  ])('sets the cache_control of an assistant message %s', (_name, message, content, dropped) => {
    const messages = [user('Hi'), { role: 'assistant', ...message, cache_control: { type: 'ephemeral' } }, user('Ho')];
    const converted = convert({ messages });
    const turns = content.length === 0 ? [] : [{ role: 'assistant', content }];
    expect([(converted.body['messages'] as Json[]).slice(1, -1), converted.dropped]).toEqual([turns, dropped]);
  });

  it('converts objects as results, strings in lists, and null as arguments', () => {
    const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: 'null' } }));
    const messages = [
      user(['Hi', { type: 'text', text: 'Ho' }]),
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'a', content: { x: 1 } },
      { role: 'tool', tool_call_id: 'b', content: ['y'] },
    ];
    const result = (id: string, text: string) => ({ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] });
    expect(convert({ messages }).body['messages']).toEqual([
      user([
        { type: 'text', text: 'Hi' },
        { type: 'text', text: 'Ho' },
      ]),
      { role: 'assistant', content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })) },
      user([result('a', '{"x":1}'), result('b', 'y')]),
    ]);
  });

  it('does not force a tool that it omits', () => {
    const functionTool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
    const customTool = { type: 'custom', custom: { name: 'c' } };
    const converted = convert({ tools: [functionTool, customTool], tool_choice: { type: 'custom', custom: { name: 'c' } } });
    expect(converted.body).not.toHaveProperty('tool_choice');
    expect(converted.dropped).toEqual(['tools[].custom', 'tool_choice']);
  });

  it.each([
    ['{"id":12345678901234567890,"x":1.5}', '{"id":12345678901234567890,"x":1.5}'],
    ['12345678901234567890', '{"arguments":12345678901234567890}'],
  ])('keeps the digits of long numbers in arguments: %s', (rawNumber, input) => {
    const assistantCall = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: rawNumber } }],
    };
    const { body } = convert({ messages: [user('Hi'), assistantCall] });
    expect(JSON.stringify(body)).toContain(`"input":${input}`);
  });

  it('does not change its input', () => {
    const body = {
      max_tokens: 9,
      tools: [{ type: 'function', function: { name: 'f' } }],
      messages: [{ role: 'assistant', content: 'x ' }, user('Hi')],
    };
    const bodyBefore = JSON.stringify(body);
    toMessages(body, call, { media: new Map() });
    expect(JSON.stringify(body)).toBe(bodyBefore);
  });
});

it.each([
  ['claude-2.1', 'none', 'all'],
  ['claude-instant-1.2', 'none', 'all'],
  ['claude-3-haiku-20240307', 'none', 'all'],
  ['claude-3-5-sonnet-20241022', 'none', 'all'],
  ['claude-3-7-sonnet-latest', 'budget', 'all'],
  ['claude-sonnet-4-20250514', 'budget', 'all'],
  ['claude-sonnet-4-0', 'budget', 'all'],
  ['claude-opus-4-1@20250805', 'budget', 'all'],
  ['claude-haiku-4-5-20251001', 'budget', 'one'],
  ['claude-sonnet-4-6', 'adaptive', 'all'],
  ['claude-opus-4-7', 'adaptive', 'none'],
  ['claude-sonnet-4-7', 'adaptive', 'all'],
  ['claude-sonnet-5', 'adaptive', 'none'],
  ['my-alias', 'adaptive', 'all'],
] as const)('traitsOf(%s): thinking is %s, supported sampling parameters: %s', (model, thinking, sampling) => {
  expect(claudeTraitsOf(model)).toMatchObject({ thinking, sampling });
});
