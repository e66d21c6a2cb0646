/** Marks the end of a truncated text. */
export const cutMark = '[cut]';

/** Maximum characters at the end of a text that are checked. */
const maxTailLength = 256;

/** The offset of the last word or number of a text. In a truncated text, a partial value there might not be recognized. */
export function tailOf(text: string): number {
  const match = /(?:[+(]?\d[\d ().\-/]*|[^\s"]+)$/.exec(text.slice(-maxTailLength));
  return match === null ? text.length : text.length - match[0].length;
}
