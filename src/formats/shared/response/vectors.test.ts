import { describe, expect, it } from 'vitest';
import { checkVectors, encodeFloats } from './vectors.ts';

describe('checkVectors', () => {
  it.each([
    ['undefined', undefined, undefined, /contains no embeddings/],
    ['an empty list', [], undefined, /contains no embeddings/],
    ['fewer embeddings than inputs', [[1]], 2, /each input/],
    ['more embeddings than inputs', [[1], [2]], 1, /each input/],
    ['an empty embedding', [[1], []], 2, /each input/],
    ['null instead of an embedding', [[1], null], 2, /each input/],
    ['an object instead of an embedding', [{ values: [1] }], 1, /each input/],
    ['null instead of a number', [[1, null]], 1, /each input/],
  ])('rejects %s', (_, vectors, inputs, message) => {
    expect(() => checkVectors(vectors, inputs)).toThrow(message);
  });

  it('accepts one embedding for each input', () => {
    expect(() => checkVectors([[0], [-1.5, 2]], 2)).not.toThrow();
    expect(() => checkVectors([[0]], undefined)).not.toThrow();
  });

  it('floats encodes little-endian 32-bit floats in base64', () => {
    expect(encodeFloats([1, -2])).toBe(Buffer.from(new Float32Array([1, -2]).buffer).toString('base64'));
  });
});
