import { expect, test } from 'vitest';
import { releaseBuffer } from './release-buffer.ts';

const mb = 1024 * 1024;

test.each([
  ['giveBack releases a large buffer with its own memory', () => Buffer.allocUnsafeSlow(mb), 0],
  ['giveBack keeps a buffer that is a part of a larger one', () => Buffer.allocUnsafeSlow(2 * mb).subarray(0, mb), mb],
  ['giveBack keeps a small buffer', () => Buffer.allocUnsafeSlow(1000), 1000],
  ['giveBack keeps shared memory', () => Buffer.from(new SharedArrayBuffer(mb)), mb],
])('%s', (_name, make, left) => {
  const bytes = make();
  releaseBuffer(bytes);
  expect(bytes).toHaveLength(left);
});
