import { expect, it } from 'vitest';
import { compileGlob } from './glob.ts';

it.each([
  ['*', ['a', 'org/model', '.'], []],
  ['**', ['a/b'], []],
  ['gpt-4*', ['gpt-4', 'gpt-4o', 'gpt-4/x'], ['gpt-3', 'x-gpt-4', 'GPT-4']],
  ['*-mini', ['o1-mini', '-mini'], ['o1-mini-2', 'mini']],
  ['ab*ba', ['abba', 'abxba'], ['aba', 'ab', 'xabba']],
  ['a*b*c', ['abc', 'abxbxc', 'aabbcc'], ['acb', 'ac', 'abca']],
  ['meta/*', ['meta/a/b', 'meta/'], ['meta']],
  ['gpt-?o', ['gpt-4o', 'gpt-/o'], ['gpt-o', 'gpt-44o']],
  ['o[1-3]', ['o1', 'o3'], ['o4', 'o']],
  ['o[!1-3]', ['o4', 'oa'], ['o1', 'o']],
  ['o[^1]', ['o4'], ['o1']],
  ['o[]x]', ['o]', 'ox'], ['o']],
  ['{gpt-4o,o1*}', ['gpt-4o', 'o1-pro'], ['gpt-4o-mini', 'o2', '']],
  ['a{b,{c,d}e,}f', ['abf', 'acef', 'adef', 'af'], ['acf', 'abcef']],
  ['a{b}', ['ab'], ['a', 'a{b}']],
  ['a{b', ['a{b'], ['ab']],
  ['a[b', ['a[b'], ['ab']],
  [String.raw`\*a\{b,c}`, ['*a{b,c}'], ['xa{b,c}', 'ab']],
  ['a\\', ['a\\'], ['a']],
  ['(a|b)', ['(a|b)'], ['a', 'b']],
  ['!a', ['!a'], ['b']],
] satisfies readonly [string, readonly string[], readonly string[]][])(
  'compileGlob(%j) matches the expected names',
  (pattern, matching, notMatching) => {
    const matches = compileGlob(pattern);
    expect([matching.filter((name) => !matches(name)), notMatching.filter(matches)]).toEqual([[], []]);
  },
);

// A backtracking matcher would not end in reasonable time: it would try trillions of ways.
it.each([
  ['*a'.repeat(30), 'b'],
  ['{a,aa}'.repeat(30), 'b'],
  ['{*a,a*}'.repeat(30), 'b'],
])('compileGlob() matches %j in linear time', (repeated, last) => {
  const matches = compileGlob(repeated + last);
  const name = 'a'.repeat(510);
  expect([matches(name), matches(name + last)]).toEqual([false, repeated.includes('*')]);
});

it('compileGlob() accepts braces at any depth', () => {
  const nested = (depth: number): string => `${'{'.repeat(depth)}a,b${'}'.repeat(depth)}`;
  expect(['a', 'b', '{a'].map(compileGlob(nested(100)))).toEqual([true, true, false]);
  expect(compileGlob(nested(6000))('a')).toBe(false);
});
