import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { ResponseEvents } from './events.ts';

const call = { id: 'req_1', model: 'm', createdAt: 1 };
const start: ModelEvent = { type: 'start', id: 'c1', model: 'served', created: 5 };
const finish = (reason = 'stop'): ModelEvent => ({ type: 'finish', choice: 0, reason });
const text = (value: string): ModelEvent => ({ type: 'text', choice: 0, text: value });
const thinking = (more: object): ModelEvent => ({ type: 'thinking', choice: 0, ...more });
const toolCall = (index: number, more: object): ModelEvent => ({ type: 'tool_call', choice: 0, index, ...more });
const native = (block: JsonObject): ModelEvent => ({ type: 'block', choice: 0, block: 1, state: 'open', kind: 'native', native: block });

interface Ran {
  readonly events: readonly JsonObject[];
  readonly response: JsonObject;
  readonly output: readonly JsonObject[];
}

function run(events: readonly ModelEvent[], echo: JsonObject = {}): Ran {
  const writer = new ResponseEvents({ ...call, echo });
  const written = [start, ...events, ...(events.some(({ type }) => type === 'finish') ? [] : [finish()])].flatMap((one) =>
    writer.push(one),
  );
  const all = [...written, ...writer.end()];
  const response = writer.response();
  expect(all.at(-1)?.['response']).toEqual(response);
  return { events: all, response, output: response['output'] as readonly JsonObject[] };
}

const types = ({ events }: Ran): readonly unknown[] => events.map(({ type }) => String(type).replace('response.', ''));
const ended = ['created', 'in_progress'];

describe('a stream', () => {
  it('of text', () => {
    const ran = run([text('a'), text('b')]);
    expect(types(ran)).toEqual([
      ...ended,
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(ran.response).toMatchObject({
      id: 'resp_1',
      object: 'response',
      created_at: 5,
      model: 'served',
      status: 'completed',
      error: null,
    });
    expect(ran.output).toEqual([
      {
        id: 'msg_1_0',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'ab', annotations: [], logprobs: [] }],
      },
    ]);
  });

  it('of reasoning keeps its signature', () => {
    const ran = run([
      thinking({ text: 'H', block: 0 }),
      thinking({ text: 'm.', block: 0 }),
      thinking({ signature: 'SI', block: 0 }),
      thinking({ signature: 'G', block: 0 }),
      text('a'),
    ]);
    expect(types(ran).slice(2, 8)).toEqual([
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
    ]);
    expect(ran.output[0]).toEqual({
      id: 'rs_1_0',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'gateway:thinking:SIG',
    });
  });

  it('without content', () => {
    const ran = run([]);
    expect([types(ran), ran.output]).toEqual([[...ended, 'completed'], []]);
  });
});

