import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoded, Offsets } from './strings.ts';
import { oneByte, readable } from './unicode.ts';

describe('readable', () => {
  it('decodes UTF-8 and maps each code unit to its byte offset', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const bytes = oneByte(text);
        const decoded = readable(bytes);
        expect(decoded.text).toBe(text);
        for (let unit = 0; unit <= text.length; unit += 1) {
          const isLowSurrogate = /[\udc00-\udfff]/.test(text[unit] ?? '');
          expect(decoded.from(unit)).toBe(Buffer.byteLength(text.slice(0, isLowSurrogate ? unit - 1 : unit)));
        }
      }),
    );
  });

  it.each([
    // The first and the last character of each length, and the neighbours of the surrogates.
    ['\x7f', '\x7f'],
    ['\xc2\x80', '\u0080'],
    ['\xdf\xbf', '\u07ff'],
    ['\xe0\xa0\x80', '\u0800'],
    ['\xed\x9f\xbf', '\ud7ff'],
    ['\xee\x80\x80', '\ue000'],
    ['\xef\xbf\xbf', '\uffff'],
    ['\xf0\x90\x80\x80', '\u{10000}'],
    ['\xf4\x8f\xbf\xbf', '\u{10ffff}'],
  ])('decodes %j as %j', (bytes, character) => {
    expect(readable(`a${bytes}b`).text).toBe(`a${character}b`);
  });

  it.each([
    ['\xc0\x80', 'longer than it has to be'],
    ['\xc1\xbf', 'longer than it has to be'],
    ['\xe0\x9f\xbf', 'longer than it has to be'],
    ['\xf0\x8f\xbf\xbf', 'longer than it has to be'],
    ['\xed\xa0\x80', 'half a pair'],
    ['\xf4\x90\x80\x80', 'beyond Unicode'],
    ['\xf5\x80\x80\x80', 'beyond Unicode'],
    ['\x80', 'the end of one'],
    ['\xc3', 'the beginning of one'],
    ['\xe2\x82', 'the beginning of one'],
    ['\xe2\x28\xac', 'another character within the sequence'],
    ['\xe2\xc0\xac', 'another start byte within the sequence'],
  ])('does not change %j: %s', (bytes) => {
    expect(readable(`a${bytes}b`).text).toBe(`a${bytes}b`);
    expect(readable(bytes).text).toBe(bytes);
  });
});

describe('the content of a JSON string', () => {
  it.each([
    ['plain', 'plain'],
    [String.raw`a\n\"\/\u00e9`, 'a\n"/é'],
    // Truncated or malformed
    [String.raw`a\n\r\t\b\f\"\x\u00e9\u00E9\u12`, 'a\n\r\t\b\f"xééu12'],
    ['a\\', 'a'],
    ['a\\\nb\n', 'a\nb\n'],
  ])('%j is decoded to %j', (raw, text) => {
    expect(decoded(raw)).toBe(text);
  });

  it('is mapped from decoded characters to the original offsets', () => {
    const raw = String.raw`a\u00e9\nbc\u00E9\u12`;
    const offsets = new Offsets(`"${raw}`, 1);
    expect([0, 1, 2, 3, 4, 4, 5, 6, 7].map((character) => offsets.of(character))).toEqual([1, 2, 8, 10, 11, 11, 12, 18, 20]);
  });
});
