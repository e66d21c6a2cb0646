import { describe, expect, it } from 'vitest';
import { emptyRecord } from '../records/empty.ts';
import type { UsageRecord } from '../records/record.ts';
import { costOf } from './cost.ts';
import { makePrice } from './price.ts';

const price = makePrice({ source: 's', prices: { input: 3, output: 15, cached_input: '0.3' } });
const usage = (counts: Partial<UsageRecord>): UsageRecord => ({ ...emptyRecord.usage, source: 'reported', ...counts });

describe('costOf', () => {
  it.each([
    ['counts NaN and negative numbers as 0', { prompt: Number.NaN, completion: -1, cached: Number.NEGATIVE_INFINITY }, '0'],
    ['counts an infinite number as 0', { prompt: Number.POSITIVE_INFINITY }, '0'],
    ['returns null for a count that is not plausible', { prompt: 1e300 }, null],
    ['accepts the largest plausible count', { prompt: 1e12, completion: 0 }, '3000000'],
    ['limits the parts of a count to the count itself', { prompt: 1, cached: 1_000_000, reasoning: 7 }, '0.3'],
    [
      'prices image tokens without a price of their own as text tokens',
      { prompt: 1_000_000, completion: 1_000_000, details: { image_in: 5, image_out: 5 } },
      '18',
    ],
    ['counts a negative part as 0', { prompt: 1_000_000, cached: -5 }, '3'],
  ])('%s', (_name, counts, usd) => {
    expect(costOf(usage(counts as Partial<UsageRecord>), price).usd).toBe(usd);
  });

  it('returns null for a cost that exceeds the range of a store', () => {
    const expensive = makePrice({ source: 's', prices: { input: 999_999, output: 1 } });
    expect(costOf(usage({ prompt: 9_000_000_000_000 }), expensive).usd).toBeNull();
    expect(costOf(usage({ prompt: 9_000_000 }), expensive).usd).toBe('8999991');
  });

  it('does not lose a picodollar if the product exceeds the range of a number', () => {
    const exactPrice = makePrice({ source: 's', prices: { input: '123.456789', output: '0.000001' } });
    // 9876543219 × 123456789 picodollars and 1 more
    expect(costOf(usage({ prompt: 9_876_543_219, completion: 1 }), exactPrice).usd).toBe('1219326.312237463792');
  });

  it('rounds seconds of audio to whole milliseconds, without floating-point errors', () => {
    const audioPrice = makePrice({ source: 's', prices: { audio_minute: '0.006' } });
    const cost = (seconds: number): string | null => costOf(usage({ details: { seconds } }), audioPrice).usd;
    expect([cost(16.1), cost(16.1001), cost(60)]).toEqual(['0.00161', '0.0016101', '0.006']);
  });

  it.each([
    ['charges nothing for tokens if only audio minutes have a price', {}, '0.006'],
    ['charges prompt tokens in addition to audio minutes', { input: 3 }, null],
    ['charges prompt and completion tokens in addition to audio minutes', { input: 3, output: 15 }, '18.006'],
  ])('%s', (_name, prices, usd) => {
    const audioPrice = makePrice({ source: 's', prices: { audio_minute: '0.006', ...prices } });
    const millionTokens = { prompt: 1_000_000, completion: 1_000_000 };
    expect(costOf(usage({ ...millionTokens, details: { seconds: 60 } }), audioPrice).usd).toBe(usd);
    expect(costOf(usage({ ...millionTokens, completion: 0, details: { seconds: 60 } }), audioPrice).usd).toBe(
      usd === '0.006' ? usd : '3.006',
    );
  });

  it.each([
    [false, '18'],
    [true, null],
  ])('prices audio tokens without a price of their own as text tokens, unless audio is priced apart (%s)', (audioSeparate, usd) => {
    const textPrice = makePrice({ source: 's', prices: { input: 3, output: 15 }, soundApart: audioSeparate });
    const millionTokens = { prompt: 1_000_000, completion: 1_000_000 };
    expect(costOf(usage({ ...millionTokens, audio_in: 1_000_000, audio_out: 1_000_000 }), textPrice).usd).toBe(usd);
    expect(costOf(usage({ ...millionTokens, audio_in: 7 }), textPrice).usd).toBe(usd);
    expect(costOf(usage({ ...millionTokens, audio_out: 7 }), textPrice).usd).toBe(usd);
  });

  it('uses the price of each unit in the last long-prompt row that names it', () => {
    const longRows = [
      { above: 100, prices: { input: 6 } },
      { above: 1000, prices: { output: 30 } },
    ];
    const tiered = makePrice({ source: 's', prices: { input: 3, output: 15 }, long: longRows });
    const cost = (prompt: number): string | null => costOf(usage({ prompt, completion: 1 }), tiered).usd;
    expect([cost(100), cost(200), cost(2000)]).toEqual(['0.000315', '0.001215', '0.01203']);
  });

  it('marks the source of a cost that is based on estimated usage', () => {
    const sources = (['reported', 'estimated', 'none'] as const).map((source) => costOf(usage({ prompt: 1, source }), price).source);
    expect(sources).toEqual(['s', 's, usage estimated', 's']);
  });

  it('returns no cost without a price', () => {
    expect(costOf(usage({ prompt: 1 }), undefined)).toEqual({ usd: null, source: null, prices: {} });
  });

  it('rounds half a picodollar up', () => {
    const flexPrice = makePrice({ source: 's', prices: { input: '0.000001' }, tiers: { flex: '0.5' } });
    expect(costOf(usage({ prompt: 1, details: { tier: 'flex' } }), flexPrice).usd).toBe('0.000000000001');
    expect(costOf(usage({ prompt: 2, details: { tier: 'flex' } }), flexPrice).usd).toBe('0.000000000001');
    expect(costOf(usage({ prompt: 3, details: { tier: 'flex' } }), flexPrice).usd).toBe('0.000000000002');
  });

  it('is unknown for code in containers without a price for them', () => {
    const used = usage({ prompt: 1000, details: { containers: 2 } });
    expect(costOf(used, makePrice({ source: 's', prices: { input: 2 } })).usd).toBeNull();
    expect(costOf(used, makePrice({ source: 's', prices: { input: 2, container: '0.03' } })).usd).toBe('0.062');
    expect(costOf(used, makePrice({ source: 's', prices: { input: 0, container: 0 } })).usd).toBe('0');
  });

  it('applies the factor of a tier to tokens, not to searches', () => {
    const prices = { input: 2, output: 8, web_searches: 10, file_searches: '2.5' };
    const flexPrice = makePrice({ source: 's', prices, tiers: { flex: '0.5' } });
    const details = { tier: 'flex', web_searches: 3, file_searches: 2 };
    // (1000 × 2 + 500 × 8) / 1,000,000 × 0.5 + 3 × 0.01 + 2 × 0.0025
    expect(costOf(usage({ prompt: 1000, completion: 500, details }), flexPrice).usd).toBe('0.038');
    expect(costOf(usage({ prompt: 1000, completion: 500, details: { ...details, tier: 'default' } }), flexPrice).usd).toBe('0.041');
  });

  it('returns null for a tier without a price, whatever its name is', () => {
    for (const tier of ['priority', '__proto__', 'constructor', 'toString'])
      expect(costOf(usage({ prompt: 1, details: { tier } }), price).usd, tier).toBeNull();
  });

  it('returns null for an image format without a price, whatever its name is', () => {
    const imagePrice = makePrice({ source: 's', prices: {}, images: { '1024x1024': '0.04' } });
    const cost = (image: string): string | null => costOf(usage({ details: { images: 2, image } }), imagePrice).usd;
    expect(cost('1024x1024')).toBe('0.08');
    const tokenAndImagePrice = makePrice({ source: 's', prices: { input: 3, output: 15 }, images: { '*': '0.04' } });
    expect(costOf(usage({ prompt: 1_000_000, completion: 1_000_000, details: { images: 1 } }), tokenAndImagePrice).usd).toBe('18');
    for (const image of ['', '512x512', '__proto__', 'constructor', 'toString/hd', 'hd/toString']) expect(cost(image), image).toBeNull();
  });
});
