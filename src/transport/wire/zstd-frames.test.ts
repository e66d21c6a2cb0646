import { constants, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { endsWithFrame } from './zstd-frames.ts';

const longText = Buffer.from(Array.from({ length: 60_000 }, (_, i) => `word${(i * i) % 9973}`).join(' '));
const skippableFrame = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const withoutContentSize = { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } };

const frames: Readonly<Record<string, Buffer>> = {
  'a short text': zstdCompressSync(Buffer.from('hello')),
  'an empty text': zstdCompressSync(Buffer.alloc(0)),
  'a repeated byte': zstdCompressSync(Buffer.alloc(300_000)),
  'several blocks': zstdCompressSync(longText),
  'a checksum': zstdCompressSync(longText, checked),
  'no content size': zstdCompressSync(longText, withoutContentSize),
  'a skippable frame': skippableFrame,
  'several frames': Buffer.concat([zstdCompressSync(longText, checked), skippableFrame, zstdCompressSync(Buffer.from('hello'))]),
};

it.each(Object.entries(frames))('endsWithFrame() returns true for a complete frame and false for each truncation: %s', (name, bytes) => {
  expect(endsWithFrame(bytes)).toBe(true);
  const completeLengths = [...bytes.keys()].filter((length) => length > 0 && endsWithFrame(bytes.subarray(0, length)));
  // One of several frames ends there.
  expect(completeLengths).toHaveLength(name === 'several frames' ? 2 : 0);
});

it.each(['{"a":1}', 'a text that is not a frame', '\x28\xb5\x2f\xfd'])('endsWithFrame() returns false for %j', (text) => {
  expect(endsWithFrame(Buffer.from(text, 'latin1'))).toBe(false);
});
