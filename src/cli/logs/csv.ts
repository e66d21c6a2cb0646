type Cell = string | number | boolean | null;

/** One line of CSV (RFC 4180). Text that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** Control characters except white space. CSV may be shown in a terminal, which would interpret them. */
const controls = /[^\P{Cc}\t\n\r]/gu;

/** Full-width signs too, which spreadsheets for East Asian languages read as the plain ones. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = cell.replace(controls, '\u{fffd}');
  const safe = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
