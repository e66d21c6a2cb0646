import { describe, expect, it } from 'vitest';
import { eventsIn } from './events.ts';
import { readableOf } from './readable.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const stream = (...data: readonly (object | string)[]): string =>
  data.map((part) => `data: ${typeof part === 'string' ? part : JSON.stringify(part)}\n\n`).join('');
const convert = (text: string) => {
  const isStream = text.startsWith('data:') || text.startsWith('event:');
  return readableOf(text, isStream ? eventsIn(encode(text), null) : undefined);
};
const chunk = (delta: object, finish: string | null = null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });

const call = { kind: 'call', name: 'f', id: 'c1', args: '{"a":1}' };

const cases: readonly {
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly object[];
  readonly finish: string | null;
}[] = [
  {
    name: 'a chat completion',
    text: JSON.stringify({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'hi', tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{"a":1}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    }),
    blocks: [{ kind: 'text', text: 'hi' }, call],
    finish: 'tool_calls',
  },
  {
    name: 'a streamed chat completion',
    text: stream(
      chunk({ reasoning_content: 'hm' }),
      chunk({ content: 'h' }),
      chunk({ content: 'i' }),
      chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{"a"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 'stop'),
      '[DONE]',
    ),
    blocks: [{ kind: 'thinking', text: 'hm' }, { kind: 'text', text: 'hi' }, call],
    finish: 'stop',
  },
  {
    name: 'a message',
    text: JSON.stringify({
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1 },
    }),
    blocks: [{ kind: 'thinking', text: 'hm' }, { kind: 'text', text: 'hi' }, call],
    finish: 'end_turn',
  },
  {
    name: 'a streamed message',
    text: stream(
      { type: 'message_start', message: { usage: { input_tokens: 3 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c1', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
    ),
    blocks: [{ kind: 'text', text: 'hi' }, call],
    finish: 'tool_use',
  },
  {
    name: 'a response',
    text: JSON.stringify({
      object: 'response',
      status: 'completed',
      output: [
        { type: 'reasoning', summary: [{ text: 'hm' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'hi' }] },
        { type: 'function_call', name: 'f', call_id: 'c1', arguments: '{"a":1}' },
      ],
    }),
    blocks: [{ kind: 'thinking', text: 'hm' }, { kind: 'text', text: 'hi' }, call],
    finish: 'completed',
  },
  {
    name: 'an interrupted streamed response',
    text: stream(
      { type: 'response.created', response: {} },
      { type: 'response.output_text.delta', item_id: 'm', delta: 'h' },
      { type: 'response.output_text.delta', item_id: 'm', delta: 'i' },
    ),
    blocks: [{ kind: 'text', text: 'hi' }],
    finish: null,
  },
  {
    name: 'a streamed generateContent response',
    text: stream(
      { candidates: [{ content: { parts: [{ text: 'hm', thought: true }] } }] },
      { candidates: [{ content: { parts: [{ text: 'h' }] } }] },
      {
        candidates: [
          { content: { parts: [{ text: 'i' }, { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } }] }, finishReason: 'STOP' },
        ],
      },
    ),
    blocks: [{ kind: 'thinking', text: 'hm' }, { kind: 'text', text: 'hi' }, call],
    finish: 'STOP',
  },
  {
    name: 'generated images',
    text: JSON.stringify({
      created: 1,
      data: [{ b64_json: '/9j/4AAQ', revised_prompt: 'A kite' }, { b64_json: '[media image/png, 9 bytes]' }],
      usage: { total_tokens: 8 },
    }),
    blocks: [
      { kind: 'image', url: 'data:image/jpeg;base64,/9j/4AAQ' },
      { kind: 'text', text: 'A kite' },
      { kind: 'text', text: '[media image/png, 9 bytes]' },
    ],
    finish: null,
  },
  {
    name: 'an image streamed in parts',
    text: stream(
      { type: 'image_generation.partial_image', b64_json: 'iVBORw0KGgoA' },
      { type: 'image_generation.completed', b64_json: 'iVBORw0KGgoB' },
    ),
    blocks: [{ kind: 'image', url: 'data:image/png;base64,iVBORw0KGgoB' }],
    finish: null,
  },
];

describe('readableOf()', () => {
  it.each(cases)('reads $name', ({ text, blocks, finish }) => {
    expect(convert(text)).toMatchObject({ messages: [{ blocks, finish }], error: null });
  });

  it('returns the usage and the error of a stream', () => {
    expect(
      convert(stream(chunk({ content: 'x' }), { choices: [], usage: { prompt_tokens: 4 } }, { error: { message: 'cut off' } })),
    ).toMatchObject({
      usage: { prompt_tokens: 4 },
      error: 'cut off',
    });
    expect(convert('{"error":{"message":"no"}}')).toEqual({ messages: [], usage: null, error: 'no' });
  });

  it.each(['', '{', 'null', '[]', '{"data":[]}', 'data: {\n\n', '<html>', '{"choices":1}', '{"data":[{"embedding":[1]}]}'])(
    'returns undefined for %j',
    (text) => expect(convert(text)).toBeUndefined(),
  );

  it.each(['https://example.com/x.png', 'data:text/html;base64,PHNjcmlwdD4=', 'data:image/svg+xml;base64,AAAA', 'javascript:1'])(
    'does not load an image from %s',
    (url) => {
      const text = JSON.stringify({ choices: [{ index: 0, message: { content: null, images: [{ image_url: { url } }] } }] });
      expect(convert(text)?.messages[0]?.blocks).toEqual([{ kind: 'other', name: 'image', text: url }]);
      expect(convert(JSON.stringify({ data: [{ url }] }))?.messages[0]?.blocks).toEqual([{ kind: 'other', name: 'image', text: url }]);
    },
  );
});

describe('eventsIn()', () => {
  it.each(['\n', '\r\n', '\r'])('reads lines that end in %j', (end) => {
    const text = ['event: a', 'data: 1', 'data: 2', '', 'data: 3', '', ''].join(end);
    expect(eventsIn(encode(text), null).map(({ name, data }) => [name, data])).toEqual([
      ['a', '1\n2'],
      [null, '3'],
    ]);
  });

  it('returns for each event the time of the chunk in which it begins', () => {
    const text = 'event: a\ndata: 1\n\ndata: 2\r\n\r\ndata: ö\n\ndata: last';
    const second = text.indexOf('data: 2');
    const thirdOffset = encode(text.slice(0, text.indexOf('data: ö'))).length;
    const events = eventsIn(encode(text), [0, 10, second + 2, 25, thirdOffset, 40]);
    expect(events.map(({ name, data, at }) => [name, data, at])).toEqual([
      ['a', '1', 10],
      [null, '2', 10],
      [null, 'ö', 40],
      [null, 'last', 40],
    ]);
    expect(events.reduce((sum, { size }) => sum + size, 0)).toBe(encode(text).length);
  });
});
