import { emptyBody, JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { Call } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { callOf } from '../../../test/contract/call.ts';
import { piecesOf } from './mock-response.ts';
import mock from './index.ts';
import type { MockReply, MockSettings } from './settings.ts';

type Json = Record<string, unknown>;

function ask(endpoint: Endpoint, body: Json | undefined, over: Partial<Call<MockSettings>> = {}) {
  const call = callOf({ endpoint, method: 'POST', model: 'echo', stream: body?.['stream'] === true, createdAt: 7, ...over });
  const begun = mock.operations[endpoint]?.begin(body === undefined ? emptyBody : JsonBody.of(body), call);
  if (begun?.local === undefined) throw new Error(`no ${endpoint}`);
  const answer = begun.local(begun.request);
  const text = answer.pieces.map((piece) => piece.text).join('');
  return { answer, text, tap: begun.tap, json: () => JSON.parse(text) as Json };
}

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'first' },
  { role: 'assistant', content: 'x' },
  { role: 'user', content: [{ type: 'text', text: 'hello big world' }] },
];
const replies = (reply: MockReply): Partial<Call<MockSettings>> => ({ model: 'm', settings: { replies: { m: reply } } });

const choicesOf = (event: Json | '[DONE]') =>
  event === '[DONE]' ? [] : ((event['choices'] ?? []) as { index: number; delta: { content?: string } }[]);

/** Data of the events, which are also passed to the tap. */
function events({ text, tap }: ReturnType<typeof ask>) {
  const list = text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const name = /^event: (.*)$/m.exec(block)?.[1] ?? '';
      return { name, data: /^data: (.*)$/m.exec(block)?.[1] ?? '' };
    });
  for (const event of list) tap.event(event);
  return list.map(({ data }) => (data === '[DONE]' ? data : (JSON.parse(data) as Json)));
}

describe('mock chat/completions', () => {
  it('echoes the last user message in a response without streaming', () => {
    const { json, answer, tap, text } = ask('chat/completions', { messages });
    expect(json()).toMatchObject({
      id: 'chatcmpl-req_1',
      object: 'chat.completion',
      created: 7,
      model: 'echo',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello big world' } }],
    });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect([tap.whole(text), tap.complete, tap.usage?.completion]).toEqual([undefined, true, 4]);
  });

  it('echoes the last user message in a complete stream', () => {
    const asked = ask('chat/completions', { messages, stream: true }, { includeUsage: true });
    const list = events(asked) as Json[];
    const text = list
      .flatMap((event) => ((event['choices'] ?? []) as { delta: { content?: string } }[]).map((choice) => choice.delta.content ?? ''))
      .join('');
    expect(text).toBe('hello big world');
    expect(list.at(-1)).toBe('[DONE]');
    expect(list.at(-2)).toMatchObject({ choices: [], usage: { completion_tokens: 4 } });
    expect(asked.tap).toMatchObject({ complete: true, finish: ['stop'], usage: { prompt: 9, completion: 4 } });
  });

  it('sends no usage in a stream unless requested', () => {
    expect(ask('chat/completions', { messages, stream: true }).text).not.toContain('usage');
  });

  it('returns n choices', () => {
    const asked = ask('chat/completions', { messages, n: 2, stream: true });
    events(asked);
    expect(asked.tap.finish).toEqual(['stop', 'stop']);
  });

  it.each([false, true])('calls a tool (stream: %s)', (stream) => {
    const asked = ask('chat/completions', { messages, stream }, replies({ tool_call: { name: 'look', arguments: { at: 'ü' } } }));
    const calls = stream
      ? (events(asked) as Json[]).flatMap((event) =>
          ((event['choices'] ?? []) as { delta: { tool_calls?: { function: { arguments: string } }[] } }[]).flatMap(
            (choice) => choice.delta.tool_calls ?? [],
          ),
        )
      : (asked.json()['choices'] as { message: { tool_calls: { function: { arguments: string } }[] } }[]).flatMap(
          (choice) => choice.message.tool_calls,
        );
    expect(calls[0]).toMatchObject({ type: 'function', function: { name: 'look' } });
    expect(calls.map((call) => call.function.arguments).join('')).toBe('{"at":"ü"}');
    if (!stream) asked.tap.whole(asked.text);
    expect(asked.tap.finish).toEqual(['tool_calls']);
  });
});

