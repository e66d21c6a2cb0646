import { describe, expect, it } from 'vitest';
import { makePrice } from '../core/cost/price.ts';
import { createPriceBook } from './book.ts';

const call = {
  slug: 'd',
  type: 'deepseek',
  listed: { list: 'deepseek' },
  model: 'deepseek-chat',
  sent: 'deepseek-chat',
  foundation: undefined,
  answered: undefined,
};
const openai = { ...call, type: 'openai', listed: { list: 'openai' } };

describe('createPriceBook', () => {
  it('caches the price of a model until the price can change', () => {
    const priceBook = createPriceBook([]);
    const day = Date.parse('2026-11-22T16:29:30Z');
    const first = priceBook.priceOf(call, day);
    expect(first?.shown['input']).toBe('0.27');
    expect(priceBook.priceOf(call, day + 20_000)).toBe(first);
    expect(priceBook.priceOf(call, day + 61_000)?.shown['input']).toBe('0.135');
    const gptRequest = { ...openai, model: 'gpt-4o', sent: 'gpt-4o' };
    expect(priceBook.priceOf(gptRequest, day)).toBe(priceBook.priceOf(gptRequest, day + 1e12));
  });

  it.each(['', '__proto__', 'constructor', 'x'.repeat(100_000), '\n', '*', '🦉'.repeat(50)])('has no price for the model %j', (model) => {
    expect(createPriceBook([]).priceOf({ ...openai, model, sent: model }, 0)).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'openai2', ''])('has no prices for the list %j', (list) => {
    expect(createPriceBook([]).priceOf({ ...call, listed: { list }, model: 'gpt-4o', sent: 'gpt-4o' }, 0)).toBeUndefined();
  });

  it.each([
    ['slug', 'other'],
    ['model', 'gpt-4o-mini'],
    ['sent', 'gpt-4o-mini'],
    ['foundation', 'gpt-4o-mini'],
    ['answered', 'gpt-4o-mini'],
  ])('distinguishes calls by their %s', (member, value) => {
    const customPrices = {
      isExact: true,
      fits: (name: string) => name === 'other/gpt-4o',
      price: makePrice({ source: 's', prices: { input: 7 } }),
    };
    const firstRequest = { ...openai, model: 'gpt-4o', sent: undefined };
    const priceBook = createPriceBook([customPrices]);
    const otherRequest = { ...firstRequest, [member]: value };
    const inputs = [firstRequest, otherRequest, otherRequest, firstRequest, otherRequest].map(
      (request) => priceBook.priceOf(request, 0)?.shown['input'],
    );
    const price = member === 'slug' ? '7' : '0.15';
    expect(inputs).toEqual(['2.5', price, price, '2.5', price]);
  });

  it('distinguishes a provider of the configuration from one with the same name in a request', () => {
    const priceBook = createPriceBook([]);
    const firstRequest = { ...openai, slug: 'openai', model: 'gpt-4o', sent: 'gpt-4o' };
    const ownRequest = { ...firstRequest, type: 'mock', listed: 'none' as const };
    const inputs = [ownRequest, firstRequest, ownRequest, firstRequest].map((request) => priceBook.priceOf(request, 0)?.shown['input']);
    expect(inputs).toEqual(['0', '2.5', '0', '2.5']);
  });

  it('limits its cache for any number of models', () => {
    const priceBook = createPriceBook([]);
    for (let i = 0; i < 20_000; i += 1) priceBook.priceOf({ ...call, listed: undefined, model: `m${i}`, sent: `m${i}` }, 0);
    expect(priceBook.priceOf({ ...openai, model: 'gpt-4o', sent: 'gpt-4o' }, 0)?.shown['input']).toBe('2.5');
  });
});
