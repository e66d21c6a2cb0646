import { describe, expect, it } from 'vitest';
import { readChatStream } from '../../../test/support/chat-chunk.ts';
import type { DialectCall } from '../../core/dialect.ts';
import { GatewayError } from '../../core/error.ts';
import type { ModelEvent } from '../../core/events.ts';
import { openaiDialect } from './client.ts';
import { collectChat } from './collect.ts';

const call: DialectCall = { strict: false, includeUsage: false, provider: 'vertex-ai', model: 'm-asked', id: 'req_1', createdAt: 7 };
const start: ModelEvent = { type: 'start', id: 'up-1', model: 'm-1', created: 5 };
const stop: ModelEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'STOP' };

function write(events: readonly ModelEvent[], overrides: Partial<DialectCall> = {}): string {
  const writer = openaiDialect.write?.({ ...call, ...overrides });
  if (writer === undefined) throw new Error('the dialect writes nothing');
  return [...events.flatMap((event) => [...writer.push(event)]), ...writer.end()].join('');
}

const readChunks = (events: readonly ModelEvent[], overrides: Partial<DialectCall> = {}) =>
  readChatStream(write(events, overrides), overrides.strict ?? false);

/** The deltas between the role and the finish reason. */
function deltas(events: readonly ModelEvent[], strict: boolean): unknown[] {
  const { chunks, problems } = readChunks([start, ...events, stop], { strict });
  expect(problems).toEqual([]);
  return chunks.slice(1, -1).map((chunk) => chunk.choices[0]?.delta);
}

const tool = (overrides: object): ModelEvent => ({ type: 'tool_call', choice: 0, index: 0, ...overrides }) as ModelEvent;

describe('the envelope of a chunk', () => {
  it('has ID, time, model and name of the provider', () => {
    expect(write([start, stop], { strict: true })).toBe(
      'data: {"id":"up-1","object":"chat.completion.chunk","created":5,"model":"m-1","provider":"vertex-ai","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n' +
        'data: {"id":"up-1","object":"chat.completion.chunk","created":5,"model":"m-1","provider":"vertex-ai","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' +
        'data: [DONE]\n\n',
    );
  });

  it.each([
    ['without a start event', []],
    ['with an empty start event', [{ type: 'start', id: '', model: '', created: 0 }]],
  ] as [string, ModelEvent[]][])('has the values of the request %s', (_, first) => {
    const { chunks } = readChunks([...first, { type: 'text', choice: 0, text: 'a' }, stop]);
    expect(chunks[0]).toMatchObject({ id: 'chatcmpl-req_1', created: 7, model: 'm-asked' });
  });

  it('does not change if the provider starts twice', () => {
    expect(readChunks([start, { ...start, id: 'up-2' }, stop])).toMatchObject({ problems: [], chunks: [{ id: 'up-1' }, { id: 'up-1' }] });
  });

  it('has the fields of the start event in every chunk', () => {
    const { chunks } = readChunks([{ ...start, fields: { service_tier: 'default', system_fingerprint: 'fp' } }, stop]);
    expect(chunks.map((chunk) => [chunk.service_tier, chunk.system_fingerprint])).toEqual([
      ['default', 'fp'],
      ['default', 'fp'],
    ]);
  });

  it('includes the role once for each choice', () => {
    const text = (choice: number): ModelEvent => ({ type: 'text', choice, text: 'a' });
    const { chunks } = readChunks([start, text(0), text(1), text(1), stop, { ...stop, choice: 1 }]);
    expect(chunks.map((chunk) => [chunk.choices[0]?.index, chunk.choices[0]?.delta.role])).toEqual([
      [0, 'assistant'],
      [0, undefined],
      [1, 'assistant'],
      [1, undefined],
      [0, undefined],
      [1, undefined],
    ]);
  });
});

const block = (index: number, delta: object) => ({ content_blocks: [{ index, delta }] });

