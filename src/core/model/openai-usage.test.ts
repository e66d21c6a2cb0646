import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openaiUsage, tierField } from './openai-usage.ts';
import type { Usage } from './usage.ts';

describe('openaiUsage', () => {
  it('includes cached, reasoning and audio tokens', () => {
    expect(openaiUsage({ prompt: 5, completion: 11, cached: 2, reasoning: 4, audioIn: 1, audioOut: 3 })).toEqual({
      prompt_tokens: 5,
      completion_tokens: 11,
      total_tokens: 16,
      prompt_tokens_details: { cached_tokens: 2, audio_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 3 },
    });
  });

  it('writes 0 for unknown counts', () => {
    expect(openaiUsage({ prompt: 1, completion: 2 })).toMatchObject({
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    });
  });

  it.each([
    [{ cached: 3, cacheWrite: 0 }, { cache_read_input_tokens: 3 }],
    [
      { cached: 3, cacheWrite: 4 },
      { cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
    ],
    [{ cached: 0, cacheWrite: 4 }, { cache_creation_input_tokens: 4 }],
    [{ cached: 3 }, {}],
  ])('adds cache counts for providers that report cache writes: %o', (parts, extra) => {
    const usage = openaiUsage({ prompt: 10, completion: 1, ...parts });
    const { cache_read_input_tokens, cache_creation_input_tokens } = usage;
    expect(JSON.parse(JSON.stringify({ cache_read_input_tokens, cache_creation_input_tokens }))).toEqual(extra);
  });

  it('splits cache writes by their lifetime if some live for an hour', () => {
    const usage = { prompt: 10, completion: 1, cacheWrite: 7 };
    expect(openaiUsage({ ...usage, details: { cache_write_1h: 4 } })).toMatchObject({
      cache_creation_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
    });
    expect(openaiUsage({ ...usage, details: { web_searches: 1 } })).not.toHaveProperty('cache_creation');
  });

  it('adds image tokens if there are some', () => {
    expect(openaiUsage({ prompt: 10, completion: 5, details: { image_in: 7, image_out: 9 } })).toMatchObject({
      prompt_tokens_details: { image_tokens: 7 },
      completion_tokens_details: { image_tokens: 5 },
    });
    expect(openaiUsage({ prompt: 10, completion: 5 }).prompt_tokens_details).not.toHaveProperty('image_tokens');
  });

  it('keeps the sums consistent for any reported usage', () => {
    const tokens = fc.oneof(fc.nat(), fc.double());
    const part = fc.option(tokens, { nil: undefined });
    const usages = fc.record({ prompt: tokens, completion: tokens, cached: part, cacheWrite: part, reasoning: part });
    fc.assert(
      fc.property(usages, (raw) => {
        const usage = openaiUsage(raw as Usage);
        expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
        expect(usage.prompt_tokens_details.cached_tokens).toBeLessThanOrEqual(usage.prompt_tokens);
        expect(usage.completion_tokens_details.reasoning_tokens).toBeLessThanOrEqual(usage.completion_tokens);
        expect(usage.total_tokens).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

it.each([
  ['flex', { service_tier: 'flex' }],
  ['priority', { service_tier: 'priority' }],
  ['batch', {}],
  ['provisioned_throughput', {}],
  [undefined, {}],
])('tierField writes the tier %s as %o', (tier, expected) => {
  expect(tierField({ prompt: 1, completion: 1, ...(tier === undefined ? {} : { details: { tier } }) })).toEqual(expected);
});
