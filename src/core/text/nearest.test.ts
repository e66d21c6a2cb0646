import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

const names = ['openai-main', 'azure-eu', 'claude', 'support', 'x'];

describe('nearest', () => {
  it.each([
    ['a missing letter', 'opnai-main', 'openai-main'],
    ['an extra letter', 'azuree-eu', 'azure-eu'],
    ['a wrong letter', 'clavde', 'claude'],
    ['swapped letters', 'suppotr', 'support'],
    ['another case', 'Claude', 'claude'],
    ['a short name with one mistake', 'y', 'x'],
    ['the name itself', 'claude', 'claude'],
    ['two similar names', 'azure-e', 'azure-eu'],
  ])('finds the right name for %s', (_, typed, meant) => {
    expect(nearest(typed, names)).toBe(meant);
  });

  it.each(['something-else', 'cl', '', 'c'.repeat(5_000)])('finds nothing for %j', (typed) => {
    expect(nearest(typed, ['openai-main', 'claude'])).toBeUndefined();
  });

  it('tolerates few mistakes in a long name, and not many', () => {
    const long = 'team-production-azure-europe-west-deployment';
    expect([nearest(long.replace('azure', 'azuer'), [long]), nearest(long.slice(5), [long])]).toEqual([long, long]);
    expect([nearest(long.slice(6), [long]), nearest(`${long}-other`, [long])]).toEqual([undefined, undefined]);
  });

  it('counts swapped letters as one mistake', () => {
    expect(nearest('ba', ['ab'])).toBe('ab');
  });

  it('didYouMean returns a question or an empty string', () => {
    expect(didYouMean('claud', names)).toBe(' Did you mean "claude"?');
    expect(didYouMean('something-else', names)).toBe('');
  });
});
