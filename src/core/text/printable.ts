/** Controls of C0 and C1, and the marks that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from outside that may have several lines: control characters do nothing to the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const printableLines = (text: string): string => text.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd');

/** Text from outside for one line of a terminal: it can't move the cursor, set colours or begin a new line. */
export function printable(text: string): string {
  return text.replace(unprintable, (c) => (c === '\n' || c === '\r' || c === '\t' ? ' ' : '\ufffd'));
}
