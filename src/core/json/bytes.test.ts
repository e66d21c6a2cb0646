import { expect, it } from 'vitest';
import { JsonBytes } from './bytes.ts';

/** Returns what was written, from a buffer that is too small for most values. */
function writtenText(write: (out: JsonBytes) => void): string {
  const out = new JsonBytes(16);
  out.begin();
  write(out);
  const { bytes, from: start, to: end } = out.end();
  expect(out.length).toBe(end - start);
  return bytes.toString('utf8', start, end);
}

const characters = Array.from({ length: 300 }, (_, code) => String.fromCharCode(code));
const oddTexts = ['a "quoted" \\ text', 'é', '日本', '\u2028', '\ud800', '\n', '\u007f', ...characters];
const texts = ['', 'plain', 'x'.repeat(1000), ...oddTexts, ...oddTexts.map((text) => `${'x'.repeat(60)}${text}`), '…', 'x…y…'];

it('JsonBytes writes strings as JSON', () => {
  expect(texts.map((text) => writtenText((out) => out.text(text)))).toEqual(texts.map((text) => JSON.stringify(text)));
  expect(writtenText((out) => out.text(null))).toBe('null');
});

it('JsonBytes writes truncated strings with the ellipsis as an ASCII escape', () => {
  const cutTexts = texts.map((text) => `${text}…`);
  const lines = cutTexts.map((text) => writtenText((out) => out.cutText(text)));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(cutTexts);
  expect(lines.filter((line) => !line.endsWith(String.raw`\u2026"`))).toEqual([]);
});

const random = (i: number): number => (i * 0.618_033_988_749_895) % 1;
const special = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1e21,
  1e-7,
  0.0005,
  0.001,
  0.9995,
  1.0005,
  123.456,
  1_795_443_903_257,
  1_795_443_903_257.5,
  999_999_999.999,
  1e9,
  1e9 + 0.5,
  1e12,
  999_999_999_999_999,
  1e15,
  1e15 + 0.5,
  2 ** 53,
  1e300,
  Number.MIN_VALUE,
  Number.NaN,
  Number.POSITIVE_INFINITY,
];
const numbers = [
  ...special,
  ...Array.from({ length: 2000 }, (_, i) => i / 1000),
  ...Array.from({ length: 2000 }, (_, i) => random(i) * 10 ** (i % 12)),
  ...Array.from({ length: 2000 }, (_, i) => Math.round(random(i) * 10 ** (i % 14)) / 1000),
  ...Array.from({ length: 2000 }, (_, i) => Math.round(random(i) * 10 ** (i % 16))),
];

it('JsonBytes writes numbers as JSON', () => {
  expect(numbers.map((number) => writtenText((out) => out.number(number)))).toEqual(numbers.map((number) => JSON.stringify(number)));
  expect(writtenText((out) => out.number(null))).toBe('null');
});

it('JsonBytes writes fractions as JSON that parses to the same number', () => {
  const ratios = [
    0,
    1,
    0.5,
    1e-15,
    1e-16,
    0.1 + 0.2,
    1 / 3,
    -0.5,
    1.5,
    ...Array.from({ length: 2000 }, (_, i) => roundTo15Digits(random(i))),
  ];
  const texts = ratios.map((ratio) => writtenText((out) => out.ratio(ratio)));
  expect(texts.map(Number)).toEqual(ratios);
  expect(texts[2]).toBe('0.5');
  expect(texts[3]).toBe('0.000000000000001');
});

const roundTo15Digits = (ratio: number): number => Math.floor(ratio * 1e15) / 1e15;

it('JsonBytes keeps the returned pieces valid until its memory is reused', () => {
  const out = new JsonBytes(64);
  const pieces = Array.from({ length: 20 }, (_, i) => {
    out.begin();
    out.ascii(`[${i},`);
    out.append(Buffer.from('"span'));
    out.appendRange(Buffer.from('a"b'), 1, 2);
    out.character(0x2c);
    out.json('"é"]');
    return out.end();
  });
  out.begin();
  out.ascii('dropped');
  out.cut(4);
  expect(String.fromCharCode(...out.copyFrom(1))).toBe('rop');
  out.cut(0);
  expect(pieces.map(({ bytes, from: start, to: end }) => bytes.toString('utf8', start, end))).toEqual(
    pieces.map((_, i) => `[${i},"span","é"]`),
  );
  expect(out.end()).toMatchObject({ from: out.end().to });
  out.reuse();
  out.begin();
  expect(out.end()).toMatchObject({ from: 0, to: 0 });
});
