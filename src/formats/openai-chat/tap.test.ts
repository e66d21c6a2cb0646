import { describe, expect, it } from 'vitest';
import { ChatTap } from './tap.ts';

const chunk = (choices: unknown, extra: object = {}): string =>
  JSON.stringify({ id: 'c-1', object: 'chat.completion.chunk', model: 'm-1', choices, ...extra });
const delta = (value: object, finish: string | null = null, index = 0): string => chunk([{ index, delta: value, finish_reason: finish }]);

const readEvents = (...payloads: readonly string[]) => {
  const tap = new ChatTap();
  return { tap, kinds: payloads.map((data) => tap.event({ name: '', data })) };
};

const metaEvents: Readonly<Record<string, string>> = {
  'a role': delta({ role: 'assistant' }),
  'a role with empty content': delta({ role: 'assistant', content: '', refusal: null }),
  'no choices': chunk([], { prompt_filter_results: [{ prompt_index: 0 }] }),
  'a filter result without delta': chunk([{ index: 0, finish_reason: null, content_filter_results: { hate: { filtered: false } } }]),
  'empty lists and nulls': delta({ content: null, tool_calls: [], reasoning: null }),
  'usage alone': chunk([], { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
  'text that is not JSON': 'ping',
};

const content: Readonly<Record<string, string>> = {
  text: delta({ content: 'Hi' }),
  'text in parts': delta({ content: [{ type: 'text', text: 'Hi' }] }),
  'a refusal': delta({ refusal: 'No' }),
  'a tool call': delta({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'f', arguments: '' } }] }),
  reasoning: delta({ reasoning: 'hm' }),
  'reasoning under its other name': delta({ role: 'assistant', reasoning_content: 'hm' }),
  audio: delta({ audio: { id: 'a-1' } }),
  'an unknown field': delta({ hologram: 'x' }),
  'a finish reason alone': delta({}, 'stop'),
  'text of a legacy completion': chunk([{ index: 0, text: 'Hi', finish_reason: null }]),
};

describe('ChatTap before the first content', () => {
  it.each(Object.entries(metaEvents))('classifies as meta: %s', (_name, data) => expect(readEvents(data).kinds).toEqual(['meta']));
  it.each(Object.entries(content))('classifies as content: %s', (_name, data) => expect(readEvents(data).kinds).toEqual(['content']));
});

describe('ChatTap after the first content', () => {
  it.each(Object.entries(content))('classifies as content: %s', (_name, data) =>
    expect(readEvents(delta({ content: 'x' }), data).kinds).toEqual(['content', 'content']),
  );

  it('classifies usage alone as meta and reads it', () => {
    const { tap, kinds } = readEvents(
      delta({ content: 'x' }),
      chunk([], { usage: { prompt_tokens: 5, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 2 } } }),
    );
    expect(kinds).toEqual(['content', 'meta']);
    expect(tap.usage).toEqual({ prompt: 5, completion: 7, cached: 2 });
    expect(tap.contentEvents).toBe(1);
  });

  it('counts usage in every event once, with the last value', () => {
    const usageChunk = (tokens: number): string =>
      chunk([{ index: 0, delta: { content: 'x' }, finish_reason: null }], { usage: { prompt_tokens: 5, completion_tokens: tokens } });
    const { tap, kinds } = readEvents(usageChunk(1), usageChunk(2), usageChunk(3));
    expect(kinds).toEqual(['content', 'content', 'content']);
    expect(tap.usage).toEqual({ prompt: 5, completion: 3 });
  });

  it('reads usage inside x_groq', () => {
    const { tap } = readEvents(
      delta({ content: 'x' }),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], { x_groq: { usage: { prompt_tokens: 3, completion_tokens: 4 } } }),
    );
    expect(tap.usage).toEqual({ prompt: 3, completion: 4 });
    expect(tap.finish).toEqual(['stop']);
  });

  it('classifies an error object as fault', () => {
    const { tap, kinds } = readEvents(
      delta({ content: 'x' }),
      '{"error":{"message":"broke","type":"server_error","code":null,"param":null}}',
    );
    expect(kinds).toEqual(['content', 'fault']);
    expect(tap.fault).toEqual({ message: 'broke', type: 'server_error', code: null, param: null, status: 500 });
  });

  it('classifies an error inside x_groq as a fault that clients do not recognize', () => {
    const { tap, kinds } = readEvents(
      delta({ content: 'x' }),
      chunk([{ index: 0, delta: {} }], { x_groq: { id: '1', error: 'over capacity' } }),
    );
    expect(kinds).toEqual(['content', 'fault']);
    expect(tap.fault).toMatchObject({ message: 'over capacity', isUnmarked: true });
  });

  it('classifies an error inside a choice as a fault that clients do not recognize', () => {
    const broken = chunk([{ index: 0, delta: { content: '' }, finish_reason: 'error', error: { code: 502, message: 'broke' } }]);
    for (const before of [[], [delta({ content: 'x' })]]) {
      const { tap, kinds } = readEvents(...before, broken);
      expect(kinds.at(-1)).toBe(before.length === 0 ? 'fault' : 'end');
      expect(tap.fault).toMatchObject({ message: 'broke', status: 502, isUnmarked: true });
    }
    const whole = new ChatTap();
    const choice = { index: 0, finish_reason: 'error', message: { content: 'par' }, error: { code: 'x', message: 'broke' } };
    expect(whole.whole(chunk([choice]))).toMatchObject({ message: 'broke', status: 502 });
    expect(new ChatTap().whole(chunk([{ ...choice, finish_reason: 'stop', error: null }]))).toBeUndefined();
  });

  it('ignores names of the format inside the text', () => {
    const misleadingText = '"finish_reason":"stop","usage":{"prompt_tokens":1},"error":{"message":"x"},"index":3';
    const { tap, kinds } = readEvents(
      delta({ content: 'x' }),
      delta({ content: misleadingText }),
      delta({ content: `\\${misleadingText}` }),
    );
    expect(kinds).toEqual(['content', 'content', 'content']);
    expect([tap.complete, tap.finish, tap.usage, tap.fault]).toEqual([false, [], undefined, undefined]);
  });

  it.each([
    ['an error of vLLM or Mistral', { object: 'error', message: 'broke', type: null, code: null }, 'fault'],
    [
      'an error of Cerebras',
      { message: 'broke', type: 'too_many_requests_error', param: 'quota', code: 'request_quota_exceeded' },
      'fault',
    ],
    ['a notice of a service', { type: 'status', message: 'searching' }, 'meta'],
    [
      'a chunk with a message of the service',
      { choices: [{ index: 0, delta: { content: 'y' }, finish_reason: 'stop' }], message: 'slow', code: 7 },
      'content',
    ],
  ])('classifies an event with a message: %s', (_name, event, kind) => {
    expect(readEvents(delta({ content: 'x' }), JSON.stringify(event)).kinds).toEqual(['content', kind]);
  });

  it('does not classify a filter error inside a choice as fault', () => {
    const oddChunk = chunk([
      { index: 0, delta: { content: 'y' }, finish_reason: null, content_filter_results: { error: { code: 'content_filter_error' } } },
    ]);
    expect(readEvents(delta({ content: 'x' }), oddChunk).kinds).toEqual(['content', 'content']);
  });
});

