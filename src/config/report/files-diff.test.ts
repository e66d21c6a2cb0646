import { describe, expect, it } from 'vitest';
import { filesDiff } from './files-diff.ts';

const mask = (text: string): string => text.replaceAll(/sk-\w+/g, '***');

describe('filesDiff', () => {
  it.each([
    ['nothing for equal files', { a: 'x: 1\n' }, { a: 'x: 1\n' }, ''],
    ['the lines that differ', { a: 'x: 1\n' }, { a: 'x: 2\n' }, '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x: 1\n+x: 2\n'],
    ['a file that only one of them has', {}, { a: 'x: 1\n' }, '--- a\n+++ a\n@@ -0,0 +1,1 @@\n+x: 1\n'],
    ['that only secrets differ', { a: 'key: sk-one\n' }, { a: 'key: sk-two\n' }, '--- a\n+++ a\n(only masked secrets differ)\n'],
  ])('shows %s', (_name, before, after, diff) => {
    expect(filesDiff(before, after, mask)).toBe(diff);
  });
});
