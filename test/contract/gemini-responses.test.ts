import { JsonBody } from '../../src/core/json/body.ts';
import type { ModelEvent } from '../../src/core/events.ts';
import type { GatewayError } from '../../src/core/error.ts';
import { describe, expect, it } from 'vitest';
import { fromGenerateContent } from '../../src/formats/google-generate/response/result.ts';
import { GenerateContentStream } from '../../src/formats/google-generate/response/stream.ts';
import { GeminiTap } from '../../src/formats/google-generate/response/tap.ts';
import vertexAi from '../../plugins/providers/vertex-ai/index.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { readChatStream } from '../support/chat-chunk.ts';
import { begin, callOf } from './call.ts';

type Json = Record<string, unknown>;

const candidate = (parts: readonly object[] | undefined, more: object = {}) => ({
  candidates: [{ ...(parts === undefined ? {} : { content: { role: 'model', parts } }), ...more }],
});
const stop = { finishReason: 'STOP' };

function convertWhole(response: object, strict: boolean, model = 'gemini-2.5-flash') {
  const result = fromGenerateContent(JSON.stringify(response), callOf({ model, strict })) as { choices: Json[]; usage?: Json };
  const [choice] = result.choices;
  return { result, choice: choice as Json, message: choice?.['message'] as Json };
}

function streamed(frames: readonly (object | string)[], strict: boolean, model = 'gemini-2.5-flash') {
  const read = new GenerateContentStream(callOf({ model, strict }));
  const write = openaiDialect.write?.({ strict, includeUsage: true, provider: 'p', model, id: 'req_1', createdAt: 1 });
  const texts: string[] = [];
  const take = (events: Iterable<ModelEvent>): void => {
    for (const event of events) texts.push(...(write?.push(event) ?? []));
  };
  for (const frame of frames) take(read.push({ name: '', data: typeof frame === 'string' ? frame : JSON.stringify(frame) }));
  take(read.end());
  texts.push(...(write?.end() ?? []));
  const stream = readChatStream(texts.join(''), strict);
  expect(stream.problems).toEqual([]);
  const choices = stream.chunks.flatMap((chunk) => chunk.choices as unknown as Json[]);
  return { ...stream, choices, deltas: choices.map((choice) => choice['delta'] as Json), usage: stream.chunks.at(-1)?.usage };
}

const content = (deltas: readonly Json[]): string => deltas.map((delta) => delta['content'] ?? '').join('');

