import { printable } from '../core/text/printable.ts';

/** Rows with aligned columns, for a terminal. The last cell of a row is not padded. */
export function table(rows: readonly (readonly string[])[], gap = '  '): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = columnWidths(shown);
  const line = (row: readonly string[]): string => row.map((cell, i) => padEnd(cell, widths[i] ?? 0)).join(gap);
  return shown.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** Width of each column, in terminal columns. */
export function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, textWidth(cell))));
  return widths;
}

/** Characters that are two columns wide: East Asian wide and fullwidth characters, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;

/** Characters of zero width. */
const empty = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Text of characters that are one column wide: ASCII, and the signs used in messages. */
const plain = /^[\x20-\x7e·×→←…✓✗]*$/;
const charactersOf = (text: string): Iterable<Intl.SegmentData> => new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text);

/** Width of a text in terminal columns. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of charactersOf(text)) width += widthOf(segment);
  return width;
}

const widthOf = (character: string): number => (wide.test(character) ? 2 : empty.test(character) ? 0 : 1);

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)));
export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - textWidth(text))) + text;

/** The text, truncated with an ellipsis if it is too wide. */
export const truncate = (text: string, width: number): string =>
  textWidth(text) <= width ? text : `${text.slice(0, fittingLength(text, Math.max(0, width - 1)))}…`;

/** Number of code units that fit into a width. Never splits a character. */
export function fittingLength(text: string, width: number): number {
  if (plain.test(text)) return Math.min(text.length, width);
  let left = width;
  for (const { segment, index } of charactersOf(text)) {
    left -= widthOf(segment);
    if (left < 0) return index;
  }
  return text.length;
}

/** JSON that may be shown in a terminal: the control characters and direction marks that JSON allows in texts are escaped. */
function terminalJson(value: unknown, indent?: number): string {
  const escaped = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replaceAll(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, escaped);
}

export const jsonText = (value: unknown): string => `${terminalJson(value, 2)}\n`;

/** One line of a stream of JSON objects. */
export const jsonLine = (value: object): string => `${terminalJson(value)}\n`;

const noTls = 'no TLS connection is possible; the address may begin with http://';

/** Why a gateway could not be reached, by the code of the socket error. */
export const connectionReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  EACCES: 'the system does not allow it',
  ECONNRESET: 'the connection was closed without a response',
  ENOTFOUND: 'the host is not known',
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: noTls,
};
