import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromHeader, headerList, toHeader } from './header-text.ts';

it.each([
  ['gpt-4o', 'gpt-4o'],
  ['', ''],
  ['a b', 'a%20b'],
  ['文', '%E6%96%87'],
  ['x\ud800y', 'x%EF%BF%BDy'],
  ['a\r\nb: c', 'a%0D%0Ab%3A%20c'],
])('toHeader encodes %j as %s', (text, header) => {
  expect(toHeader(text)).toBe(header);
});

it.each([
  ['plain, as long as the limit', 'abcdefgh', 'abcdefgh'],
  ['plain, longer', 'abcdefghi', 'abcdefgh...'],
  ['longer only when it is encoded', 'ab文', 'ab%E6%96...'],
  ['exactly 8 bytes when it is encoded', 'cdé', 'cd%C3%A9'],
  ['truncated after a percent sign', 'abcdefg é', 'abcdefg...'],
  ['truncated after a percent sign and one digit', 'abcdef é', 'abcdef...'],
  ['truncated after a complete escape', 'abcde é', 'abcde%20...'],
])('toHeader limits to 8 bytes a text that is %s', (_name, text, header) => {
  expect(toHeader(text, 8)).toBe(header);
});

it.each([
  ['plain', 'plain'],
  ['', ''],
  ['\u00c3\u00bc', 'ü'],
  ['a\u00c3\u00bcb', 'aüb'],
  ['\u00fc', '\u00fc'],
  ['\u00c3\u00bc \u00fc', '\u00c3\u00bc \u00fc'],
  ['\u00c3\u00bc\u2026', '\u00c3\u00bc\u2026'],
])('fromHeader decodes %j as %j', (bytes, text) => {
  expect(fromHeader(bytes)).toBe(text);
});

it('toHeader limits any text and never cuts an escape sequence', () => {
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

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a, b'],
  [['a', 'b', 'c', 'd'], 'a, b, c, ... and 1 more'],
  [Array.from({ length: 15 }, () => 'a'), 'a, a, a, ... and 12 more'],
  [['x'.repeat(2000), 'b'], '... and 2 more'],
  [['a', 'x'.repeat(2000), 'b'], 'a, ... and 2 more'],
  [['x'.repeat(1024)], 'x'.repeat(1024)],
  // The limit includes the count of omitted items: each item but the last leaves space for it.
  [['x'.repeat(1024 - 22), 'b'], `${'x'.repeat(1024 - 22)}, b`],
  [['x'.repeat(1024 - 21), 'b'], '... and 2 more'],
] as const)('headerList joins and limits a list: row %#', (items, list) => {
  expect(headerList(items, String, ', ', 3)).toBe(list);
});

it('headerList limits the list in bytes, cuts it between items and counts the omitted ones', () => {
  const item = fc.stringMatching(/^[a-z]{1,200}$/);
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (items, maxLength) => {
      const list = headerList(items, String, ', ', maxLength);
      expect(list.length).toBeLessThanOrEqual(1024);
      const writtenItems = list === '' ? [] : list.split(', ');
      const remaining = /^\.\.\. and (\d+) more$/.exec(writtenItems.at(-1) ?? '');
      const keptItems = remaining === null ? writtenItems : writtenItems.slice(0, -1);
      expect(keptItems).toEqual(items.slice(0, keptItems.length));
      expect(keptItems.length).toBeLessThanOrEqual(maxLength);
      expect(keptItems.length + Number(remaining?.[1] ?? 0)).toBe(items.length);
    }),
  );
});
