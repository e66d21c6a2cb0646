/** What is written for the end of a text that was cut. */
export const cutMark = '[cut]';

/** Characters at the end of a text that are looked at. */
const most = 256;

/**
 * Where the last word of a text begins, with the digits before it: where the text was cut, what is left of a value there
 * may not be recognised.
 */
export function tailOf(text: string): number {
  const match = /(?:[+(]?\d[\d ().\-/]*|[^\s"]+)$/.exec(text.slice(-most));
  return match === null ? text.length : text.length - match[0].length;
}
