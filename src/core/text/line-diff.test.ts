import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

/** Applies the diff to the text before. */
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
    ['returns nothing for equal texts', 'a\nb', 'a\nb', ''],
    ['shows a changed line', 'a\nb\nc', 'a\nx\nc', '@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'],
    ['shows an added line', 'a\nb', 'a\nn\nb', '@@ -1,2 +1,3 @@\n a\n+n\n b\n'],
    ['shows a removed line', 'a\nb\nc', 'a\nc', '@@ -1,3 +1,2 @@\n a\n-b\n c\n'],
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
        expect(patched(before, lineDiff(before, after))).toBe(after);
      }),
    );
  });

  it('replaces large texts without common lines completely', () => {
    const many = (word: string): string => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`).join('\n');
    const diff = lineDiff(many('a'), many('b'));
    expect(patched(many('a'), diff)).toBe(many('b'));
  });
});
