import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CachedPart, LineParser } from './line-parser.ts';

const parseNumber = (text: string): number | undefined => {
  const line = new LineParser(text);
  const value = line.readNumber();
  return line.isValid && text[line.at] === ',' ? value : undefined;
};

describe('Line.number()', () => {
  it.each([
    ['0,', 0],
    ['12.5,', 12.5],
    ['12.,', 12],
    ['123456789012345,', 123_456_789_012_345],
    ['0.00000000000001,', 1e-14],
    ['9007199254740993,', undefined],
    ['0.3000000000000004,', undefined],
    [',', undefined],
    ['.5,', undefined],
    ['1.2.3,', undefined],
    ['-1,', undefined],
    ['1e3,', undefined],
    ['null,', undefined],
    ['1}', undefined],
    ['1', undefined],
  ])('parses a plain decimal or returns nothing: %s', (text, expected) => {
    expect(parseNumber(text)).toBe(expected);
  });

  it('returns the nearest number or nothing', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e15 }), fc.nat(20), (digits, decimals) => {
        const text = (digits / 10 ** decimals).toFixed(decimals);
        const found = parseNumber(`${text},`);
        if (found !== undefined || text.length < 16) expect(found).toBe(Number(text));
      }),
    );
  });
});

describe('Line string methods', () => {
  it.each([
    ['plain","', 'plain'],
    ['","', ''],
    [`${'x'.repeat(399)}"`, 'x'.repeat(399)],
    [`${'x'.repeat(400)}"`, undefined],
    ['~ !"', '~ !'],
    ['\x7f"', undefined],
    ['\x1f"', undefined],
    ['\xe9"', undefined],
    [String.raw`a\n"`, undefined],
    ['open', undefined],
  ])('readPlainText() accepts only short printable ASCII without escapes: %j', (text, expected) => {
    const line = new LineParser(text);
    const found = line.readPlainText();
    expect([line.isValid ? found : undefined, line.at]).toEqual([expected, expected === undefined ? 0 : expected.length + 1]);
  });

  it.each([
    ['a"b', 2],
    [String.raw`a\"b"c`, 5],
    [String.raw`a\\"b"`, 4],
    [String.raw`\\\"""`, 5],
    ['open', undefined],
    [String.raw`open\"`, undefined],
  ])('skipText() skips a string with any content: %j', (text, end) => {
    const line = new LineParser(text);
    line.skipText();
    expect(line.isValid ? line.at : undefined).toBe(end);
  });
});

it('readCached() returns the text up to and including the mark, repeated or new', () => {
  const cachedPart = new CachedPart(';');
  const texts = ['', ';', 'a;', 'a;', 'ab;', 'a', 'a;', 'b'];
  const results = texts.map((text) => {
    const line = new LineParser(`<${text}>`);
    line.expect('<');
    const found = line.readCached(cachedPart);
    return line.isValid ? [found, line.at] : undefined;
  });
  expect(results).toEqual([undefined, [';', 2], ['a;', 3], ['a;', 3], ['ab;', 4], undefined, ['a;', 3], undefined]);
});
