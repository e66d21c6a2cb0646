import { expect, test } from 'vitest';
import { releaseBuffer } from './release-buffer.ts';

const mib = 1024 * 1024;

test.each([
  ['giveBack releases a large buffer with its own memory', () => Buffer.allocUnsafeSlow(mib), 0],
  ['giveBack keeps a buffer that is a part of a larger one', () => Buffer.allocUnsafeSlow(2 * mib).subarray(0, mib), mib],
  ['giveBack keeps a small buffer', () => Buffer.allocUnsafeSlow(1000), 1000],
  ['giveBack keeps shared memory', () => Buffer.from(new SharedArrayBuffer(mib)), mib],
])('%s', (_name, createBuffer, remaining) => {
  const bytes = createBuffer();
  releaseBuffer(bytes);
  expect(bytes).toHaveLength(remaining);
});