describe('deltas', () => {
  const rows: readonly [name: string, event: ModelEvent, loose: object | undefined, strict: object | undefined][] = [
    [
      'text',
      { type: 'text', choice: 0, text: 'Hello', block: 1 },
      { content: 'Hello', ...block(1, { text: 'Hello' }) },
      { content: 'Hello' },
    ],
    [
      'text that needs escapes',
      { type: 'text', choice: 0, text: '"\n\u2028\ud800', block: 0 },
      { content: '"\n\u2028\ud800', ...block(0, { text: '"\n\u2028\ud800' }) },
      { content: '"\n\u2028\ud800' },
    ],
    [
      'text with a signature',
      { type: 'text', choice: 0, text: 'a', block: 0, signature: 'S' },
      { content: 'a', ...block(0, { text: 'a', signature: 'S' }) },
      { content: 'a' },
    ],
    [
      'a signature without text',
      { type: 'text', choice: 0, text: '', block: 2, signature: 'S' },
      block(2, { text: '', signature: 'S' }),
      undefined,
    ],
    ['empty text', { type: 'text', choice: 0, text: '' }, undefined, undefined],
    ['thinking', { type: 'thinking', choice: 0, text: 'hmm', block: 0 }, block(0, { thinking: 'hmm' }), undefined],
    ['a signature of thinking', { type: 'thinking', choice: 0, block: 0, signature: 'SIG' }, block(0, { signature: 'SIG' }), undefined],
    [
      'signed thinking',
      { type: 'thinking', choice: 0, text: 'h', block: 0, signature: 'SIG' },
      block(0, { thinking: 'h', signature: 'SIG' }),
      undefined,
    ],
    ['redacted thinking', { type: 'redacted', choice: 0, block: 3, data: 'AAAA' }, block(3, { data: 'AAAA' }), undefined],
    [
      'the start of thinking',
      { type: 'block', choice: 0, block: 0, state: 'open', kind: 'thinking' },
      block(0, { thinking: '' }),
      undefined,
    ],
    ['the start of text', { type: 'block', choice: 0, block: 1, state: 'open', kind: 'text' }, block(1, { text: '' }), undefined],
    ['the start of redacted thinking', { type: 'block', choice: 0, block: 1, state: 'open', kind: 'redacted' }, undefined, undefined],
    ['the start of a call', { type: 'block', choice: 0, block: 1, state: 'open', kind: 'tool' }, undefined, undefined],
    ['the end of a block', { type: 'block', choice: 0, block: 1, state: 'close', kind: 'text' }, undefined, undefined],
    [
      'a block of the provider',
      { type: 'block', choice: 0, block: 4, state: 'open', kind: 'native', native: { type: 'server_tool_use', id: 's' } },
      block(4, { type: 'server_tool_use', id: 's' }),
      undefined,
    ],
    [
      'an image',
      { type: 'media', choice: 0, mimeType: 'image/png', base64: 'AAAA', block: 1 },
      block(1, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }),
      undefined,
    ],
    [
      'a signed image',
      { type: 'media', choice: 0, mimeType: 'image/png', base64: 'A', block: 1, signature: 'S' },
      block(1, { type: 'image_url', image_url: { url: 'data:image/png;base64,A' }, signature: 'S' }),
      undefined,
    ],
    [
      'another file',
      { type: 'media', choice: 0, mimeType: 'audio/wav', base64: 'A', block: 1 },
      block(1, { type: 'file', file: { file_data: 'data:audio/wav;base64,A' } }),
      undefined,
    ],
    ['a refusal', { type: 'refusal', choice: 0, text: 'No.' }, { refusal: 'No.' }, { refusal: 'No.' }],
    ['audio', { type: 'audio', choice: 0, audio: { data: 'AA' } }, { audio: { data: 'AA' } }, { audio: { data: 'AA' } }],
  ];

  it.each(rows)('contain %s', (_, event, expectedLoose, strict) => {
    expect(deltas([event], false)).toEqual(expectedLoose === undefined ? [] : [expectedLoose]);
    expect(deltas([event], true)).toEqual(strict === undefined ? [] : [strict]);
  });

  it('number the blocks if the provider does not', () => {
    const events: ModelEvent[] = [
      { type: 'thinking', choice: 0, text: 'a' },
      { type: 'thinking', choice: 0, signature: 's' },
      { type: 'text', choice: 0, text: 'b' },
      { type: 'text', choice: 0, text: 'c' },
      { type: 'media', choice: 0, mimeType: 'image/png', base64: 'A' },
      { type: 'media', choice: 0, mimeType: 'image/png', base64: 'A' },
      { type: 'text', choice: 0, text: 'd' },
    ];
    const indices = deltas(events, false).map((delta) => (delta as { content_blocks: { index: number }[] }).content_blocks[0]?.index);
    expect(indices).toEqual([0, 0, 1, 1, 2, 3, 4]);
  });
});

