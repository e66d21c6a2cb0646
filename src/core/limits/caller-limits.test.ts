import { describe, expect, it } from 'vitest';
import { budgetPattern, compileLimits, parseBudget, parseWindowLimit, windowPattern } from './caller-limits.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('parseWindowLimit()', () => {
  it.each([
    ['60/min', 60, minute],
    ['1/s', 1, second],
    ['200k/min', 200_000, minute],
    ['1.5M/day', 1_500_000, day],
    ['0.001k/h', 1, hour],
    ['2.000001M/h', 2_000_001, hour],
    ['999999999999/h', 999_999_999_999, hour],
  ])('reads %s', (text, max, windowMs) => {
    expect(text).toMatch(new RegExp(windowPattern));
    expect(parseWindowLimit(text)).toMatchObject({ max, windowMs });
  });

  it.each(['0/min', '0.5/min', '1.0005k/s', '0k/day', '999999999999M/s'])('rejects the number of %s', (text) => {
    expect(text).toMatch(new RegExp(windowPattern));
    expect(parseWindowLimit(text)).toBeUndefined();
  });

  it.each(['60', '60/', '/min', '60/minute', '60/m', '60/month', '60 /min', '-1/min', '1e3/min', '60K/min', '٦/min', '60/min '])(
    'does not accept the form %j',
    (text) => {
      expect(text).not.toMatch(new RegExp(windowPattern));
    },
  );
});

describe('parseBudget()', () => {
  it.each([
    ['50USD/month', 50_000_000_000_000n, '50', 'month'],
    ['0.5 USD/day', 500_000_000_000n, '0.5', 'day'],
    ['0USD/week', 0n, '0', 'week'],
    ['0.000000000001USD/day', 1n, '0.000000000001', 'day'],
  ])('reads %s', (text, pico, usd, period) => {
    expect(text).toMatch(new RegExp(budgetPattern));
    expect(parseBudget(text)).toEqual({ pico, usd, period });
  });

  it.each(['50/month', '50EUR/month', '50USD', '50USD/year', '50USD/min', '-1USD/day', '1,5USD/day', '50  USD/day', '$50/month'])(
    'does not accept the form %j',
    (text) => {
      expect(text).not.toMatch(new RegExp(budgetPattern));
    },
  );
});

describe('compileLimits()', () => {
  it.each([undefined, {}])('returns nothing for %j', (written) => {
    expect(compileLimits(written)).toBeUndefined();
  });

  it('compiles each limit that is written', () => {
    expect(compileLimits({ rate: '60/min', concurrency: 2 })).toEqual({
      rate: { max: 60, windowMs: minute, unit: 'minute' },
      tokens: undefined,
      budget: undefined,
      concurrency: 2,
    });
  });
});
