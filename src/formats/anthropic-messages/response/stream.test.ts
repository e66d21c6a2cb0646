import type { ModelEvent, WireEvent } from '../../../core/events.ts';
import { GatewayError } from '../../../core/error.ts';
import { describe, expect, it } from 'vitest';
import { MessagesStream } from './stream.ts';
import { MessagesTap } from './tap.ts';

type Json = Record<string, unknown>;

const wire = (data: Json | string, name = ''): WireEvent => ({ name, data: typeof data === 'string' ? data : JSON.stringify(data) });
const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', usage: { input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 1 } },
};
const open = (index: number, content_block: Json): Json => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, value: Json): Json => ({ type: 'content_block_delta', index, delta: value });
const close = (index: number): Json => ({ type: 'content_block_stop', index });
const end = (stop_reason: string | null): Json[] => [
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

function readEvents(events: readonly (Json | WireEvent)[]): readonly ModelEvent[] {
  const stream = new MessagesStream({ createdAt: 5 });
  const modelEvents = events.flatMap((event) => [...stream.push('data' in event ? (event as WireEvent) : wire(event))]);
  return [...modelEvents, ...stream.end()];
}

const calls = (events: readonly ModelEvent[]): readonly ModelEvent[] => events.filter(({ type }) => type === 'tool_call');
const errorOf = (events: readonly ModelEvent[]): GatewayError | undefined =>
  events.flatMap((event) => (event.type === 'error' ? [event.error] : []))[0];

describe('MessagesStream', () => {
  it('numbers calls instead of blocks, and writes {} for a call without arguments', () => {
    const events = readEvents([
      start,
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      close(0),
      open(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '' }),
      close(1),
      open(2, { type: 'text', text: 'so' }),
      close(2),
      open(3, { type: 'tool_use', id: 'b', name: 'g', input: {} }),
      delta(3, { type: 'input_json_delta', partial_json: '{"x"' }),
      delta(3, { type: 'input_json_delta', partial_json: ':1}' }),
      close(3),
      ...end('tool_use'),
    ]);
    expect(calls(events)).toEqual([
      { type: 'tool_call', choice: 0, index: 0, id: 'a', name: 'f', arguments: '' },
      { type: 'tool_call', choice: 0, index: 0, arguments: '{}' },
      { type: 'tool_call', choice: 0, index: 1, id: 'b', name: 'g', arguments: '' },
      { type: 'tool_call', choice: 0, index: 1, arguments: '{"x"' },
      { type: 'tool_call', choice: 0, index: 1, arguments: ':1}' },
    ]);
    expect(events).toContainEqual({ type: 'text', choice: 0, block: 2, text: 'so' });
    expect(events.at(-2)).toEqual({ type: 'finish', choice: 0, reason: 'tool_calls', raw: 'tool_use' });
    expect(events.at(-1)).toEqual({ type: 'usage', usage: { prompt: 5, completion: 7, cached: 3, cacheWrite: 0 } });
  });

  it.each<[string, Json, Json[]]>([
    ['a call without arguments', { type: 'tool_use', id: 'a', name: 'f', input: {} }, []],
    ['a call whose arguments are in its start', { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }, []],
    [
      'the input of a server tool',
      { type: 'server_tool_use', id: 'a', name: 'n', input: {} },
      [{ type: 'input_json_delta', partial_json: '{"q":1}' }],
    ],
    [
      'citations',
      { type: 'text', text: 'x' },
      [{ type: 'citations_delta', citation: { type: 'web_search_result_location', url: 'https://a.example' } }],
    ],
  ])('closes blocks that the service leaves open: %s', (_name, block, deltas) => {
    const startedEvents = [start, open(0, block), ...deltas.map((blockDelta) => delta(0, blockDelta))];
    expect(readEvents([...startedEvents, ...end('end_turn')])).toEqual(readEvents([...startedEvents, close(0), ...end('end_turn')]));
  });

  it.each([[undefined], [null], [{ toString: 1 }]])('reads encrypted reasoning with the data %j as empty', (data) => {
    const events = readEvents([start, open(0, { type: 'redacted_thinking', data }), close(0), ...end('end_turn')]);
    expect(events).toContainEqual({ type: 'redacted', choice: 0, block: 0, data: '' });
  });

  it('ignores unknown events and blocks with any content', () => {
    const oddEvents = [
      wire('{}', 'vertex_event'),
      wire('no json', 'vertex_event'),
      wire({ type: 'ping' }),
      wire({ type: 'new_thing', x: 1 }),
      delta(9, { type: 'new_delta', y: 1 }),
    ];
    const events = readEvents([
      ...oddEvents,
      start,
      open(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'hi' }),
      close(0),
      ...end('end_turn'),
    ]);
    expect(errorOf(events)).toBeUndefined();
    expect(events.filter(({ type }) => type === 'text')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'length'],
    ['compaction', 'length'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
  ])('converts the stop reason %s to %s', (stop, reason) => {
    expect(readEvents([start, ...end(stop)])).toContainEqual({ type: 'finish', choice: 0, reason, raw: stop });
  });

  it.each([
    ['tool_use', 'tool_calls'],
    ['end_turn', 'tool_calls'],
    ['something_new', 'tool_calls'],
    ['max_tokens', 'length'],
  ])('converts the stop reason %s after a call to %s', (stop, reason) => {
    const events = readEvents([start, open(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }), close(0), ...end(stop)]);
    expect(events).toContainEqual({ type: 'finish', choice: 0, reason, raw: stop });
  });

  it('writes a finish reason if the service sends none', () => {
    expect(readEvents([start, ...end(null)])).toContainEqual({ type: 'finish', choice: 0, reason: 'stop' });
    expect(readEvents([start, open(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }), close(0), ...end(null)])).toContainEqual({
      type: 'finish',
      choice: 0,
      reason: 'tool_calls',
    });
  });

  it.each([
    [
      'an error event',
      [start, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
      'provider_error',
      529,
      'Overloaded',
    ],
    ['an error that is not JSON', [start, wire('Overloaded', 'error')], 'provider_error', 502, 'Overloaded'],
    [
      'an unreadable event',
      [start, wire('{"type":"content_block_delta"', 'content_block_delta')],
      'upstream_invalid',
      502,
      'content_block_delta',
    ],
    [
      'an end without its mark',
      [start, open(0, { type: 'text', text: '' }), end('end_turn')[0]],
      'stream_interrupted',
      502,
      'before its end',
    ],
    ['an empty stream', [], 'stream_interrupted', 502, 'before its end'],
  ] as const)('ends with one error after %s', (_name, events, code, status, text) => {
    const modelEvents = readEvents(events as readonly (Json | WireEvent)[]);
    const error = errorOf(modelEvents);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code, status });
    expect(error?.message).toContain(text);
    expect(modelEvents.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect(modelEvents.at(-1)?.type).toBe('error');
    expect(modelEvents.some(({ type }) => type === 'usage')).toBe(false);
  });
});

