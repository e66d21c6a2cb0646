import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

/** What the difference says, applied to the text before. */
function patched(before: string, diff: string): string {
  const lines = before.split('\n');
  const out: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const head = /^@@ -(\d+),\d+ \+\d+,\d+ @@$/.exec(line);
    if (head !== null) {
      while (at < Number(head[1]) - 1) out.push(lines[at++] ?? '');
      continue;
    }
    if (line.startsWith('+')) out.push(line.slice(1));
    else {
      expect(lines[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) out.push(line.slice(1));
      at += 1;
    }
  }
  return [...out, ...lines.slice(at)].join('\n');
}

describe('lineDiff', () => {
  it.each([
    ['the same', 'a\nb', 'a\nb', ''],
    ['one line', 'a\nb\nc', 'a\nx\nc', '@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'],
    ['a line more', 'a\nb', 'a\nn\nb', '@@ -1,2 +1,3 @@\n a\n+n\n b\n'],
    ['a line less', 'a\nb\nc', 'a\nc', '@@ -1,3 +1,2 @@\n a\n-b\n c\n'],
  ])('%s', (_name, before, after, diff) => {
    expect(lineDiff(before, after)).toBe(diff);
  });

  it('shows changes that are far apart by themselves', () => {
    const before = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const after = before.with(2, 'x').with(37, 'y');
    expect(lineDiff(before.join('\n'), after.join('\n')).match(/^@@/gm)).toHaveLength(2);
  });

  it('makes the text after of the text before', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '  d')).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patched(before, lineDiff(before, after))).toBe(after);
      }),
    );
  });

  it('replaces what has nothing in common, however large', () => {
    const many = (word: string): string => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`).join('\n');
    const diff = lineDiff(many('a'), many('b'));
    expect(patched(many('a'), diff)).toBe(many('b'));
  });
});
