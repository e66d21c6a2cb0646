import { isAbsolute, relative, sep } from 'node:path';

/** Rows with their columns in line; the last cell of a row is as long as it is. */
export function table(rows: readonly (readonly string[])[], gap = '  '): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  const line = (row: readonly string[]): string => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(gap);
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** `1 file`, `4 files`. */
export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** As a person would write it: `./gateway.yaml` where it lies below the working directory. */
export function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || isAbsolute(short) || short === '..' || short.startsWith(`..${sep}`) ? path : `.${sep}${short}`;
}

/** The same without the `./`. */
export const barePath = (path: string, cwd: string): string => shownPath(path, cwd).replace(/^\.[/\\]/, '');
