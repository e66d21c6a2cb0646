import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyBelow, anyBelowInTwo, anyDigitInTwo, fourTimes } from './four-bytes.ts';

const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 0x2c, 0x2d, 0x2f, 0x30, 0x39, 0x3a, 0x7f, 0x80, 0xff));

it('the checks of several bytes at once agree with a check of each byte', () => {
  fc.assert(
    fc.property(fc.array(byte, { minLength: 8, maxLength: 8 }), fc.integer({ min: 1, max: 0x80 }), (bytes, limit) => {
      const [one, other] = [0, 4].map((at) => Buffer.from(bytes).readInt32LE(at)) as [number, number];
      expect(anyBelow(one, fourTimes(limit)) !== 0).toBe(bytes.slice(0, 4).some((byte) => byte < limit));
      expect(anyBelowInTwo(one, other, fourTimes(limit)) !== 0).toBe(bytes.some((byte) => byte < limit));
      expect(anyDigitInTwo(one, other) !== 0).toBe(bytes.some((byte) => byte >= 0x30 && byte <= 0x39));
    }),
    { numRuns: 3000 },
  );
});
