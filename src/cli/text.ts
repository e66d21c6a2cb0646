/** Rows with their columns in line; the last cell of a row is as long as it is. */
export function table(rows: readonly (readonly string[])[], gap = '  '): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  const line = (row: readonly string[]): string => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(gap);
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

export { plural } from '../core/text/plural.ts';

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export { barePath, shownPath } from '../core/text/shown-path.ts';
