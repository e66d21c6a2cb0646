import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { sizeOfPattern } from './regex-size.ts';

describe('sizeOfPattern()', () => {
  it.each([
    ['abc', 10],
    ['^eu-(west|north)-[0-9]{1,2}$', 60],
    ['(?i)claude.*', 30],
    [String.raw`\p{L}+`, 40],
    ['[[:alpha:]][^\\]]*', 20],
  ])('is small for an ordinary pattern: %s', (pattern, maxSize) => {
    expect(sizeOfPattern(pattern)).toBeLessThan(maxSize);
  });

  it.each([
    ['a{1000}', 1000],
    ['a{1000}'.repeat(1000), 1_000_000],
    ['((a{30}){30}){30}', 27_000],
    ['(a?){1000}', 2000],
    ['(a{500,}){500}', 250_000],
    [`${'('.repeat(10)}a${'){9}'.repeat(10)}`, 1_000_000_000],
    ['[a-z]{999}{999}', 900_000],
    [String.raw`\p{L}{1000}`, 20_000],
    [String.raw`\x{41}{1000}`, 1000],
    ['(a{1000}', 1000],
  ])('is large for a hostile pattern, without compiling it: %.40s', (pattern, minSize) => {
    expect(sizeOfPattern(pattern)).toBeGreaterThanOrEqual(minSize);
  });

  it('is never less than the compiled size', () => {
    const atom = fc.constantFrom('a', '.', '[a-z]', '[^b]', '[[:digit:]]', '[]x]', '\\d', '\\.', '\\pL', '\\x{41}', '^', '$', '\\b', 'é');
    const quantifier = fc.constantFrom('', '', '*', '+?', '?', '{3}', '{2,}', '{1,4}', '{0,3}', '{0}', '{', '{,2}', '{x}');
    const { pattern } = fc.letrec<{ pattern: string; part: string }>((ref) => ({
      part: fc
        .tuple(
          fc.oneof(
            { maxDepth: 4 },
            atom,
            ref('pattern').map((inner) => `(${inner})`),
            ref('pattern').map((inner) => `(?:${inner})`),
          ),
          quantifier,
        )
        .map(([single, rest]) => single + rest),
      pattern: fc
        .tuple(fc.array(ref('part'), { minLength: 1, maxLength: 4 }), fc.constantFrom('', '', '|'))
        .map(([parts, separator]) => parts.join(separator)),
    }));
    fc.assert(
      fc.property(pattern, (text) => {
        let size: number;
        try {
          size = RE2JS.compile(text).programSize();
        } catch {
          return;
        }
        expect(sizeOfPattern(text)).toBeGreaterThanOrEqual(size - 2);
      }),
      { numRuns: 1000 },
    );
  });
});
