import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../../core/text/units.ts';
import { bytes, duration, percent, usd, withoutZeros } from './format.ts';

describe('usd()', () => {
  it.each<[string | null, string]>([
    [null, 'unknown price'],
    ['0', '$0'],
    ['0.000102', '$0.000102'],
    ['0.00010256', '$0.0001026'],
    ['0.99996', '$1'],
    ['0.99994', '$0.9999'],
    ['1', '$1.00'],
    ['12.345', '$12.35'],
    ['1234.999', '$1,235.00'],
    ['123456789012345678.5', '$123,456,789,012,345,678.50'],
    ['not a number', '$not a number'],
  ])('formats %s as %s', (decimal, text) => expect(usd(decimal)).toBe(text));
});

describe('duration()', () => {
  it.each([null, 0, 0.01, 1.25, 12.5, 812, 1940, 59_960, 125_000, 7_260_000, 987_654_321])('shows %d ms as commands do', (ms) =>
    expect(duration(ms)).toBe(ms === null ? '–' : formatDuration(ms)),
  );
});

describe('withoutZeros()', () => {
  it.each([
    ['4.00 s', '4 s'],
    ['1.50 s', '1.5 s'],
    ['10.0 s', '10 s'],
    ['$1,200.00', '$1,200'],
    ['$0.005', '$0.005'],
    ['$0.01002', '$0.01002'],
    ['1,000', '1,000'],
    ['12.4K', '12.4K'],
    ['0 ms', '0 ms'],
  ])('formats %s as %s', (text, label) => expect(withoutZeros(text)).toBe(label));
});

describe('percent() and bytes()', () => {
  it.each<[number, number, string]>([
    [0, 0, '0 %'],
    [1, 100_000, '< 0.1 %'],
    [5, 100, '5.0 %'],
    [99_999, 100_000, '> 99.9 %'],
    [996, 1000, '99.6 %'],
    [994, 1000, '99 %'],
    [7, 7, '100 %'],
  ])('percent() formats %i of %i as %s', (part, total, text) => expect(percent(part, total)).toBe(text));

  it.each<[number, string]>([
    [999, '999 B'],
    [4096, '4 KB'],
    [50 * 1024 ** 2, '50 MB'],
    [2 * 1024 ** 3, '2 GB'],
  ])('bytes() formats %i as %s', (n, text) => expect(bytes(n)).toBe(text));
});