describe('a mock reply', () => {
  it.each([
    ['fail', 500, { type: 'server_error' }],
    ['rate-limited', 429, { type: 'requests', code: 'rate_limit_exceeded' }],
  ])('named %s is an error response', (model, status, error) => {
    const { answer, json } = ask('chat/completions', { messages, stream: true }, { model });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(json()).toMatchObject({ error });
  });

  it('named rate-limited has a retry-after header', () => {
    expect(ask('chat/completions', { messages }, { model: 'rate-limited' }).answer.headers['retry-after']).toBe('1');
  });

  it('named slow has a delay before the response and between chunks', () => {
    const { answer } = ask('chat/completions', { messages, stream: true }, { model: 'slow' });
    expect(answer.delayMs).toBe(2000);
    expect(answer.pieces.every((piece) => piece.afterMs === 250)).toBe(true);
  });

  it('has the configured text, chunk count and delay', () => {
    const asked = ask('chat/completions', { messages, stream: true }, replies({ text: 'abcdef', chunks: 3, delay: 5 }));
    expect(asked.answer.delayMs).toBe(5);
    expect(asked.text.match(/"content":"(?:ab|cd|ef)"/g)).toHaveLength(3);
  });

  it.each([
    ['', []],
    [' \n', [' \n']],
    ['a', ['a']],
    [' a b\n\nc  ', [' a', ' b', '\n\nc  ']],
    [' '.repeat(500_000), [' '.repeat(500_000)]],
    [`a${' '.repeat(500_000)}b`, ['a', `${' '.repeat(500_000)}b`]],
  ])('has a chunk for each word with its leading whitespace: case %#', (text, pieces) => {
    expect(piecesOf(text, {})).toEqual(pieces);
  });

  it.each([
    ['one choice', 1],
    ['128 choices', 128],
  ])('has at most 10,000 chunks with text, with several words each if the text is long: %s', (_, n) => {
    const content = 'one two\n'.repeat(12_500);
    const asked = ask('chat/completions', { messages: [{ role: 'user', content }], n, stream: true });
    const chunks = events(asked).flatMap((event) => choicesOf(event));
    const texts = Array.from({ length: n }, () => '');
    for (const { index, delta } of chunks) texts[index] = `${texts[index]}${delta.content ?? ''}`;
    expect(new Set(texts)).toEqual(new Set([content]));
    const count = chunks.filter(({ delta }) => (delta.content ?? '') !== '').length;
    expect(count).toBeLessThanOrEqual(10_000);
    expect(count).toBeGreaterThan(5000);
  });

  it('has as many chunks as configured, without splitting a character', () => {
    expect(piecesOf('a😀b😀', { chunks: 4 })).toEqual(['a', '😀', 'b', '😀']);
    expect(piecesOf('😀'.repeat(40_000), { chunks: 7 })).toHaveLength(7);
  });

  it('is rejected if its chunks and the requested choices are too many', () => {
    const { answer, json } = ask('chat/completions', { messages, n: 3, stream: true }, replies({ text: 'a'.repeat(5000), chunks: 5000 }));
    expect(answer.status).toBe(400);
    expect(json()).toMatchObject({
      error: { param: 'n', code: 'integer_above_max_value', message: expect.stringMatching(/10,000 chunks/) as string },
    });
  });

  it('replaces the built-in reply of the same name', () => {
    expect(ask('chat/completions', { messages }, { model: 'fail', settings: { replies: { fail: { text: 'fine' } } } }).answer.status).toBe(
      200,
    );
  });

  it('with an error and no status is reported as a fault by the tap, with and without streaming', () => {
    const whole = ask('chat/completions', { messages }, replies({ error: 'broke' }));
    expect(whole.tap.whole(whole.text)).toMatchObject({ message: 'broke' });
    const streamed = ask('chat/completions', { messages, stream: true }, replies({ error: 'broke' }));
    events(streamed);
    expect(streamed.tap.fault).toMatchObject({ message: 'broke' });
  });

  it('with breaks is reported as incomplete by the tap', () => {
    const asked = ask('chat/completions', { messages, stream: true }, replies({ text: 'a b c d', breaks: 'reset' }));
    events(asked);
    expect(asked.answer.breaks).toBe('reset');
    expect([asked.tap.complete, asked.tap.contentEvents > 0]).toEqual([false, true]);
  });

  it('of an unknown name echoes the last user message', () => {
    expect(ask('chat/completions', { messages }, { model: 'gpt-4o' }).json()).toMatchObject({
      model: 'gpt-4o',
      choices: [{ message: { content: 'hello big world' } }],
    });
  });
});

