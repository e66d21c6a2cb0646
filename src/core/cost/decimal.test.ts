import { describe, expect, it } from 'vitest';
import { decimalText, parseDecimal } from './decimal.ts';

describe('exact decimals', () => {
  it.each([
    ['0', 0n],
    ['0.15', 150_000_000_000n],
    ['0.000000000001', 1n],
    ['999999999999', 999_999_999_999_000_000_000_000n],
    ['1.5000', 1_500_000_000_000n],
    [1e-7, 100_000n],
    [0.1, 100_000_000_000n],
    ['2.5e3', 2_500_000_000_000_000n],
    ['0.10000000000000000', 100_000_000_000n],
  ])('parses %s', (decimal, pico) => {
    expect(parseDecimal(decimal)).toBe(pico);
  });

  it.each(['', '-1', '1,5', '0.0000000000001', '1e-13', '1e99', 'NaN', 'Infinity', '0x10', '1234567890123', ' 1', Number.NaN, -0.5, 1e300])(
    'does not parse %s',
    (decimal) => {
      expect(parseDecimal(decimal)).toBeUndefined();
    },
  );

  it.each([
    [0, '0'],
    [1, '0.000000000001'],
    [102_000_000, '0.000102'],
    [1_000_000_000_000, '1'],
    [1_000_000_000_001, '1.000000000001'],
    [10_500_000_000_000n, '10.5'],
  ])('formats %s picodollars', (pico, text) => {
    expect(decimalText(pico)).toBe(text);
    expect(parseDecimal(text)).toBe(BigInt(pico));
  });
});
