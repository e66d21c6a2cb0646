import { lineDiff } from '../../core/text/line-diff.ts';

/** Texts of files by their names. */
type Texts = Readonly<Record<string, string>>;

/**
 * The unified difference of all files of two configurations; '' where they are the same. A file that only one has is
 * compared with an empty one.
 *
 * @param shown how a text may be shown: without secrets
 */
export function filesDiff(before: Texts, after: Texts, shown: (text: string) => string): string {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => `--- ${name}\n+++ ${name}\n${lineDiff(shown(before[name] ?? ''), shown(after[name] ?? ''))}`)
    .join('');
}

/** The same texts by other names. */
export const renamed = (texts: Texts, nameOf: (path: string) => string): Texts =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [nameOf(path), text]));
