import { expect, it } from 'vitest';
import { UsageCounts } from './usage.ts';

const usageOf = (...reports: readonly unknown[]) => {
  const counts = new UsageCounts();
  for (const report of reports) counts.add(report);
  return counts.usage;
};

const begin = { input_tokens: 83_555, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 2 };
const message = { type: 'message', input_tokens: 224, output_tokens: 22, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const compaction = {
  type: 'compaction',
  input_tokens: 1000,
  output_tokens: 154,
  cache_read_input_tokens: 2000,
  cache_creation_input_tokens: 300,
  cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
};

it.each<[string, readonly unknown[], unknown]>([
  ['nothing', [undefined, null, {}], undefined],
  ['later values instead of earlier ones', [begin, message], { prompt: 224, completion: 22, cached: 0, cacheWrite: 0 }],
  [
    'the prompt of the start of a stream if its end reports none',
    [
      { ...begin, cache_read_input_tokens: 7 },
      { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 0 },
    ],
    { prompt: 83_562, completion: 0, cached: 7, cacheWrite: 0 },
  ],
  [
    'a prompt that is entirely cached according to the end of the stream',
    [begin, { input_tokens: 0, cache_read_input_tokens: 83_555, output_tokens: 9 }],
    { prompt: 83_555, completion: 9, cached: 83_555, cacheWrite: 0 },
  ],
  [
    'cache reads and writes as part of the prompt',
    [{ input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3, output_tokens: 4 }],
    { prompt: 6, completion: 4, cached: 2, cacheWrite: 3 },
  ],
  [
    'the tokens of a compaction, which the totals do not include',
    [begin, { ...message, iterations: [compaction, message] }],
    { prompt: 3524, completion: 176, cached: 2000, cacheWrite: 300, details: { cache_write_1h: 100 } },
  ],
  [
    'other iterations once, since the totals include them',
    [{ ...message, iterations: [message, null, { ...message, type: 'fallback_message' }] }],
    { prompt: 224, completion: 22, cached: 0, cacheWrite: 0 },
  ],
])('UsageCounts counts %s', (_name, reports, usage) => {
  expect(usageOf(...reports)).toEqual(usage);
});
