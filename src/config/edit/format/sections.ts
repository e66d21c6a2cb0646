import { isEmpty, type Line } from './lines.ts';
import { canonicalOrder } from './order.ts';

/** A top-level key with its value, and the comments above it. */
interface TopLevelSection {
  readonly key: string;
  /** Without empty lines around it. */
  readonly lines: readonly Line[];
  readonly hasGap: boolean;
  readonly isLong: boolean;
}

/**
 * The lines with the top-level sections in canonical order, and an empty line around each that has several lines. A
 * section keeps the comments directly above it.
 */
export function orderedSections(lines: readonly Line[]): readonly Line[] {
  const starts = lines.flatMap(({ key }, i) => (key === undefined ? [] : [{ key, line: i }]));
  const orderOf = canonicalOrder();
  const order = starts.map(({ key }, i) => ({ i, rank: orderOf(key) })).toSorted((a, b) => a.rank - b.rank || a.i - b.i);
  const [first] = starts;
  const last = starts.at(-1);
  if (first === undefined || last === undefined) return lines;
  // The comments at the top of the file stay there, except those of a first section that moves.
  const sectionStarts = starts.map(({ line }, i) => (i > 0 ? sectionStart(lines, line) : order[0]?.i === 0 ? 0 : headEnd(lines, line)));
  const end = tailStart(lines, last.line);
  const sections = starts.map(({ key, line }, i) => {
    const top = sectionStarts[i] ?? 0;
    const { hasGap, ...section } = sectionOf(key, lines.slice(top, sectionStarts[i + 1] ?? end), line - top);
    return { ...section, hasGap: hasGap || lines[top - 1]?.text === '' };
  });
  const sorted = order.flatMap(({ i }) => sections[i] ?? []);
  const body = sorted.flatMap((one, i) => [...gapBetween(sorted[i - 1], one), ...one.lines]);
  return [...lines.slice(0, sectionStarts[0]), ...body, ...lines.slice(end)];
}

/** Empty, or a comment that is not indented. */
const isBlankOrComment = (line: Line | undefined): boolean => line !== undefined && !line.isValue && /^(?:$|#)/.test(line.text);

/** First line of a section: that of the comments above its key. Indented comments belong to the section before. */
function sectionStart(lines: readonly Line[], line: number): number {
  let top = line;
  while (top > 0 && isBlankOrComment(lines[top - 1])) top -= 1;
  return top;
}

/** End of what stays at the top of the file: directives, settings of editors, and comments that are indented or set apart. */
function headEnd(lines: readonly Line[], line: number): number {
  const fixed = /^(?:$|\s|---|%|# *yaml-language-server:)/;
  return lines.slice(0, line).findLastIndex(({ text }) => fixed.test(text)) + 1;
}

/** Start of the comments at the end of the file, which stay there. */
function tailStart(lines: readonly Line[], line: number): number {
  let start = lines.length;
  while (start > line + 1 && (isBlankOrComment(lines[start - 1]) || lines[start - 1]?.text === '...')) start -= 1;
  return start;
}

/** @param keyLine index of the line with the key */
function sectionOf(key: string, lines: readonly Line[], keyLine: number): TopLevelSection {
  const from = lines.findIndex((line) => !isEmpty(line));
  const to = lines.findLastIndex((line) => !isEmpty(line)) + 1;
  return { key, lines: lines.slice(from, to), hasGap: from > 0, isLong: to - keyLine > 1 };
}

const emptyLine: Line = { text: '', isValue: false, key: undefined };

/** An empty line behind a text that ends with empty lines would be part of it. */
function gapBetween(before: TopLevelSection | undefined, one: TopLevelSection): readonly Line[] {
  if (before === undefined || before.lines.at(-1)?.text === '') return [];
  return one.hasGap || one.isLong || before.isLong ? [emptyLine] : [];
}