describe('items', () => {
  it.each<[string, readonly ModelEvent[], readonly JsonObject[]]>([
    [
      'each block of reasoning is an item of its own',
      [thinking({ text: 'a', signature: 'A', block: 0 }), thinking({ text: 'b', signature: 'B', block: 1 })],
      [{ encrypted_content: 'gateway:thinking:A' }, { encrypted_content: 'gateway:thinking:B' }],
    ],
    [
      'encrypted reasoning has no text',
      [{ type: 'redacted', choice: 0, block: 0, data: 'DATA' }],
      [{ type: 'reasoning', summary: [], encrypted_content: 'gateway:redacted:DATA' }],
    ],
    [
      'a signed call follows an item with the signature',
      [toolCall(0, { id: 'c', name: 'f', arguments: '{}', thoughtSignature: 'S' })],
      [
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:next:S' },
        { type: 'function_call', call_id: 'c' },
      ],
    ],
    [
      'the signature of a call goes into unsigned reasoning before it',
      [thinking({ text: 'Hm.' }), toolCall(0, { id: 'c', name: 'f', arguments: '{}', thoughtSignature: 'S' })],
      [{ summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gateway:next:S' }, { type: 'function_call' }],
    ],
    [
      'the signature of a text follows its message',
      [
        text('ab'),
        { type: 'text', choice: 0, text: 'c', signature: 'S' },
        text('d'),
        { type: 'text', choice: 0, text: '', signature: 'E' },
      ],
      [
        { type: 'message', status: 'completed', content: [{ text: 'abcd' }] },
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:text:2:1:S' },
        { type: 'reasoning', summary: [], encrypted_content: 'gateway:text:1:0:E' },
      ],
    ],
    [
      'other items follow the signature of a text',
      [
        { type: 'text', choice: 0, text: 'a', signature: 'S' },
        { type: 'media', choice: 0, mimeType: 'image/png', base64: 'AA==' },
        { type: 'text', choice: 0, text: '', signature: 'E' },
      ],
      [
        { type: 'message' },
        { type: 'reasoning', encrypted_content: 'gateway:text:0:1:S' },
        { type: 'image_generation_call' },
        { type: 'reasoning', encrypted_content: 'gateway:text:0:0:E' },
      ],
    ],
    [
      'a signature that belongs to no text',
      [thinking({ text: 'Hm.' }), { type: 'text', choice: 0, text: '', signature: 'E' }],
      [
        { summary: [{ text: 'Hm.' }], encrypted_content: 'gateway:thinking:' },
        { summary: [], encrypted_content: 'gateway:text:0:0:E' },
      ],
    ],
    [
      'calls that arrive side by side',
      [
        toolCall(0, { id: 'a', name: 'f', arguments: '{"x":' }),
        toolCall(1, { id: 'b', name: 'g', arguments: '{"y"' }),
        toolCall(0, { arguments: '1}' }),
        toolCall(1, { arguments: ':2}' }),
      ],
      [
        { type: 'function_call', status: 'completed', call_id: 'a', name: 'f', arguments: '{"x":1}' },
        { type: 'function_call', status: 'completed', call_id: 'b', name: 'g', arguments: '{"y":2}' },
      ],
    ],
    [
      'what follows a complete call is not part of it',
      [toolCall(0, { id: 'a', name: 'f', arguments: '{}' }), text('b'), toolCall(0, { arguments: ' ' })],
      [{ arguments: '{}' }, { type: 'message' }],
    ],
    ['a call without arguments has an empty object', [toolCall(0, { id: 'a', name: 'f', arguments: '' })], [{ arguments: '{}' }]],
    [
      'a name may arrive in parts',
      [toolCall(0, { id: 'a', name: 'get_', arguments: '' }), toolCall(0, { name: 'weather', arguments: '{}' })],
      [{ name: 'get_weather' }],
    ],
    [
      'calls with the same id, or none',
      [toolCall(0, { id: 'a', name: 'f' }), toolCall(1, { id: 'a', name: 'g' }), toolCall(2, { name: 'h' })],
      [{ call_id: 'a' }, { call_id: 'call_gw_1_0_1' }, { call_id: 'call_gw_1_0_2' }],
    ],
    [
      'a call of a tool with free text input',
      [toolCall(0, { id: 'a', name: 'patch', kind: 'custom', arguments: '***' }), toolCall(0, { arguments: ' {' })],
      [{ type: 'custom_tool_call', status: 'completed', call_id: 'a', name: 'patch', input: '*** {' }],
    ],
    [
      'text and a refusal are parts of one message',
      [text('a'), { type: 'refusal', choice: 0, text: 'No' }, { type: 'refusal', choice: 0, text: '.' }],
      [
        {
          content: [
            { type: 'output_text', text: 'a' },
            { type: 'refusal', refusal: 'No.' },
          ],
        },
      ],
    ],
    [
      'an image',
      [{ type: 'media', choice: 0, mimeType: 'image/png', base64: 'AA==' }],
      [{ type: 'image_generation_call', status: 'completed', output_format: 'png', result: 'AA==' }],
    ],
    [
      'a web search',
      [
        native({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
        native({ input: { query: 'Oslo' } }),
        native({ type: 'web_search_tool_result', tool_use_id: 's', content: [] }),
        text('a'),
      ],
      [{ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'Oslo' } }, { type: 'message' }],
    ],
    ['only the first choice', [text('a'), { type: 'text', choice: 1, text: 'b' }], [{ content: [{ text: 'a' }] }]],
  ])('%s', (_name, events, output) => {
    expect(run(events).output).toMatchObject(output);
  });

  it('a call of a function that stands for a tool with free text input', () => {
    const events = [
      toolCall(0, { id: 'a', name: 'patch', arguments: '{"input":"*** \\"' }),
      toolCall(0, { arguments: 'x\\""}' }),
      text('b'),
    ];
    const ran = run(events, { tools: [{ type: 'custom', name: 'patch' }] });
    expect(ran.output[0]).toMatchObject({ id: 'ctc_1_0', type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** "x"' });
    expect(types(ran).slice(2, 6)).toEqual([
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
    ]);
  });

  it('of a tool with free text input that the model called with something else', () => {
    const ran = run([toolCall(0, { id: 'a', name: 'patch', arguments: '{"text":1}' })], { tools: [{ type: 'custom', name: 'patch' }] });
    expect(ran.output[0]).toMatchObject({ input: '{"text":1}' });
  });

  it('sources belong to the text in which they are', () => {
    const source = (start_index: number, url: string) => ({
      type: 'url_citation',
      url_citation: { url, title: url, start_index, end_index: start_index + 2 },
    });
    const annotations = [source(1, 'https://a'), source(4, 'https://b')];
    const ran = run([
      text('abc'),
      toolCall(0, { id: 'a', name: 'f', arguments: '{}' }),
      text('defg'),
      { type: 'annotations', choice: 0, annotations },
    ]);
    const of = (start_index: number, url: string) => [{ type: 'url_citation', url, title: url, start_index, end_index: start_index + 2 }];
    expect(ran.output).toMatchObject([
      { content: [{ annotations: of(1, 'https://a') }] },
      {},
      { content: [{ annotations: of(1, 'https://b') }] },
    ]);
    expect(types(ran).filter((type) => type === 'output_text.annotation.added')).toHaveLength(2);
  });
});

describe('log probabilities', () => {
  const scores = (...tokens: readonly string[]): ModelEvent => ({
    type: 'extra',
    choice: 0,
    fields: { logprobs: { content: tokens.map((token) => ({ token, logprob: -1, bytes: null, top_logprobs: [{ token, logprob: -1 }] })) } },
    strict: true,
  });
  const scored = (token: string) => {
    const one = { token, logprob: -1, bytes: [...Buffer.from(token)] };
    return { ...one, top_logprobs: [one] };
  };
  const scoresOf = ({ events }: Ran, type: string): readonly unknown[] =>
    events
      .filter((event) => event['type'] === `response.${type}`)
      .map(({ logprobs, part }) => logprobs ?? (part as JsonObject)['logprobs']);

  it('are in the delta of their text, in its end and in the part', () => {
    const ran = run([scores('a'), text('a'), scores('ø', 'c'), text('øc'), text('d')]);
    const all = ['a', 'ø', 'c'].map(scored);
    expect(scoresOf(ran, 'output_text.delta')).toEqual([[scored('a')], [scored('ø'), scored('c')], []]);
    expect(scoresOf(ran, 'content_part.added')).toEqual([[]]);
    expect(['output_text.done', 'content_part.done'].map((type) => scoresOf(ran, type))).toEqual([[all], [all]]);
    expect(ran.output).toMatchObject([{ content: [{ text: 'aøcd', logprobs: all }] }]);
  });

  it.each<[string, readonly ModelEvent[]]>([
    ['an empty text', [text('a'), scores('b'), text('')]],
    ['a call', [text('a'), scores('b'), toolCall(0, { id: 'c', name: 'f', arguments: '{}' })]],
    ['the end', [text('a'), scores('b')]],
  ])('before %s follow the text before it', (_name, events) => {
    const ran = run(events);
    expect(scoresOf(ran, 'output_text.delta')).toEqual([[], [scored('b')]]);
    expect(ran.output[0]).toMatchObject({ content: [{ text: 'a', logprobs: [scored('b')] }] });
  });

  it('of reasoning are those of the text after it', () => {
    expect(run([scores('a'), thinking({ text: 'a' }), text('b')]).output).toMatchObject([{}, { content: [{ logprobs: [scored('a')] }] }]);
  });

  it('that are too many to hold are an error', () => {
    const writer = new ResponseEvents(call);
    const many = scores(...Array.from({ length: 10_000 }, () => 'x'.repeat(500)));
    expect(() => [many, many, many, many].map((event) => writer.push(event))).toThrow('larger than the gateway can convert');
  });
});

describe('the end', () => {
  it.each([
    ['stop', 'completed', null, 'completed'],
    ['tool_calls', 'completed', null, 'completed'],
    ['length', 'incomplete', { reason: 'max_output_tokens' }, 'incomplete'],
    ['content_filter', 'incomplete', { reason: 'content_filter' }, 'incomplete'],
  ])('%s: %s', (reason, status, details, ofItem) => {
    const { events, response, output } = run([text('a'), finish(reason)]);
    expect(response).toMatchObject({ status, incomplete_details: details });
    expect([events.at(-1)?.['type'], output[0]?.['status']]).toEqual([`response.${status}`, ofItem]);
  });

  it('a message that is incomplete stays so if a signature follows it', () => {
    const { output } = run([{ type: 'text', choice: 0, text: 'a', signature: 'S' }, finish('length')]);
    expect(output).toMatchObject([{ type: 'message', status: 'incomplete' }, { type: 'reasoning' }]);
  });

  it('has the usage', () => {
    const usage = { prompt: 20, completion: 9, cached: 8, cacheWrite: 2, reasoning: 4 };
    expect(run([text('a'), { type: 'usage', usage }]).response['usage']).toEqual({
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 29,
    });
  });

  it('has all details if the provider reports none, because client libraries require them', () => {
    const { response } = run([text('a'), { type: 'usage', usage: { prompt: 20, completion: 9 } }]);
    expect(response['usage']).toMatchObject({
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    });
  });
});

it('a response that is too large to hold is an error', () => {
  const writer = new ResponseEvents(call);
  const half = text('x'.repeat(9 * 1024 * 1024));
  writer.push(half);
  expect(() => writer.push(half)).toThrow('larger than the gateway can convert');
});
