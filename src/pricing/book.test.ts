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
    const book = createPriceBook([]);
    const day = Date.parse('2026-11-22T16:29:30Z');
    const first = book.priceOf(call, day);
    expect(first?.shown['input']).toBe('0.27');
    expect(book.priceOf(call, day + 20_000)).toBe(first);
    expect(book.priceOf(call, day + 61_000)?.shown['input']).toBe('0.135');
    const gpt = { ...openai, model: 'gpt-4o', sent: 'gpt-4o' };
    expect(book.priceOf(gpt, day)).toBe(book.priceOf(gpt, day + 1e12));
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
    const own = {
      pattern: 'other/gpt-4o',
      isExact: true,
      fits: (name: string) => name === 'other/gpt-4o',
      price: makePrice({ source: 's', prices: { input: 7 } }),
    };
    const one = { ...openai, model: 'gpt-4o', sent: undefined };
    const book = createPriceBook([own]);
    const other = { ...one, [member]: value };
    const inputs = [one, other, other, one, other].map((each) => book.priceOf(each, 0)?.shown['input']);
    const price = member === 'slug' ? '7' : '0.15';
    expect(inputs).toEqual(['2.5', price, price, '2.5', price]);
  });

  it('distinguishes a provider of the configuration from one with the same name in a request', () => {
    const book = createPriceBook([]);
    const one = { ...openai, slug: 'openai', model: 'gpt-4o', sent: 'gpt-4o' };
    const own = { ...one, type: 'mock', listed: 'none' as const };
    const inputs = [own, one, own, one].map((each) => book.priceOf(each, 0)?.shown['input']);
    expect(inputs).toEqual(['0', '2.5', '0', '2.5']);
  });

  it('limits its cache for any number of models', () => {
    const book = createPriceBook([]);
    for (let i = 0; i < 20_000; i += 1) book.priceOf({ ...call, listed: undefined, model: `m${i}`, sent: `m${i}` }, 0);
    expect(book.priceOf({ ...openai, model: 'gpt-4o', sent: 'gpt-4o' }, 0)?.shown['input']).toBe('2.5');
  });
});
