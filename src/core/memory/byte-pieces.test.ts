import { describe, expect, it } from 'vitest';
import { appendBytes } from './byte-pieces.ts';

const join = (pieces: readonly Buffer[]): Buffer[] => {
  const list: Buffer[] = [];
  for (const piece of pieces) appendBytes(list, piece);
  return list;
};

describe('appendBytes', () => {
  it.each([
    ['single bytes', Array.from({ length: 300_000 }, (_, index) => Buffer.from([index % 251])), 50],
    ['growing buffers', Array.from({ length: 400 }, (_, index) => Buffer.alloc(index, index % 251)), 40],
    ['shrinking buffers', Array.from({ length: 400 }, (_, index) => Buffer.alloc(400 - index, index % 251)), 40],
  ])('joins pieces to few buffers and keeps their order: %s', (_, pieces, maxBuffers) => {
    const list = join(pieces);
    expect(list.length).toBeLessThan(maxBuffers);
    expect(Buffer.concat(list).equals(Buffer.concat(pieces))).toBe(true);
  });

  it.each([
    [
      [16_384, 100],
      [16_384, 100],
    ],
    [[16_383, 16_383], [32_766]],
    [
      [16_383, 16_384],
      [16_383, 16_384],
    ],
    [[200, 100], [300]],
    [
      [201, 100],
      [201, 100],
    ],
    [[100, 20, 30], [150]],
  ])('joins pieces of %j bytes to buffers of %j', (sizes, joined) => {
    expect(join(sizes.map((size) => Buffer.alloc(size, 1))).map(({ length }) => length)).toEqual(joined);
  });

  it('keeps large buffers without a copy', () => {
    const pieces = [Buffer.alloc(20_000, 1), Buffer.alloc(65_536, 2)];
    expect(join(pieces)).toEqual(pieces);
    expect(join(pieces)[1]).toBe(pieces[1]);
  });
});
