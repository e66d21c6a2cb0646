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
  ])('hides %s', (_name, texts, text, hidden, expectedCut) => {
    const redactor = new KnownTextRedactor(texts);
    expect(redactor.mask(text)).toBe(hidden);
    expect(redactor.redact(text)).toBe(expectedCut);
  });

  it('hides every occurrence and nothing else', () => {
    const secretText = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(secretText), fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 40 }), (texts, text) => {
        const hidden = Array.from({ length: text.length }, () => false);
        for (const secret of texts)
          for (let offset = text.indexOf(secret); offset >= 0; offset = text.indexOf(secret, offset + 1))
            hidden.fill(true, offset, offset + secret.length);
        expect(new KnownTextRedactor(texts).mask(text)).toBe(
          text.replaceAll(/[^]/g, (character, at: number) => (hidden[at] === true ? '*' : character)),
        );
      }),
    );
  });
});