describe('other routes of the mock provider', () => {
  it('return the same unit vector for the same text, also in base64', () => {
    const floats = (ask('embeddings', { input: ['a', 'b', 'a'], dimensions: 8 }).json()['data'] as { embedding: number[] }[]).map(
      (row) => row.embedding,
    );
    expect(floats[0]).toEqual(floats[2]);
    expect(floats[0]).not.toEqual(floats[1]);
    expect(Math.hypot(...(floats[1] ?? []))).toBeCloseTo(1, 5);
    const encoded =
      (ask('embeddings', { input: 'a', dimensions: 8, encoding_format: 'base64' }).json()['data'] as { embedding: string }[])[0]
        ?.embedding ?? '';
    const bytes = Buffer.from(encoded, 'base64');
    expect(Array.from({ length: 8 }, (_, index) => bytes.readFloatLE(index * 4))).toEqual(floats[0]);
  });

  it('return PNG images, with and without streaming', () => {
    const data = ask('images/generations', { prompt: 'a cat', n: 2 }).json()['data'] as { b64_json: string }[];
    expect(data).toHaveLength(2);
    expect(Buffer.from(data[0]?.b64_json ?? '', 'base64').subarray(0, 8)).toEqual(
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    );
    const streamed = ask('images/generations', { prompt: 'a cat', stream: true });
    events(streamed);
    expect(streamed.tap).toMatchObject({ complete: true, usage: { completion: 1 } });
  });

  it('return completions, with and without streaming', () => {
    expect(ask('completions', { prompt: 'once' }).json()).toMatchObject({
      object: 'text_completion',
      choices: [{ text: 'once', finish_reason: 'stop' }],
    });
    const streamed = ask('completions', { prompt: 'once upon', stream: true });
    events(streamed);
    expect(streamed.tap).toMatchObject({ complete: true, finish: ['stop'] });
  });

  it.each([
    [{ prompt: ['a', 'b'], n: 2 }, ['a', 'a', 'b', 'b']],
    [{ prompt: [1, 2] }, ['1 2']],
    [{ prompt: [[1, 2], [3]] }, ['1 2', '3']],
    [{ prompt: [] }, ['']],
    [{}, ['']],
  ])('return completions with a choice for each prompt and n: %j', (body, texts) => {
    const choices = ask('completions', body).json()['choices'] as { index: number; text: string }[];
    expect(choices.map(({ text }) => text)).toEqual(texts);
    expect(choices.map(({ index }) => index)).toEqual(texts.map((_, index) => index));
    const streamed = ask('completions', { ...body, stream: true });
    const joined = texts.map(() => '');
    for (const event of events(streamed) as Json[])
      for (const { index, text } of (event['choices'] ?? []) as { index: number; text: string }[]) joined[index] += text;
    expect(joined).toEqual(texts);
    expect(streamed.tap).toMatchObject({ complete: true, finish: texts.map(() => 'stop') });
  });

  it('return responses, with and without streaming, and count input tokens', () => {
    const body = { input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi you' }] }] };
    expect(ask('responses', body).json()).toMatchObject({
      object: 'response',
      status: 'completed',
      output: [{ content: [{ type: 'output_text', text: 'hi you' }] }],
    });
    const streamed = ask('responses', { ...body, stream: true });
    const list = events(streamed) as Json[];
    expect(list.map((event) => event['sequence_number'])).toEqual(list.map((_, index) => index));
    expect(streamed.tap).toMatchObject({ complete: true, finish: ['completed'], usage: { prompt: 2, completion: 2 } });
    expect(ask('responses/input_tokens', { input: 'hi you' }).json()).toEqual({ object: 'response.input_tokens', input_tokens: 2 });
  });

  it('moderate each input and list the models', () => {
    const { results } = ask('moderations', { input: ['a', 'b'] }).json() as { results: { categories: object; category_scores: object }[] };
    expect(results).toHaveLength(2);
    for (const { categories, category_scores: scores } of results) {
      expect(Object.keys(categories)).toHaveLength(13);
      expect(categories).toHaveProperty(['violence/graphic'], false);
      expect(Object.keys(scores)).toEqual(Object.keys(categories));
    }
    const settings: MockSettings = { replies: { mine: {} } };
    expect((ask('models', undefined, { settings, method: 'GET' }).json()['data'] as { id: string }[]).map(({ id }) => id)).toEqual([
      'echo',
      'fail',
      'slow',
      'rate-limited',
      'mine',
    ]);
    expect(mock.entry.models?.(settings)).toContainEqual({ id: 'mine' });
  });
});

it('check reports an invalid delay with its path', () => {
  const settings = { replies: { m: { delay: 'soon' } } } as MockSettings;
  expect(mock.entry.check?.(settings)).toMatchObject([{ path: ['replies', 'm', 'delay'], code: 'out-of-range' }]);
});
