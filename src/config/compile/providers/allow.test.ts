import { expect, it } from 'vitest';
import { compileGlobs } from './allow.ts';

it.each([
  [undefined, 'x'.repeat(1_000_000), true],
  [['*'], 'x'.repeat(512), true],
  [['*'], 'x'.repeat(513), false],
  [['*gpt*-mini*'], 'gpt-min'.repeat(300_000), false],
  [['*gpt*-mini*'], 'org/gpt-5-mini-2027', true],
  // No name is no model: only a list that takes every name takes it.
  [['*'], '', true],
  [['gpt-*', '**'], '', true],
  [['{,gpt-4}'], '', false],
  [['{,gpt-4}'], 'gpt-4', true],
  [[], '', false],
])('the list %j and a name', (patterns, name, isAllowed) => {
  expect(compileGlobs(patterns)(name)).toBe(isAllowed);
});