describe('finish reasons', () => {
  const finishReasons = [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['OTHER', 'content_filter'],
    ['NO_IMAGE', 'content_filter'],
    ['IMAGE_OTHER', 'content_filter'],
    ['A_NEW_ONE', 'stop'],
    ['CONTINUATION', 'length'],
  ] as const;
  it.each(finishReasons)('%s becomes %s; without strict compliance the original is in native_finish_reason', (finishReason, reason) => {
    const response = candidate([{ text: 'a' }], { finishReason: finishReason, finishMessage: 'why' });
    expect(convertWhole(response, true).choice).toEqual({
      index: 0,
      message: { role: 'assistant', content: 'a', refusal: null },
      logprobs: null,
      finish_reason: reason,
    });
    expect(convertWhole(response, false).choice).toMatchObject({
      finish_reason: reason,
      native_finish_reason: finishReason,
      finishMessage: 'why',
    });
    expect(streamed([response], true).choices.at(-1)).toEqual({ index: 0, delta: {}, finish_reason: reason });
  });

  it('that mean an error throw; with several candidates the failed one ends with length', () => {
    const faulty = { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: f(' };
    expect(() => convertWhole(candidate([{ text: 'a' }], faulty), true)).toThrow('Malformed function call: f(');
    expect(() => convertWhole(candidate(undefined, { finishReason: 'MISSING_THOUGHT_SIGNATURE' }), true)).toThrow(
      expect.objectContaining({ status: 400 }) as Error,
    );
    const two = {
      candidates: [
        { index: 0, content: { parts: [{ text: 'a' }] }, ...stop },
        { index: 1, ...faulty },
      ],
    };
    const reasons = convertWhole(two, true).result.choices.map((choice) => choice['finish_reason']);
    expect(reasons).toEqual(['stop', 'length']);
    const tap = new GeminiTap();
    expect([tap.whole(JSON.stringify(two)), tap.complete]).toEqual([undefined, true]);
  });

  it('are tool_calls after a call, also if the finish reason arrives in a later event', () => {
    const call = candidate([{ functionCall: { name: 'f' } }]);
    expect(streamed([call, candidate([{ text: '' }], stop)], true).choices.at(-1)).toMatchObject({ finish_reason: 'tool_calls' });
    expect(convertWhole(candidate([{ functionCall: { name: 'f' } }], { finishReason: 'MAX_TOKENS' }), true).choice).toMatchObject({
      finish_reason: 'length',
    });
  });

  it('that every event repeats are sent once', () => {
    const { choices, isDone } = streamed([candidate([{ text: 'a' }], stop), candidate([{ text: 'b' }], stop)], true);
    expect(choices.map((choice) => choice['finish_reason'])).toEqual([null, null, null, 'stop']);
    expect(isDone).toBe(true);
  });
});

describe('tool calls', () => {
  const parts = [
    { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'SIG' },
    { functionCall: { name: 'f', args: { a: 2 } } },
    { functionCall: { id: 'own', name: 'g' } },
    { functionCall: { id: 'own', name: 'g' } },
  ];

  it('have distinct ids that every provider accepts, and keep the ids of the response', () => {
    const ids = (convertWhole(candidate(parts, stop), true).message['tool_calls'] as Json[]).map((one) => one['id']);
    expect(ids).toEqual(['call_gw_1_0_0', 'call_gw_1_0_1', 'own', 'call_gw_1_0_3']);
    const long = fromGenerateContent(JSON.stringify(candidate(parts, stop)), callOf({ id: `req_${'A'.repeat(26)}` })) as {
      choices: { message: { tool_calls: { id: string }[] } }[];
    };
    for (const { id } of long.choices[0]?.message.tool_calls ?? []) expect(id.length).toBeLessThanOrEqual(40);
  });

  it('are numbered over the whole stream, in one event or several', () => {
    for (const frames of [[candidate(parts, stop)], [...parts.map((part) => candidate([part])), candidate(undefined, stop)]]) {
      const calls = streamed(frames, false).deltas.flatMap((delta) => (delta['tool_calls'] ?? []) as Json[]);
      expect(calls.map((one) => [one['index'], one['id']])).toEqual([
        [0, 'call_gw_1_0_0'],
        [1, 'call_gw_1_0_1'],
        [2, 'own'],
        [3, 'call_gw_1_0_3'],
      ]);
      expect(calls[0]?.['function']).toEqual({ name: 'f', arguments: '{"a":1}', thought_signature: 'SIG' });
      expect(calls[2]?.['function']).toEqual({ name: 'g', arguments: '{}' });
    }
  });

  it('contain no signature with strict compliance', () => {
    expect(JSON.stringify(convertWhole(candidate(parts, stop), true).result)).not.toContain('SIG');
    expect(JSON.stringify(streamed([candidate(parts, stop)], true).chunks)).not.toContain('SIG');
  });

  it('keep the digits of long numbers', () => {
    const text =
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"id":12345678901234567890}}}]},"finishReason":"STOP"}]}';
    const result = fromGenerateContent(text, callOf({ model: 'g' })) as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] } }[];
    };
    expect(result.choices[0]?.message.tool_calls[0]?.function.arguments).toBe('{"id":12345678901234567890}');
    expect(JSON.stringify(streamed([text], true).deltas)).toContain('12345678901234567890');
  });

  it('keep their order among text, images and thoughts of the same event', () => {
    const mixed = [
      { text: 'T', thought: true },
      { text: 'a' },
      { functionCall: { name: 'f' } },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { text: 'b' },
    ];
    const { deltas } = streamed([candidate(mixed, stop)], false);
    expect(deltas.flatMap((delta) => (delta['content_blocks'] ?? []) as Json[])).toEqual([
      { index: 0, delta: { thinking: 'T' } },
      { index: 1, delta: { text: 'a' } },
      { index: 3, delta: { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } },
      { index: 4, delta: { text: 'b' } },
    ]);
    expect(content(deltas)).toBe('ab');
    expect(convertWhole(candidate(mixed, stop), false).message['content']).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'text', text: 'b' },
    ]);
    expect(convertWhole(candidate(mixed, stop), true).message).toMatchObject({ content: 'ab' });
  });
});

