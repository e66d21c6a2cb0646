import { describe, expect, it } from 'vitest';
import { longestFilter } from './filter.ts';
import { typedAt } from './suggest.ts';

describe('what is being typed', () => {
  it('is looked for in what may be a filter', () => {
    const text = `model:${'a'.repeat(longestFilter - 8)},b`;
    expect(typedAt(text, text.length)).toMatchObject({ kind: 'value', begins: 'b' });
  });

  it('is nothing in a longer text, whose length squared would be the time for it', () => {
    const text = `model:${'a'.repeat(longestFilter - 7)},b`;
    expect(typedAt(text, text.length)).toEqual({ kind: 'nothing' });
  });
});
