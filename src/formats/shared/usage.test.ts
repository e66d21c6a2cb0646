import { expect, it } from 'vitest';
import { readUsage } from './usage.ts';

const usage = (prompt: number, completion: number, total: number, extra: object = {}): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: total,
  ...extra,
});
const reasoningDetails = (reasoning_tokens: number) => ({ completion_tokens_details: { reasoning_tokens } });
const cached = { prompt_tokens_details: { cached_tokens: 128 } };

it.each([
  ['as part of the completion tokens', usage(20, 9, 29, reasoningDetails(4)), { prompt: 20, completion: 9, reasoning: 4 }],
  [
    'in addition to the completion tokens (xAI)',
    usage(10_120, 1499, 14_428, { ...reasoningDetails(2809), ...cached }),
    { prompt: 10_120, completion: 4308, cached: 128, reasoning: 2809 },
  ],
  ['from the total (Gemini)', usage(35, 12, 109), { prompt: 35, completion: 74, reasoning: 62 }],
  ['nowhere', usage(35, 12, 47), { prompt: 35, completion: 12 }],
  ['not for embeddings', { prompt_tokens: 5, total_tokens: 5 }, { prompt: 5, completion: 0 }],
  ['not if the total counts the cache twice', usage(35, 12, 175, cached), { prompt: 35, completion: 12, cached: 128 }],
  [
    'not if the total includes audio (Mistral)',
    usage(4, 635, 3264, { prompt_audio_seconds: 203 }),
    { prompt: 4, completion: 635, details: { seconds: 203 } },
  ],
  ['from the total if there is no audio', usage(35, 12, 109, { prompt_audio_seconds: 0 }), { prompt: 35, completion: 74, reasoning: 62 }],
  ['not without a total', { input_tokens: 35, output_tokens: 12 }, { prompt: 35, completion: 12 }],
])('readUsage counts reasoning tokens %s', (_, details, expected) => {
  expect(readUsage(details)).toEqual(expected);
});

const details = { prompt_tokens_details: { cached_tokens: 30 } };
const extraCounts = { cache_creation_input_tokens: 50 };

it.each([
  ['in the details of the prompt tokens', usage(100, 9, 109, { prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 50 } }), 50],
  ['next to the details, as the gateway writes them', usage(100, 9, 109, { ...details, ...extraCounts }), 50],
  ['not if they may not be part of the prompt tokens', usage(100, 9, 109, extraCounts), undefined],
  ['not if they exceed the prompt tokens', usage(60, 9, 69, { ...details, ...extraCounts }), undefined],
  ['not if they are 0', usage(100, 9, 109, { ...details, cache_creation_input_tokens: 0 }), undefined],
])('readUsage reads cache writes %s', (_, details, expected) => {
  expect(readUsage(details)?.cacheWrite).toBe(expected);
});

it('readUsage reads the lifetime of cache writes as the gateway writes it', () => {
  const cache_creation = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 40 };
  expect(readUsage(usage(100, 9, 109, { ...details, ...extraCounts, cache_creation }))).toMatchObject({
    cacheWrite: 50,
    details: { cache_write_1h: 40 },
  });
  expect(readUsage(usage(100, 9, 109, { cache_creation }))).not.toHaveProperty('details');
});
