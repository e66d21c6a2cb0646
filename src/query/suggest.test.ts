import { describe, expect, it } from 'vitest';
import { maxFilterLength } from './filter.ts';
import { inputAtCursor } from './suggest.ts';

describe('inputAtCursor', () => {
  it('finds the value being typed in a filter of the maximum length', () => {
    const text = `model:${'a'.repeat(maxFilterLength - 8)},b`;
    expect(inputAtCursor(text, text.length)).toMatchObject({ kind: 'value', prefix: 'b' });
  });

  it('returns nothing for a longer text, which would need quadratic time', () => {
    const text = `model:${'a'.repeat(maxFilterLength - 7)},b`;
    expect(inputAtCursor(text, text.length)).toEqual({ kind: 'nothing' });
  });
});
