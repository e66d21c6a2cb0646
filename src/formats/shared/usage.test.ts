import { expect, it } from 'vitest';
import { readUsage } from './usage.ts';

const usage = (prompt: number, completion: number, total: number, more: object = {}): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: total,
  ...more,
});
const reasoned = (reasoning_tokens: number) => ({ completion_tokens_details: { reasoning_tokens } });
const cached = { prompt_tokens_details: { cached_tokens: 128 } };

it.each([
  ['in the completion', usage(20, 9, 29, reasoned(4)), { prompt: 20, completion: 9, reasoning: 4 }],
  [
    'beside the completion (xAI)',
    usage(10_120, 1499, 14_428, { ...reasoned(2809), ...cached }),
    { prompt: 10_120, completion: 4308, cached: 128, reasoning: 2809 },
  ],
  ['in the total alone (Gemini)', usage(35, 12, 109), { prompt: 35, completion: 74, reasoning: 62 }],
  ['nowhere', usage(35, 12, 47), { prompt: 35, completion: 12 }],
  ['nowhere, of vectors', { prompt_tokens: 5, total_tokens: 5 }, { prompt: 5, completion: 0 }],
  ['nowhere, where the total counts the cache twice', usage(35, 12, 175, cached), { prompt: 35, completion: 12, cached: 128 }],
  [
    'nowhere, where the total counts sound (Mistral)',
    usage(4, 635, 3264, { prompt_audio_seconds: 203 }),
    { prompt: 4, completion: 635, details: { seconds: 203 } },
  ],
  [
    'in the total alone, where there is no sound',
    usage(35, 12, 109, { prompt_audio_seconds: 0 }),
    { prompt: 35, completion: 74, reasoning: 62 },
  ],
  ['nowhere, where there is no total', { input_tokens: 35, output_tokens: 12 }, { prompt: 35, completion: 12 }],
])('reasoning is counted %s', (_, written, wanted) => {
  expect(readUsage(written)).toEqual(wanted);
});

const details = { prompt_tokens_details: { cached_tokens: 30 } };
const beside = { cache_creation_input_tokens: 50 };

it.each([
  ['in the details', usage(100, 9, 109, { prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 50 } }), 50],
  ['beside them, as the gateway writes them', usage(100, 9, 109, { ...details, ...beside }), 50],
  ['not where nothing says that they are part of the prompt', usage(100, 9, 109, beside), undefined],
  ['not where they are more than the prompt', usage(60, 9, 69, { ...details, ...beside }), undefined],
  ['not where there are none', usage(100, 9, 109, { ...details, cache_creation_input_tokens: 0 }), undefined],
])('cache writes are read %s', (_, written, wanted) => {
  expect(readUsage(written)?.cacheWrite).toBe(wanted);
});