describe('ChatTap completeness', () => {
  it('is reached with [DONE]', () => {
    const { tap, kinds } = readEvents(delta({ content: 'x' }), '[DONE]');
    expect(kinds).toEqual(['content', 'end']);
    expect(tap.complete).toBe(true);
  });

  it('is reached with a finish reason for every choice seen', () => {
    const { tap } = readEvents(delta({ content: 'x' }, null, 0), delta({ content: 'y' }, null, 1), delta({}, 'stop', 0));
    expect(tap.complete).toBe(false);
    tap.event({ name: '', data: delta({}, 'length', 1) });
    expect(tap.complete).toBe(true);
    expect(tap.finish).toEqual(['stop', 'length']);
  });

  it('is not prevented by another tool call of the same choice', () => {
    const { tap } = readEvents(
      delta({ content: 'x' }),
      delta({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }),
      delta({}, 'tool_calls'),
    );
    expect(tap.complete).toBe(true);
  });
});

describe('ChatTap ID and model', () => {
  it('are read from an event with choices, not from the filter event', () => {
    const filter = JSON.stringify({ id: '', model: '', choices: [], prompt_filter_results: [] });
    const { tap } = readEvents(filter, delta({ role: 'assistant' }), delta({ content: 'x' }));
    expect([tap.id, tap.model]).toEqual(['c-1', 'm-1']);
  });
});

describe('ChatTap with a complete response', () => {
  it('reads usage, finish reasons, ID and model', () => {
    const tap = new ChatTap();
    const usage = { prompt_tokens: 9, completion_tokens: 4, completion_tokens_details: { reasoning_tokens: 3, audio_tokens: 0 } };
    expect(tap.whole(chunk([{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }], { usage }))).toBeUndefined();
    expect(tap.complete).toBe(true);
    expect(tap.usage).toEqual({ prompt: 9, completion: 4, reasoning: 3, audioOut: 0 });
    expect([tap.finish, tap.id, tap.model]).toEqual([['stop'], 'c-1', 'm-1']);
  });

  it('returns a fault for an error object with status 200', () => {
    expect(new ChatTap().whole('{"error":{"message":"quota","code":429}}')).toEqual({
      message: 'quota',
      code: 429,
      type: null,
      param: null,
      status: 429,
    });
  });

  it('returns no fault for "error": null', () => {
    expect(new ChatTap().whole(chunk([{ index: 0, message: {}, finish_reason: 'stop' }], { error: null }))).toBeUndefined();
  });
});
