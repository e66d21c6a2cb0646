import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Applies the diff to the text before, as `patch` does. */
function applyDiff(before: string, diff: string): string {
  const lines = linesOf(before);
  const result: string[] = [];
  let position = 0;
  for (const line of linesOf(diff.replaceAll('\n\\ No newline at end of file\n', '\0\n'))) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@\n$/.exec(line);
    if (head !== null) {
      const first = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      while (position < first) result.push(lines[position++] ?? '');
      continue;
    }
    const text = line.slice(1).replace('\0\n', '');
    if (line.startsWith('+')) result.push(text);
    else {
      expect(lines[position]).toBe(text);
      if (line.startsWith(' ')) result.push(text);
      position += 1;
    }
  }
  return [...result, ...lines.slice(position)].join('');
}

describe('lineDiff', () => {
  it.each([
    ['returns nothing for equal texts', 'a\nb', 'a\nb', ''],
    ['shows a changed line', 'a\nb\nc\n', 'a\nx\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'],
    ['shows an added line', 'a\nb\n', 'a\nn\nb\n', '@@ -1,2 +1,3 @@\n a\n+n\n b\n'],
    ['shows a removed line', 'a\nb\nc\n', 'a\nc\n', '@@ -1,3 +1,2 @@\n a\n-b\n c\n'],
    ['shows a new text', '', 'a\n', '@@ -0,0 +1,1 @@\n+a\n'],
    ['shows a removed text', 'a\n', '', '@@ -1,1 +0,0 @@\n-a\n'],
    ['marks a missing line feed', 'a', 'a\n', '@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n'],
  ])('%s', (_name, before, after, diff) => {
    expect(lineDiff(before, after)).toBe(diff);
  });

  it('writes distant changes as separate hunks', () => {
    const before = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const after = before.with(2, 'x').with(37, 'y');
    expect(lineDiff(before.join('\n'), after.join('\n')).match(/^@@/gm)).toHaveLength(2);
  });

  it('creates a diff that turns the old text into the new one', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '  d')).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applyDiff(before, lineDiff(before, after))).toBe(after);
      }),
    );
  });

  it('replaces large texts without common lines completely', () => {
    const manyLines = (word: string): string => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`).join('\n');
    const diff = lineDiff(manyLines('a'), manyLines('b'));
    expect(applyDiff(manyLines('a'), diff)).toBe(manyLines('b'));
  });
});
