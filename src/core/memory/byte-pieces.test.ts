import { describe, expect, it } from 'vitest';
import { appendBytes, joinRuns } from './byte-pieces.ts';

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

describe('joinRuns', () => {
  it.each([
    [[], []],
    [[5], [5]],
    [[1, 2, 3], [6]],
    [
      [65_535, 1, 1],
      [65_536, 1],
    ],
    [
      [10, 70_000, 20, 30],
      [10, 70_000, 50],
    ],
    [Array.from({ length: 131_072 }, () => 1), [65_536, 65_536]],
  ])('joins pieces of %j bytes', (sizes, joined) => {
    const pieces = sizes.map((size, index) => Buffer.alloc(size, index % 251));
    const runs = joinRuns(pieces);
    expect(runs.map(({ length }) => length)).toEqual(joined);
    expect(Buffer.concat(runs).equals(Buffer.concat(pieces))).toBe(true);
  });

  it('keeps large buffers without a copy', () => {
    const large = Buffer.alloc(70_000);
    expect(joinRuns([Buffer.alloc(1), large])[1]).toBe(large);
  });
});
