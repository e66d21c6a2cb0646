import { expect, it } from 'vitest';
import { LabelValues } from './label-values.ts';

const identity = (text: string): string => text;

it('returns "-" for a missing value', () => {
  const values = new LabelValues(identity);
  expect([null, undefined, ''].map((value) => values.of('model', value))).toEqual(['-', '-', '-']);
});

it('allows a hundred values per label', () => {
  const values = new LabelValues(identity);
  const seen = new Set(Array.from({ length: 300 }, (_, n) => values.of('model', `m${n}`)));
  expect(seen.size).toBe(101);
  expect(values.of('model', 'm3')).toBe('m3');
  expect(values.of('model', 'm200')).toBe('other');
  expect(values.of('key', 'm200')).toBe('m200');
});

it('reserves half of the values for successful requests', () => {
  const values = new LabelValues(identity);
  for (let n = 0; n < 300; n += 1) values.of('model', `junk${n}`, false);
  expect(values.of('model', 'junk299', false)).toBe('other');
  expect(values.isProvisional).toBe(true);
  expect(values.of('model', 'real')).toBe('real');
  expect(values.of('model', 'real', false)).toBe('real');
});

it('truncates long values', () => {
  expect(new LabelValues(identity).of('model', 'x'.repeat(500))).toHaveLength(128);
});

it.each([
  ['sent by the client', (pair: string) => `a${pair.charAt(0)}`, `a\ufffd`],
  ['left by truncation', (pair: string) => `${'x'.repeat(127)}${pair}`, `${'x'.repeat(127)}\ufffd`],
])('maps all lone surrogates to one value: %s', (_, value, expected) => {
  const values = new LabelValues(identity);
  expect(['\u{1f600}', '\u{20000}'].map((pair) => values.of('model', value(pair)))).toEqual([expected, expected]);
});

it('masks a value before it is truncated', () => {
  const values = new LabelValues((text) => text.replaceAll('y'.repeat(20), '***'));
  expect(values.of('model', `${'x'.repeat(120)}${'y'.repeat(20)}`)).toBe(`${'x'.repeat(120)}***`);
});