describe('models that send thoughts and text in two parts', () => {
  const model = 'gemini-2.0-flash-thinking-exp-1219';
  const parts = [{ text: 'Hm.' }, { text: 'Yes.' }];

  it('return both without strict compliance, and only the text with it', () => {
    expect(convertWhole(candidate(parts, stop), false, model).message['content']).toBe('Hm.\r\n\r\nYes.');
    expect(convertWhole(candidate(parts, stop), true, model).message['content']).toBe('Yes.');
    expect(convertWhole(candidate(parts, stop), true).message['content']).toBe('Hm.Yes.');
  });

  it('are separated in streams where one event contains both parts', () => {
    const frames = [candidate([{ text: 'H' }]), candidate([{ text: 'm.' }, { text: 'Y' }]), candidate([{ text: 'es.' }], stop)];
    expect(content(streamed(frames, false, model).deltas)).toBe('Hm.\r\n\r\nYes.');
    expect(content(streamed(frames, true, model).deltas)).toBe('Yes.');
  });

  it('return the text of a response with a single part', () => {
    const frames = [candidate([{ text: 'Y' }]), candidate([{ text: 'es.' }], stop)];
    expect(content(streamed(frames, true, model).deltas)).toBe('Yes.');
    expect(content(streamed(frames, false, model).deltas)).toBe('Yes.');
    expect(convertWhole(candidate([{ text: 'Yes.' }], stop), true, model).message['content']).toBe('Yes.');
  });
});

describe('thought signatures', () => {
  it('on text form separate blocks and are never merged with unsigned text', () => {
    const { deltas } = streamed(
      [
        candidate([{ text: 'a' }]),
        candidate([{ text: 'b', thoughtSignature: 'S1' }]),
        candidate([{ text: 'c' }]),
        candidate([{ text: '', thoughtSignature: 'S2' }], stop),
      ],
      false,
    );
    expect(deltas.flatMap((delta) => (delta['content_blocks'] ?? []) as Json[])).toEqual([
      { index: 0, delta: { text: 'a' } },
      { index: 1, delta: { text: 'b', signature: 'S1' } },
      { index: 2, delta: { text: 'c' } },
      { index: 3, delta: { text: '', signature: 'S2' } },
    ]);
  });
});

describe('responses without content', () => {
  const blocked = {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'No.' },
    usageMetadata: { promptTokenCount: 14, totalTokenCount: 14 },
    modelVersion: 'm',
  };

  it('have one choice with content_filter if the prompt was blocked', () => {
    const { choice, result } = convertWhole(blocked, true);
    expect(choice).toEqual({
      index: 0,
      message: { role: 'assistant', content: '', refusal: null },
      logprobs: null,
      finish_reason: 'content_filter',
    });
    expect(result.usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 0, total_tokens: 14 });
    expect(convertWhole(blocked, false).result).toMatchObject({
      promptFeedback: blocked.promptFeedback,
      choices: [{ native_finish_reason: 'PROHIBITED_CONTENT' }],
    });
    const stream = streamed([blocked], true);
    expect(stream.choices.at(-1)).toMatchObject({ finish_reason: 'content_filter' });
    expect([stream.isDone, stream.usage?.prompt_tokens]).toEqual([true, 14]);
  });

  it('have one empty choice if they contain only usage', () => {
    expect(convertWhole({ usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } }, true).choice).toMatchObject({
      finish_reason: 'stop',
      message: { content: '' },
    });
  });

  it('may lack parts and content', () => {
    for (const response of [
      candidate(undefined, { finishReason: 'MAX_TOKENS' }),
      { candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }] },
    ]) {
      expect(convertWhole(response, true).choice).toMatchObject({ finish_reason: 'length', message: { content: '' } });
      expect(streamed([response], true).choices.at(-1)).toMatchObject({ finish_reason: 'length' });
    }
  });
});

it.each([[{}], [{ choices: [{ message: { content: 'hi' } }] }]])('a response of another API is rejected: %j', (response) => {
  expect(() => convertWhole(response, true)).toThrow('not one of generateContent');
});

describe('interrupted streams', () => {
  const first = candidate([{ text: 'a' }]);
  it.each([
    ['an error event', [first, { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }], 'Overloaded.'],
    ['an error event in a list, without code', [first, [{ error: { message: 'Gone.', status: 'ABORTED' } }]], 'Gone.'],
    ['an end without a finish reason', [first], 'closed the stream'],
    ['an event that is not JSON', [first, '{"candidates":[{"con'], 'not a JSON object'],
    ['no events', [], 'closed the stream'],
  ] as const)('end with an error and without a finish reason: %s', (_name, frames, message) => {
    const { error, isDone, choices } = streamed(frames, true);
    expect(String(error?.['message'])).toContain(message);
    expect(isDone).toBe(false);
    expect(choices.every((choice) => choice['finish_reason'] === null)).toBe(true);
  });
});

