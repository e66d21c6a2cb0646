import { padEnd, textWidth } from '../text.ts';
import type { Finding } from './result.ts';

interface Style {
  readonly colors: boolean;
  /** Columns of the terminal; undefined for a pipe or a file. */
  readonly width: number | undefined;
}

/** Width of the states on the left, in columns. */
const margin = 6;
/** Fixes start at this column of the text at the latest: one long line must not move them all. */
const maxFixColumn = 80;
const paints = { ok: 32, warn: 33, fail: 31, skip: 2 } as const;

/** One line for each finding, with the fixes in a column, or below their lines if the terminal is too narrow. */
export function reportText(findings: readonly Finding[], { colors, width = Infinity }: Style): string {
  const fixed = findings.filter(({ fix }) => fix !== null);
  const longest = Math.max(0, ...fixed.map(({ says }) => textWidth(says)));
  const column = Math.min(longest, maxFixColumn);
  const isNarrow = margin + longest + 3 + Math.max(0, ...fixed.map(({ fix }) => textWidth(fix ?? ''))) > width;
  const state = (one: Finding['state']): string =>
    (colors ? `\u001b[${paints[one]}m${one}\u001b[0m` : one) + ' '.repeat(margin - one.length);
  return findings
    .map(({ state: one, says, fix }) => {
      if (fix === null) return `${state(one)}${says}\n`;
      return isNarrow ? `${state(one)}${says}\n${' '.repeat(margin)}fix: ${fix}\n` : `${state(one)}${padEnd(says, column)}   ${fix}\n`;
    })
    .join('');
}
