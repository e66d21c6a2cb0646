/** Controls of C0 and C1, and the marks that turn the direction of text. */
const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text from outside that may have several lines: control characters do nothing to the terminal. */
export const printableLines = (text: string): string => text.replaceAll(/[^\P{Cc}\t\n]/gu, '\ufffd');

/** Text from outside for one line of a terminal: it can't move the cursor, set colours or begin a new line. */
export function printable(text: string): string {
  return text.replace(unprintable, (c) => (c === '\n' || c === '\r' || c === '\t' ? ' ' : '\ufffd'));
}
