import { constants, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { endsWithFrame } from './zstd-frames.ts';

const words = Buffer.from(Array.from({ length: 60_000 }, (_, i) => `word${(i * i) % 9973}`).join(' '));
const skippable = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const unsized = { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } };

const frames: Readonly<Record<string, Buffer>> = {
  'a short text': zstdCompressSync(Buffer.from('hello')),
  nothing: zstdCompressSync(Buffer.alloc(0)),
  'one byte again and again': zstdCompressSync(Buffer.alloc(300_000)),
  'several blocks': zstdCompressSync(words),
  'a checksum': zstdCompressSync(words, checked),
  'no size of the content': zstdCompressSync(words, unsized),
  'a frame to be skipped': skippable,
  'several frames': Buffer.concat([zstdCompressSync(words, checked), skippable, zstdCompressSync(Buffer.from('hello'))]),
};

it.each(Object.entries(frames))('%s ends with a frame, and no part of it does', (name, bytes) => {
  expect(endsWithFrame(bytes)).toBe(true);
  const whole = [...bytes.keys()].filter((length) => length > 0 && endsWithFrame(bytes.subarray(0, length)));
  // Where one frame of several ends.
  expect(whole).toHaveLength(name === 'several frames' ? 2 : 0);
});

it.each(['{"a":1}', 'a text that is no frame', '\x28\xb5\x2f\xfd'])('%j does not', (text) => {
  expect(endsWithFrame(Buffer.from(text, 'latin1'))).toBe(false);
});
