import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSubstringSearch } from './substring-search.ts';

function find(text: string, terms: readonly string[]): string[] {
  const matches: string[] = [];
  const bytes = Buffer.from(text);
  createSubstringSearch(terms.map((term) => Buffer.from(term))).each(bytes, (start, end) => matches.push(`${start}-${end}`));
  return matches.toSorted();
}

const longTerm = 'abcdefghijklmnopqrst';

describe('createSubstringSearch', () => {
  it.each<[string, string, string[], string[]]>([
    ['a needle at the very start and at the very end', `${longTerm}|${longTerm}`, [longTerm], ['0-20', '21-41']],
    ['a needle of exactly the window', `..${longTerm.slice(0, 16)}..`, [longTerm.slice(0, 16)], ['2-18']],
    ['both of two that begin together', `.${longTerm}.`, [longTerm.slice(0, 17), longTerm], ['1-18', '1-21']],
    ['two that overlap', `.${longTerm}.`, [longTerm.slice(0, 12), longTerm.slice(7)], ['1-13', '8-21']],
    ['the shorter needle if the longer one does not match', `.${longTerm.slice(0, 18)}XX.`, [longTerm.slice(0, 17), longTerm], ['1-18']],
    ['short and long needles', `pass123 ${longTerm}`, ['pass123', longTerm], ['0-7', '8-28']],
    ['nothing in a text that ends in the middle of a needle', longTerm.slice(0, 19), [longTerm], []],
    ['nothing without needles', longTerm, [], []],
  ])('finds %s', (_name, text, terms, expected) => {
    expect(find(text, terms)).toEqual(expected);
  });

  it('finds a needle at any position among similar bytes', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
    const termArbitrary = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 24 });
    fc.assert(
      fc.property(piece, termArbitrary, piece, fc.array(termArbitrary, { maxLength: 3 }), (before, term, after, otherTerms) => {
        const bytes = Buffer.from(`${before}${term}${after}`);
        createSubstringSearch([term, ...otherTerms].map((text) => Buffer.from(text))).each(Buffer.from(bytes), (start, end) =>
          bytes.fill('*', start, end),
        );
        return !bytes.includes(term);
      }),
      { numRuns: 500 },
    );
  });
});
