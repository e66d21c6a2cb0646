import { printable } from '../core/text/printable.ts';
import { columnWidths, table, truncate } from './text.ts';

/** How a table is made narrower. Columns are named by their headings. */
export interface TableFit {
  readonly gap?: string;
  /** Columns of the terminal; undefined for unlimited width. */
  readonly width: number | undefined;
  /** Columns removed on a narrow terminal, in this order. */
  readonly removable: readonly string[];
  /** Columns whose texts may be truncated. */
  readonly flexible: readonly string[];
}

/** Width that a truncated column should have, and its minimum. */
const preferredWidth = 20;
const minWidth = 12;

/** A table with a heading that fits the terminal if possible: removes columns first, then truncates texts. */
export function fittingTable(
  rows: readonly (readonly string[])[],
  { gap = '  ', width = Infinity, removable, flexible }: TableFit,
): string {
  let shown = rows.map((row) => row.map(printable));
  const isFlexible = (column: number): boolean => flexible.includes(shown[0]?.[column] ?? '');
  for (const name of removable) {
    const widths = columnWidths(shown).map((one, column) => (isFlexible(column) ? Math.min(one, preferredWidth) : one));
    if (totalWidth(widths, gap.length) <= width) break;
    const removed = shown[0]?.indexOf(name) ?? -1;
    if (removed >= 0) shown = shown.map((row) => row.toSpliced(removed, 1));
  }
  const widths = shrunkWidths(columnWidths(shown), { isFlexible, minWidth, gap: gap.length, width });
  return table(
    shown.map((row) => row.map((cell, column) => truncate(cell, widths[column] ?? 0))),
    gap,
  );
}

/** Width of a table. */
export const totalWidth = (widths: readonly number[], gap: number): number => widths.reduce((sum, one) => sum + one + gap, -gap);

/** Reduces the widest of the flexible columns until the table fits, or all of them have the minimum width. */
export function shrunkWidths(
  given: readonly number[],
  {
    isFlexible,
    minWidth,
    gap,
    width,
  }: { readonly isFlexible: (column: number) => boolean; readonly minWidth: number; readonly gap: number; readonly width: number },
): readonly number[] {
  const widths = [...given];
  const flexible = widths.flatMap((_, column) => (isFlexible(column) ? [column] : []));
  for (;;) {
    const over = totalWidth(widths, gap) - width;
    const widest = flexible.reduce((best, column) => ((widths[column] ?? 0) > (widths[best] ?? 0) ? column : best), flexible[0] ?? -1);
    const size = widths[widest] ?? 0;
    if (over <= 0 || size <= minWidth) return widths;
    widths[widest] = Math.max(minWidth, size - over);
  }
}
