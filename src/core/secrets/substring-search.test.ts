import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSubstringSearch } from './substring-search.ts';

function find(text: string, needles: readonly string[]): string[] {
  const out: string[] = [];
  const bytes = Buffer.from(text);
  createSubstringSearch(needles.map((needle) => Buffer.from(needle))).each(bytes, (from, to) => out.push(`${from}-${to}`));
  return out.toSorted();
}

const long = 'abcdefghijklmnopqrst';

describe('createSubstringSearch', () => {
  it.each<[string, string, string[], string[]]>([
    ['a needle at the very start and at the very end', `${long}|${long}`, [long], ['0-20', '21-41']],
    ['a needle of exactly the window', `..${long.slice(0, 16)}..`, [long.slice(0, 16)], ['2-18']],
    ['both of two that begin together', `.${long}.`, [long.slice(0, 17), long], ['1-18', '1-21']],
    ['two that overlap', `.${long}.`, [long.slice(0, 12), long.slice(7)], ['1-13', '8-21']],
    ['the shorter needle if the longer one does not match', `.${long.slice(0, 18)}XX.`, [long.slice(0, 17), long], ['1-18']],
    ['short and long needles', `pass123 ${long}`, ['pass123', long], ['0-7', '8-28']],
    ['nothing in a text that ends in the middle of a needle', long.slice(0, 19), [long], []],
    ['nothing without needles', long, [], []],
  ])('finds %s', (_name, text, needles, expected) => {
    expect(find(text, needles)).toEqual(expected);
  });

  it('finds a needle at any position among similar bytes', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
    const needle = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 24 });
    fc.assert(
      fc.property(piece, needle, piece, fc.array(needle, { maxLength: 3 }), (before, sought, after, others) => {
        const bytes = Buffer.from(`${before}${sought}${after}`);
        createSubstringSearch([sought, ...others].map((one) => Buffer.from(one))).each(Buffer.from(bytes), (from, to) =>
          bytes.fill('*', from, to),
        );
        return !bytes.includes(sought);
      }),
      { numRuns: 500 },
    );
  });
});
