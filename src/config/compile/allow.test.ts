import { expect, it } from 'vitest';
import { compileGlobs } from './allow.ts';

it.each([
  [undefined, 'x'.repeat(1_000_000), true],
  [['*'], 'x'.repeat(512), true],
  [['*'], 'x'.repeat(513), false],
  // Looked for in such a text, this pattern would take minutes.
  [['*gpt*-mini*'], 'gpt-min'.repeat(300_000), false],
  [['*gpt*-mini*'], 'org/gpt-5-mini-2027', true],
])('a list %j and a long name', (patterns, name, isAllowed) => {
  expect(compileGlobs(patterns)(name)).toBe(isAllowed);
});
