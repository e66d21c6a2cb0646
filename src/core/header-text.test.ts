import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHeader } from './header-text.ts';

it.each([
  ['gpt-4o', 'gpt-4o'],
  ['', ''],
  ['a b', 'a%20b'],
  ['文', '%E6%96%87'],
  ['x\ud800y', 'x%EF%BF%BDy'],
  ['a\r\nb: c', 'a%0D%0Ab%3A%20c'],
])('writes %j as %s', (text, header) => {
  expect(toHeader(text)).toBe(header);
});

it('makes a bounded header of any text, and cuts no escape', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 3000 }),
      (text) => {
        const header = toHeader(text);
        expect(header).toMatch(/^(?:[\x21-\x24\x26-\x7e]|%[0-9A-F]{2}|%)*$/);
        expect(header.length).toBeLessThanOrEqual(515);
      },
    ),
  );
});
