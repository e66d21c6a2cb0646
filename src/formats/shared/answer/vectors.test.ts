import { describe, expect, it } from 'vitest';
import { checkVectors, floats } from './vectors.ts';

describe('vectors of a response', () => {
  it.each([
    ['none', undefined, undefined, /contains no embeddings/],
    ['an empty list', [], undefined, /contains no embeddings/],
    ['fewer than inputs', [[1]], 2, /each input/],
    ['more than inputs', [[1], [2]], 1, /each input/],
    ['an empty one', [[1], []], 2, /each input/],
    ['null in place of one', [[1], null], 2, /each input/],
    ['an object in place of one', [{ values: [1] }], 1, /each input/],
    ['a number that is none', [[1, null]], 1, /each input/],
  ])('%s', (_, vectors, inputs, message) => {
    expect(() => checkVectors(vectors, inputs)).toThrow(message);
  });

  it('one for each input', () => {
    expect(() => checkVectors([[0], [-1.5, 2]], 2)).not.toThrow();
    expect(() => checkVectors([[0]], undefined)).not.toThrow();
  });

  it('in base64 are little-endian 32-bit floats', () => {
    expect(floats([1, -2])).toBe(Buffer.from(new Float32Array([1, -2]).buffer).toString('base64'));
  });
});
