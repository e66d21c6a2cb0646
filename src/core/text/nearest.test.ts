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
  ])('finds the right name for %s', (_, input, expected) => {
    expect(nearest(input, names)).toBe(expected);
  });

  it.each(['something-else', 'cl', '', 'c'.repeat(5_000)])('finds nothing for %j', (input) => {
    expect(nearest(input, ['openai-main', 'claude'])).toBeUndefined();
  });

  it('tolerates few mistakes in a long name, and not many', () => {
    const longName = 'team-production-azure-europe-west-deployment';
    expect([nearest(longName.replace('azure', 'azuer'), [longName]), nearest(longName.slice(5), [longName])]).toEqual([longName, longName]);
    expect([nearest(longName.slice(6), [longName]), nearest(`${longName}-other`, [longName])]).toEqual([undefined, undefined]);
  });

  it('counts swapped letters as one mistake', () => {
    expect(nearest('ba', ['ab'])).toBe('ab');
  });

  it('didYouMean returns a question or an empty string', () => {
    expect(didYouMean('claud', names)).toBe(' Did you mean "claude"?');
    expect(didYouMean('something-else', names)).toBe('');
  });
});