describe('MessagesTap', () => {
  const kinds = (events: readonly (Json | WireEvent)[]): [string[], MessagesTap] => {
    const tap = new MessagesTap();
    return [events.map((event) => tap.event('data' in event ? (event as WireEvent) : wire(event))), tap];
  };

  it('commits the attempt at the first visible content', () => {
    const [eventKinds, tap] = kinds([
      wire('{}', 'vertex_event'),
      start,
      wire({ type: 'ping' }, 'ping'),
      open(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: '' }),
      delta(0, { type: 'text_delta', text: 'a' }),
      delta(0, { type: 'text_delta', text: '' }),
      close(0),
      ...end('end_turn'),
    ]);
    expect(eventKinds).toEqual(['meta', 'meta', 'meta', 'meta', 'meta', 'content', 'content', 'meta', 'content', 'end']);
    expect(tap).toMatchObject({
      complete: true,
      id: 'msg_1',
      model: 'm',
      finish: ['end_turn'],
      usage: { prompt: 5, completion: 7, cached: 3, cacheWrite: 0 },
    });
  });

  it.each([
    ['a call', open(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }), 'content'],
    ['redacted thinking', open(0, { type: 'redacted_thinking', data: 'x' }), 'content'],
    ['a server tool', open(0, { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }), 'content'],
    ['empty thinking', open(0, { type: 'thinking', thinking: '', signature: '' }), 'meta'],
    ['text in the start event', open(0, { type: 'text', text: 'a' }), 'content'],
    ['a signature', delta(0, { type: 'signature_delta', signature: 'x' }), 'content'],
    ['an error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'fault'],
  ] as const)('classifies %s as %s', (_name, event, kind) => {
    expect(kinds([start, event as Json])[0][1]).toBe(kind);
  });

  it('is not complete before the end mark', () => {
    expect(kinds([start, end('end_turn')[0] ?? {}])[1].complete).toBe(false);
  });

  it('returns the error object of a response with status 200', () => {
    const tap = new MessagesTap();
    expect(tap.whole('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')).toMatchObject({
      message: 'Overloaded',
      type: 'overloaded_error',
    });
  });
});
