import { expect, test } from 'vitest';
import { giveBack } from './give-back.ts';

const mb = 1024 * 1024;

test.each([
  ['large memory of its own', () => Buffer.allocUnsafeSlow(mb), 0],
  ['a part of other memory', () => Buffer.allocUnsafeSlow(2 * mb).subarray(0, mb), mb],
  ['a small buffer', () => Buffer.allocUnsafeSlow(1000), 1000],
  ['memory that threads share', () => Buffer.from(new SharedArrayBuffer(mb)), mb],
])('%s', (_name, make, left) => {
  const bytes = make();
  giveBack(bytes);
  expect(bytes).toHaveLength(left);
});
