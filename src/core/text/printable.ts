/** Control characters (C0 and C1), and marks that change the direction of text. */
const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces control characters in untrusted text of several lines, so that it cannot control the terminal. */
export const printableLines = (text: string): string => text.replaceAll(/[^\P{Cc}\t\n]/gu, '\ufffd');

/** Makes untrusted text safe for one line of a terminal: it can't move the cursor, set colors or start a new line. */
export function printable(text: string): string {
  return text.replace(unprintable, (c) => (c === '\n' || c === '\r' || c === '\t' ? ' ' : '\ufffd'));
}
