type Cell = string | number | boolean | null;

/** One line (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** Without those that are white space: CSV is looked at in terminals too, and would steer them. */
const controls = /[^\P{Cc}\t\n\r]/gu;

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = cell.replace(controls, '\u{fffd}');
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
