import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/error.ts';
import type { ModelEvent } from '../../core/events.ts';
import { collectChat } from './collect.ts';

const call = { id: 'req_1', createdAt: 7, model: 'm', strict: false, showsReasoning: true };

const message = (events: readonly ModelEvent[], overrides: Partial<typeof call> = {}) => {
  const { choices } = collectChat(events, { ...call, ...overrides }) as { choices: { message: unknown }[] };
  return choices[0]?.message;
};

const text = (value: string, extra: object = {}): ModelEvent => ({ type: 'text', choice: 0, text: value, ...extra });
const toolCall = (index: number, extra: object = {}): ModelEvent => ({ type: 'tool_call', choice: 0, index, ...extra });

describe('collectChat', () => {
  it.each<readonly [name: string, events: readonly ModelEvent[], expected: unknown]>([
    [
      'joins texts of one kind without a block index',
      [text('a'), text('b')],
      { content: 'ab', content_blocks: [{ type: 'text', text: 'ab' }] },
    ],
    [
      'joins texts with the same block index, with any events between them',
      [text('a', { block: 0 }), text('x', { block: 1 }), text('b', { block: 0, signature: 'S' })],
      {
        content: 'axb',
        content_blocks: [
          { type: 'text', text: 'ab', signature: 'S' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
    [
      'keeps the position of calls between blocks and omits calls at the end',
      [
        text('a'),
        toolCall(4, { id: 'i', name: 'f', arguments: '{"n":' }),
        toolCall(4, { arguments: '12345678901234567890}' }),
        text('b'),
        toolCall(5, { name: 'g' }),
      ],
      {
        content: 'ab',
        tool_calls: [{ id: 'i', function: { name: 'f', arguments: '{"n":12345678901234567890}' } }, { function: { name: 'g' } }],
        content_blocks: [{ text: 'a' }, { type: 'tool_use', id: 'i', name: 'f' }, { text: 'b' }],
      },
    ],
    [
      'returns null as content next to calls without text',
      [toolCall(0, { kind: 'custom', name: 'f', arguments: 'x' })],
      { content: null, tool_calls: [{ type: 'custom', custom: { name: 'f', input: 'x' } }] },
    ],
    [
      'returns thinking',
      [
        { type: 'thinking', choice: 0, text: 'h' },
        { type: 'thinking', choice: 0, text: 'm', signature: 'S' },
      ],
      { content: '', reasoning_content: 'hm', content_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'S' }] },
    ],
    [
      'merges the members of a native block',
      [
        { type: 'block', choice: 0, block: 0, state: 'open', kind: 'native', native: { type: 'n' } },
        { type: 'block', choice: 0, block: 0, state: 'open', kind: 'native', native: { input: 1 } },
      ],
      { content_blocks: [{ type: 'n', input: 1 }] },
    ],
    [
      'returns a refusal',
      [
        { type: 'refusal', choice: 0, text: 'No' },
        { type: 'refusal', choice: 0, text: '.' },
      ],
      { refusal: 'No.', content: '' },
    ],
    [
      'joins audio',
      [
        { type: 'audio', choice: 0, audio: { id: 'a', data: 'AA' } },
        { type: 'audio', choice: 0, audio: { data: 'BB', expires_at: 9 } },
      ],
      { content: null, audio: { id: 'a', data: 'AABB', expires_at: 9, transcript: '' } },
    ],
    [
      'returns images in the content',
      [text('a'), { type: 'media', choice: 0, mimeType: 'image/png', base64: 'A', signature: 'S' }],
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,A' } },
        ],
      },
    ],
  ])('%s', (_, events, expected) => {
    expect(message(events)).toMatchObject(expected as object);
  });

  it('omits blocks and signatures for strict clients', () => {
    const events = [text('a', { signature: 'S' }), toolCall(0, { id: 'i', name: 'f', arguments: '{}', thoughtSignature: 'T' })];
    expect(message(events, { strict: true })).toEqual({
      role: 'assistant',
      content: 'a',
      refusal: null,
      tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } }],
    });
  });

  it('uses ID, model and time of the request if the response has none', () => {
    expect(collectChat([{ type: 'finish', choice: 0, reason: 'stop' }], call)).toMatchObject({
      id: 'chatcmpl-req_1',
      model: 'm',
      created: 7,
    });
  });

  it('throws the error of an error event', () => {
    const error = new GatewayError('provider_error', { message: 'No.' });
    expect(() => collectChat([{ type: 'error', error }], call)).toThrow(error);
  });
});