describe('tool calls', () => {
  it('begin with ID, type and name, followed by the arguments', () => {
    expect(deltas([tool({ id: 'c1', name: 'f' }), tool({ arguments: '{"a":' }), tool({ arguments: '1}' }), tool({})], true)).toEqual([
      { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
    ]);
  });

  it('include a thought signature only without strict compliance', () => {
    const event = tool({ id: 'c1', name: 'f', arguments: '{}', thoughtSignature: 'SIG' });
    expect(deltas([event], false)).toEqual([
      {
        tool_calls: [
          {
            index: 0,
            id: 'c1',
            type: 'function',
            function: { name: 'f', arguments: '{}', thought_signature: 'SIG' },
            extra_content: { google: { thought_signature: 'SIG' } },
          },
        ],
      },
    ]);
    expect(JSON.stringify(deltas([event], true))).not.toContain('SIG');
    expect(deltas([event, tool({ thoughtSignature: 'LATE' })], true)).toHaveLength(1);
  });

  it('get an ID if the provider sends none', () => {
    expect(deltas([tool({ name: 'f' })], true)).toMatchObject([{ tool_calls: [{ id: 'call_gw_1_0_0' }] }]);
  });

  it('of the custom type have an input', () => {
    expect(deltas([tool({ kind: 'custom', id: 'c', name: 'f' }), tool({ kind: 'custom', arguments: 'x' })], true)).toEqual([
      { tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'f', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'x' } }] },
    ]);
  });

  it('are numbered from 0 in every choice', () => {
    const events = [0, 1].map((choice) => tool({ choice, index: choice + 4, id: 'c', name: 'f' }));
    const { chunks } = readChunks([start, ...events, stop, { ...stop, choice: 1 }]);
    expect(chunks.slice(1, 3).map((chunk) => chunk.choices[0]?.delta.tool_calls?.[0]?.index)).toEqual([0, 0]);
  });
});

describe('finish reasons', () => {
  it.each([
    ['length', 'MAX_TOKENS', 'length'],
    ['tool_calls', 'tool_use', 'tool_calls'],
    ['SAFETY', 'SAFETY', 'stop'],
  ])('are written with the values of OpenAI: %s', (reason, raw, expected) => {
    const finish: ModelEvent = { type: 'finish', choice: 0, reason, raw };
    expect(readChunks([start, finish], { strict: true }).chunks[1]?.choices[0]).toEqual({ index: 0, delta: {}, finish_reason: expected });
    expect(readChunks([start, finish]).chunks[1]?.choices[0]).toEqual({
      index: 0,
      delta: {},
      finish_reason: expected,
      native_finish_reason: raw,
    });
  });

  it('are written once for each choice', () => {
    expect(readChunks([start, stop, stop]).chunks).toHaveLength(2);
  });
});

