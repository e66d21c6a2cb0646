import { describe, expect, it } from 'vitest';
import { ask, errorOf, type Json, rowsOf } from '../../../test/mock/ask.ts';
import { MessagesTap } from '#formats/anthropic-messages/response/tap.ts';
import type { MockReply } from './settings.ts';

const body = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: [{ type: 'text', text: 'hello big world' }] }] };
const createMessage = (overrides: Json = {}, reply: MockReply = {}) =>
  ask('messages', { body: { ...body, ...overrides }, model: 'm', settings: { replies: { m: reply } } });

const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => ({ name: /^event: (.*)$/m.exec(block)?.[1] ?? '', data: /^data: (.*)$/m.exec(block)?.[1] ?? '' }));

describe('mock messages', () => {
  it('echoes the user message in a response without streaming', () => {
    const { json, text } = createMessage();
    expect(json()).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'hello big world' }],
      stop_reason: 'end_turn',
    });
    const tap = new MessagesTap();
    expect([tap.whole(text), tap.complete, tap.usage?.completion]).toEqual([undefined, true, 4]);
  });

  it.each([
    [{}, 'end_turn', 'hello big world', ''],
    [{ tool_call: { name: 'f', arguments: { a: 1 } } }, 'tool_use', '', '{"a":1}'],
    [{ text: 'look', tool_call: { name: 'f', arguments: '{"a":2}' } }, 'tool_use', 'look', '{"a":2}'],
    [{ tool_call: { name: 'f', arguments: 'none' } }, 'tool_use', '', '{}'],
  ] as const)('streams the reply %j completely', (reply, stop, text, args) => {
    const events = eventsOf(createMessage({ stream: true }, reply).text);
    const tap = new MessagesTap();
    for (const event of events) tap.event(event);
    expect(tap).toMatchObject({ complete: true, finish: [stop] });
    const deltas = events.map(({ data }) => (JSON.parse(data) as { delta?: { text?: string; partial_json?: string } }).delta);
    expect(deltas.map((delta) => delta?.text ?? '').join('')).toBe(text);
    expect(deltas.map((delta) => delta?.partial_json ?? '').join('')).toBe(args);
  });

  it('counts tokens', () => {
    expect(ask('messages/count_tokens', { body }).json()).toEqual({ input_tokens: 4 });
  });

  it('returns errors in the format of the Messages API', () => {
    const failed = createMessage({}, { status: 429, error: 'Slow down.', headers: { 'retry-after': '1' } });
    expect([failed.status, failed.json()]).toEqual([
      429,
      { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' }, request_id: 'mock-req_1' },
    ]);
    const errorInStream = createMessage({ stream: true }, { error: 'broke' });
    const tap = new MessagesTap();
    expect(eventsOf(errorInStream.text).map((event) => tap.event(event))).toEqual(['fault']);
    expect(tap.fault).toMatchObject({ message: 'broke' });
  });

  it.each([
    [{ messages: undefined }, /messages/],
    [{ messages: [] }, /messages/],
    [{ messages: [{ role: 'system', content: 'x' }] }, /messages\[0\]\.role/],
    [{ max_tokens: undefined }, /max_tokens/],
    [{ max_tokens: 0 }, /max_tokens/],
    [{ temperature: 2 }, /temperature/],
  ])('rejects bodies with missing or invalid fields: %j', (overrides, message) => {
    const { status, json } = createMessage(overrides);
    expect([status, json()]).toMatchObject([
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: expect.stringMatching(message) as string } },
    ]);
  });
});

describe('mock responses', () => {
  it('returns 404 for stored responses', () => {
    for (const endpoint of ['responses/{id}', 'responses/{id}/cancel', 'responses/{id}/input_items'] as const) {
      const response = ask(endpoint, { params: { id: 'resp_1' } });
      expect(response.status).toBe(404);
      expect(errorOf(response)).toMatchObject({ message: "Response with id 'resp_1' not found." });
    }
  });

  it('returns a compaction', () => {
    expect(ask('responses/compact', { body: { input: 'hi' } }).json()).toMatchObject({
      object: 'response.compaction',
      output: [{ type: 'message', content: [{ text: 'hi' }] }, { type: 'compaction' }],
    });
  });
});

describe('mock images/embeddings', () => {
  it('return the same vector for the same image only', () => {
    const embed = (image: string) =>
      rowsOf(ask('images/embeddings', { body: { input: [{ image }], dimensions: 4 } }).json())[0]?.['embedding'] as number[];
    expect(embed('data:,a')).toEqual(embed('data:,a'));
    expect(embed('data:,a')).not.toEqual(embed('data:,b'));
    expect(errorOf(ask('images/embeddings', { body: { input: [{}] } }))).toMatchObject({ param: 'input[0].image' });
  });
});
