import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstNotUtf8 } from './utf8.ts';

it.each([
  ['', undefined],
  ['61', undefined],
  ['c3bc e282ac f09f9880', undefined],
  ['61 ff', 1],
  ['80', 0],
  ['61 c3', 1],
  ['c3bc e282', 2],
  ['f09f98', 0],
  // Overlong, half of a surrogate pair, beyond the last character.
  ['61 c080', 1],
  ['eda080', 0],
  ['f4908080', 0],
] as const)('firstNotUtf8 for the bytes %s returns %s', (hex, offset) => {
  expect(firstNotUtf8(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toBe(offset);
});

it.each([0, 1, 2, 3, 65_533, 65_534, 65_535, 65_536, 65_537, 131_071, 199_999])('firstNotUtf8 finds an invalid byte at %s', (offset) => {
  const bytes = Buffer.from('€'.repeat(66_667)).subarray(0, 200_000 - 2);
  const invalidBytes = Buffer.concat([
    bytes.subarray(0, offset - (offset % 3)),
    Buffer.from([0xff]),
    bytes.subarray(offset - (offset % 3)),
  ]);
  expect(firstNotUtf8(invalidBytes)).toBe(offset - (offset % 3));
});

it('firstNotUtf8 agrees with a strict decoder', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      const offset = firstNotUtf8(Buffer.from(bytes));
      const isValidUtf8 = (part: Uint8Array): boolean => {
        try {
          new TextDecoder('utf-8', { fatal: true }).decode(part);
          return true;
        } catch {
          return false;
        }
      };
      expect(isValidUtf8(bytes)).toBe(offset === undefined);
      if (offset !== undefined) expect(isValidUtf8(bytes.subarray(0, offset))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