describe('additional fields', () => {
  const grounding: ModelEvent = { type: 'extra', choice: 0, fields: { groundingMetadata: { a: 1 } }, strict: false };

  it('are written in the next chunk of their choice', () => {
    const { chunks } = readChunks([start, grounding, { type: 'text', choice: 0, text: 'a' }, stop]);
    expect(chunks.map((chunk) => Object.keys(chunk.choices[0] ?? {}).includes('groundingMetadata'))).toEqual([false, true, false]);
  });

  it('are written once per event, even if they repeat or arrive last', () => {
    const { chunks, problems } = readChunks([start, grounding, grounding, stop, grounding]);
    expect(chunks.map((chunk) => Object.keys(chunk.choices[0] ?? {}).includes('groundingMetadata'))).toEqual([false, true, true, true]);
    expect(problems).toEqual([]);
  });

  it('of the response are at the top level, in a chunk of their own if none follows', () => {
    const { chunks } = readChunks([start, stop, { type: 'extra', fields: { filter: [1] }, strict: false }]);
    expect(chunks[2]).toMatchObject({ choices: [], filter: [1] });
  });

  it('are omitted with strict compliance, unless they are fields of OpenAI', () => {
    const logprobs: ModelEvent = { type: 'extra', choice: 0, fields: { logprobs: { content: [], refusal: null } }, strict: true };
    const { chunks } = readChunks([start, grounding, logprobs, { type: 'text', choice: 0, text: 'a' }, stop], { strict: true });
    expect(chunks[1]?.choices[0]).toEqual({
      index: 0,
      delta: { content: 'a' },
      logprobs: { content: [], refusal: null },
      finish_reason: null,
    });
  });
});

describe('usage', () => {
  const usage: ModelEvent = { type: 'usage', usage: { prompt: 3, completion: 4 } };

  it('is written in one chunk without choices before [DONE] if the client requested it', () => {
    const text = write([start, usage, { ...usage, usage: { prompt: 3, completion: 5 } }, stop], { includeUsage: true, strict: true });
    const { chunks, problems, isDone } = readChatStream(text, true);
    expect([problems, isDone]).toEqual([[], true]);
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).toEqual([chunks.at(-1)]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } });
  });

  it('is not written if the client did not request it', () => {
    expect(write([start, usage, stop])).not.toContain('usage');
  });

  it('is sent with the tier that served the request, in a complete response too', () => {
    const counts: ModelEvent = { type: 'usage', usage: { prompt: 3, completion: 4, details: { tier: 'flex' } } };
    const { chunks, problems } = readChunks([start, stop, counts], { includeUsage: true, strict: true });
    expect([chunks.at(-1)?.service_tier, problems]).toEqual(['flex', []]);
    expect(collectChat([start, stop, counts], call)).toMatchObject({ service_tier: 'flex' });
  });
});

describe('an error', () => {
  const error = new GatewayError('stream_interrupted', { message: 'It broke.', source: 'provider' });

  it('is the last event, without a finish reason and [DONE]', () => {
    const writer = openaiDialect.write?.(call);
    const text = [start, { type: 'error', error } as const, stop].flatMap((event) => [...(writer?.push(event) ?? [])]);
    const stream = readChatStream([...text, ...(writer?.fail(error) ?? []), ...(writer?.end() ?? [])].join(''), false);
    expect(stream).toMatchObject({
      isDone: false,
      problems: [],
      error: { message: 'It broke.', code: 'stream_interrupted', gateway: { request_id: 'req_1' } },
    });
    expect(writer?.failure).toBe(error);
  });

  it.each([
    ['the stream was empty', []],
    ['no choice finished', [start, { type: 'text', choice: 0, text: 'a' }]],
    ['one choice did not finish', [start, { type: 'text', choice: 1, text: 'a' }, stop]],
  ] as [string, ModelEvent[]][])('is written at the end if %s', (_, events) => {
    expect(readChunks(events)).toMatchObject({ isDone: false, error: { code: 'stream_interrupted' }, problems: [] });
  });
});

describe('a complete response', () => {
  it('includes the name of the provider', () => {
    expect(openaiDialect.answer?.({ id: 'x' }, call)).toBe('{"id":"x","provider":"vertex-ai"}');
  });
});
