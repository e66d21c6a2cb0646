import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownTextRedactor } from './known-text-redactor.ts';

describe('KnownTexts', () => {
  it.each([
    ['a text', ['hunter22'], 'a hunter22 b', 'a ******** b', 'a … b'],
    ['each of several texts', ['hunter22', 'abcd'], 'hunter22,abcd', '********,****', '…,…'],
    ['the longer of two texts with the same prefix', ['hunter22', 'hunter22-b'], 'hunter22-b', '**********', '…'],
    ['the shorter of two texts with the same prefix', ['hunter22', 'hunter22-b'], 'hunter22-c', '********-c', '…c'],
    ['two overlapping texts', ['abcdef', 'efghij'], 'abcdefghij', '**********', '…ghij'],
    ['a truncated text in cut() only', ['hunter22-and-more'], 'hunter22-an…', 'hunter22-an…', '……'],
    ['no prefix of less than 8 characters', ['hunter22'], 'hunter2', 'hunter2', 'hunter2'],
    ['no text of less than 4 characters', ['abc'], 'abc', 'abc', 'abc'],
    ['nothing without known texts', [], 'abcdef', 'abcdef', 'abcdef'],
    ['a text beside a surrogate pair', ['hunter22'], '🙂hunter22🙂', '🙂********🙂', '🙂…🙂'],
  ])('hides %s', (_name, texts, text, hidden, cut) => {
    const known = new KnownTextRedactor(texts);
    expect(known.mask(text)).toBe(hidden);
    expect(known.redact(text)).toBe(cut);
  });

  it('hides every occurrence and nothing else', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(word), fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 40 }), (texts, text) => {
        const hidden = Array.from({ length: text.length }, () => false);
        for (const one of texts)
          for (let at = text.indexOf(one); at >= 0; at = text.indexOf(one, at + 1)) hidden.fill(true, at, at + one.length);
        expect(new KnownTextRedactor(texts).mask(text)).toBe(
          text.replaceAll(/[^]/g, (sign, at: number) => (hidden[at] === true ? '*' : sign)),
        );
      }),
    );
  });
});