describe('several candidates', () => {
  it('keep their own calls and finish reasons', () => {
    const frames = [
      {
        candidates: [
          { index: 1, content: { parts: [{ text: 'B' }] } },
          { index: 0, content: { parts: [{ functionCall: { name: 'f' } }] } },
        ],
      },
      { candidates: [{ index: 1, finishReason: 'STOP' }] },
      { candidates: [{ finishReason: 'STOP' }] },
    ];
    const { choices } = streamed(frames, true);
    expect(
      choices.filter((choice) => choice['finish_reason'] !== null).map((choice) => [choice['index'], choice['finish_reason']]),
    ).toEqual([
      [1, 'stop'],
      [0, 'tool_calls'],
    ]);
  });
});

describe('usage', () => {
  it.each([
    [
      'thoughts counted separately from candidates',
      { promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: 4, totalTokenCount: 16, cachedContentTokenCount: 2 },
      [5, 11, 16, 2, 4],
    ],
    [
      'thoughts included in candidates',
      { promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: 4, totalTokenCount: 12 },
      [5, 7, 12, 0, 4],
    ],
    [
      'tool results in the prompt',
      { promptTokenCount: 5, toolUsePromptTokenCount: 3, candidatesTokenCount: 7, totalTokenCount: 15 },
      [8, 7, 15, 0, 0],
    ],
    ['no candidates', { promptTokenCount: 5, totalTokenCount: 5 }, [5, 0, 5, 0, 0]],
  ] as const)('is converted: %s', (_name, usageMetadata, [prompt, completion, total, cached, reasoning]) => {
    const expected = {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: total,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
    expect(convertWhole({ ...candidate([{ text: 'a' }], stop), usageMetadata }, true).result.usage).toMatchObject(expected);
    expect(
      streamed(
        [
          { ...candidate([{ text: 'a' }]), usageMetadata: { trafficType: 'ON_DEMAND' } },
          { ...candidate([], stop), usageMetadata },
        ],
        true,
      ).usage,
    ).toMatchObject(expected);
  });
});

describe('service tier', () => {
  it.each([
    [{ serviceTier: 'standard' }, undefined],
    [{ serviceTier: 'flex' }, 'flex'],
    [{ serviceTier: 'SERVICE_TIER_PRIORITY' }, 'priority'],
    [{ serviceTier: 'unspecified' }, undefined],
    [{ trafficType: 'ON_DEMAND' }, undefined],
    [{ trafficType: 'ON_DEMAND_FLEX' }, 'flex'],
    [{ trafficType: 'TRAFFIC_TYPE_UNSPECIFIED' }, undefined],
    [{ trafficType: 'PROVISIONED_THROUGHPUT' }, 'provisioned_throughput'],
  ])('is recorded unless it is the standard one: %j', (tier, recorded) => {
    const counts = { promptTokenCount: 5, candidatesTokenCount: 7 };
    const wholeTap = new GeminiTap();
    wholeTap.whole(JSON.stringify({ ...candidate([{ text: 'a' }], stop), usageMetadata: { ...counts, ...tier } }));
    const streamTap = new GeminiTap();
    for (const usageMetadata of [tier, counts])
      streamTap.event({ name: '', data: JSON.stringify({ ...candidate([{ text: 'a' }], stop), usageMetadata }) });
    expect([wholeTap.usage?.details?.tier, streamTap.usage?.details?.tier]).toEqual([recorded, recorded]);
  });
});

describe('additional data', () => {
  const grounded = candidate([{ text: 'Größe ' }, { text: 'zählt.' }], {
    ...stop,
    safetyRatings: [{ category: 'X' }],
    groundingMetadata: {
      groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }],
      groundingSupports: [
        { segment: { endIndex: 8, text: 'Größe ' }, groundingChunkIndices: [0] },
        { segment: { partIndex: 1, startIndex: 1, endIndex: 7 }, groundingChunkIndices: [0, 9] },
      ],
    },
    logprobsResult: { chosenCandidates: [{ token: 'ö', logProbability: -0.5 }], topCandidates: [] },
  });

  it('of grounding is on the choice and becomes annotations with character offsets', () => {
    const { choice, message } = convertWhole(grounded, false);
    expect(choice).toMatchObject({ safetyRatings: [{ category: 'X' }], groundingMetadata: { groundingChunks: [{ web: { title: 'A' } }] } });
    expect(
      (message['annotations'] as { url_citation: Json }[]).map((one) => [one.url_citation['start_index'], one.url_citation['end_index']]),
    ).toEqual([
      [0, 6],
      [7, 12],
    ]);
    expect(JSON.stringify(convertWhole(grounded, true).result)).not.toMatch(/grounding|safety|annotations/);
    expect(JSON.stringify(streamed([grounded], false).choices)).toContain('groundingMetadata');
    expect(JSON.stringify(streamed([grounded], true).choices)).not.toContain('groundingMetadata');
  });

  it('of log probabilities contains the bytes of each token', () => {
    const logprobs = { content: [{ token: 'ö', logprob: -0.5, bytes: [0xc3, 0xb6], top_logprobs: [] }], refusal: null };
    expect(convertWhole(grounded, true).choice['logprobs']).toEqual(logprobs);
    expect(streamed([grounded], true).choices.find((choice) => choice['logprobs'] !== undefined)?.['logprobs']).toEqual(logprobs);
  });

  it('of the code execution tool becomes content blocks', () => {
    const code = candidate(
      [
        { executableCode: { language: 'PYTHON', code: '1' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        { text: 'One.' },
      ],
      stop,
    );
    expect(convertWhole(code, false).message['content_blocks']).toEqual([
      { type: 'executable_code', executable_code: { language: 'PYTHON', code: '1' } },
      { type: 'code_execution_result', code_execution_result: { outcome: 'OUTCOME_OK', output: '1' } },
      { type: 'text', text: 'One.' },
    ]);
    expect(convertWhole(code, true).message).toEqual({ role: 'assistant', content: 'One.', refusal: null });
  });

  it('of the code execution tool within thoughts is marked as thought', () => {
    const step = { executableCode: { language: 'PYTHON', code: '1' }, thought: true, thoughtSignature: 'SIG' };
    const block = { type: 'executable_code', executable_code: { language: 'PYTHON', code: '1' }, thought: true, signature: 'SIG' };
    expect(convertWhole(candidate([step, { text: 'One.' }], stop), false).message['content_blocks']).toEqual([
      block,
      { type: 'text', text: 'One.' },
    ]);
  });

  it('that is unknown is forwarded under its own name', () => {
    const response = { name: 'f', response: { output: 1 } };
    const extended = candidate([{ functionResponse: response }, { text: 'One.' }], { ...stop, continuationToken: 'T', newThing: { a: 1 } });
    expect(convertWhole(extended, false).message['content_blocks']).toEqual([
      { type: 'function_response', function_response: response },
      { type: 'text', text: 'One.' },
    ]);
    expect(convertWhole(extended, false).choice).toMatchObject({ continuationToken: 'T', newThing: { a: 1 } });
    expect(Object.keys(convertWhole(extended, true).choice)).toEqual(['index', 'message', 'logprobs', 'finish_reason']);
  });

  it('of speech becomes audio', () => {
    const speech = candidate([{ inlineData: { mimeType: 'audio/L16;rate=24000', data: 'AAAA' } }], stop);
    expect(convertWhole(speech, true).message).toMatchObject({ content: null, audio: { data: 'AAAA' } });
    expect(streamed([speech], true).deltas.some((delta) => (delta['audio'] as Json | undefined)?.['data'] === 'AAAA')).toBe(true);
  });
});

describe('GeminiTap', () => {
  const watch = (frames: readonly object[]) => {
    const tap = new GeminiTap();
    return { tap, kinds: frames.map((frame) => tap.event({ name: '', data: JSON.stringify(frame) })) };
  };

  it('commits with the first content and is complete with the finish reason', () => {
    const { tap, kinds } = watch([
      { usageMetadata: { trafficType: 'X' } },
      candidate([{ text: '' }]),
      candidate([{ text: 'a', thought: true }]),
      candidate([{ text: 'b' }]),
      candidate(undefined, stop),
    ]);
    expect(kinds).toEqual(['meta', 'meta', 'content', 'content', 'content']);
    expect([tap.complete, tap.finish, tap.contentEvents]).toEqual([true, ['STOP'], 3]);
  });

  it('is complete only when every candidate has finished', () => {
    const both = {
      candidates: [
        { index: 0, content: { parts: [{ text: 'a' }] } },
        { index: 1, content: { parts: [{ text: 'b' }] } },
      ],
    };
    expect(watch([both, candidate(undefined, { ...stop, index: 0 })]).tap.complete).toBe(false);
    expect(watch([both, candidate(undefined, { ...stop, index: 0 }), candidate(undefined, { ...stop, index: 1 })]).tap.complete).toBe(true);
  });

  it('is complete with a blocked prompt, but not with usage alone', () => {
    expect(watch([{ promptFeedback: { blockReason: 'SAFETY' } }])).toMatchObject({ kinds: ['content'], tap: { complete: true } });
    expect(watch([{ usageMetadata: { promptTokenCount: 1 } }]).tap.complete).toBe(false);
  });

  it('reports an error event in the middle of a stream', () => {
    const { tap, kinds } = watch([candidate([{ text: 'a' }]), { error: { message: 'Overloaded.', status: 'UNAVAILABLE' } }]);
    expect(kinds).toEqual(['content', 'fault']);
    expect(tap.fault).toMatchObject({ message: 'Overloaded.', code: 'UNAVAILABLE', type: 'api_error' });
  });
});

describe('errors', () => {
  const of = (error: object) => vertexAi.fault(403, JSON.stringify([{ error }]));

  it('of missing permissions have a hint with the required role', () => {
    const fault = of({
      code: 403,
      status: 'PERMISSION_DENIED',
      message: "Permission 'aiplatform.endpoints.predict' denied on resource '//x' (or it may not exist).",
    });
    expect(fault).toMatchObject({
      type: 'permission_error',
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('aiplatform.endpoints.predict'),
    });
    expect(fault.hint).toContain('Vertex AI User');
  });

  it('of mixed tools have a hint', () => {
    expect(
      of({ code: 400, status: 'INVALID_ARGUMENT', message: 'Multiple tools are supported only when they are all search tools.' }).hint,
    ).toContain('search tools');
  });

  it('keep the other members of the error and the retry delay', () => {
    expect(of({ code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Busy.', details: [{ retryDelay: '7.5s' }] })).toMatchObject({
      type: 'rate_limit_error',
      extra: { details: [{ retryDelay: '7.5s' }] },
      retryAfterMs: 7500,
    });
  });

  it.each([
    ['Anthropic format', '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'Overloaded'],
    ['OpenAI format', '{"error":{"message":"Bad.","type":"invalid_request_error","param":null,"code":null}}', 'Bad.'],
    ['an HTML page', '<html><title>404</title><p>Not found</p></html>', 'Not found'],
    ['an empty body', '', 'no error message'],
  ])('of other APIs are read: %s', (_name, body, message) => {
    expect(vertexAi.fault(500, body).message).toContain(message);
  });
});

describe('images', () => {
  const settings: object = { region: 'us-central1', project: 'p1' };
  const convertEmbeddings = (response: object) =>
    begin(vertexAi, callOf({ endpoint: 'images/generations', model: 'imagen-4.0', settings })).result?.(JSON.stringify(response));

  it('are returned as base64, without filtered ones', () => {
    expect(convertEmbeddings({ predictions: [{ bytesBase64Encoded: 'AAAA', prompt: 'rewritten' }, { raiFilteredReason: 'No.' }] })).toEqual(
      {
        created: 1_767_312_000,
        data: [{ b64_json: 'AAAA', revised_prompt: 'rewritten' }],
      },
    );
    expect(
      convertEmbeddings({
        ...candidate([{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data: 'BBBB' } }]),
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
      }),
    ).toMatchObject({
      data: [{ b64_json: 'BBBB' }],
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
  });

  it.each([
    ['all images were filtered', { predictions: [{ raiFilteredReason: 'Filtered: 29310472.' }] }, '29310472'],
    ['there are no predictions', {}, 'no reason'],
    ['the model returned only text', candidate([{ text: 'I cannot.' }], stop), 'I cannot.'],
  ])('become an error with status 400 if %s', (_name, response, message) => {
    expect(() => convertEmbeddings(response)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(message) }) as GatewayError,
    );
  });
});

describe('embeddings', () => {
  it('are encoded as base64 floats if the client requests it', () => {
    const call = callOf({ endpoint: 'embeddings', model: 'text-embedding-005', settings: { region: 'eu', project: 'p' } as object });
    const translation = begin(vertexAi, call, JsonBody.of({ input: 'a', encoding_format: 'base64' }));
    const response = { predictions: [{ embeddings: { values: [0.5, -2], statistics: { token_count: 3 } } }] };
    const result = translation.result?.(JSON.stringify(response)) as { data: { embedding: string }[]; usage: object };
    expect([...new Float32Array(Uint8Array.from(Buffer.from(result.data[0]?.embedding ?? '', 'base64')).buffer)]).toEqual([0.5, -2]);
    expect(result.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  });
});
