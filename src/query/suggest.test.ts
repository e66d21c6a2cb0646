import { describe, expect, it } from 'vitest';
import { longestFilter } from './filter.ts';
import { typedAt } from './suggest.ts';

describe('typedAt', () => {
  it('finds the value being typed in a filter of the maximum length', () => {
    const text = `model:${'a'.repeat(longestFilter - 8)},b`;
    expect(typedAt(text, text.length)).toMatchObject({ kind: 'value', begins: 'b' });
  });

  it('returns nothing for a longer text, which would need quadratic time', () => {
    const text = `model:${'a'.repeat(longestFilter - 7)},b`;
    expect(typedAt(text, text.length)).toEqual({ kind: 'nothing' });
  });
});
