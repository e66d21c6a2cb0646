import { lineDiff } from '../../core/diff/line-diff.ts';

/** Texts of files by name. */
type Texts = Readonly<Record<string, string>>;

/**
 * Unified diff of all files of two configurations; '' when they are equal. A file that only one of them has is compared
 * with an empty file.
 *
 * @param mask returns a text without its secrets
 */
export function filesDiff(before: Texts, after: Texts, mask: (text: string) => string): string {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => `--- ${name}\n+++ ${name}\n${linesOf(mask(before[name] ?? ''), mask(after[name] ?? ''))}`)
    .join('');
}

const linesOf = (before: string, after: string): string => lineDiff(before, after) || '(only masked secrets differ)\n';

/** The same texts under other names. */
export const renameFiles = (texts: Texts, nameOf: (path: string) => string): Texts =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [nameOf(path), text]));
