/** Number of characters (code points). */
const lengthOf = (text: string): number => Array.from(text).length;

/** Compares the number of characters with a limit; counts them only if the number of UTF-16 units does not decide. */
export const isLongerThan = (text: string, limit: number): boolean =>
  text.length > limit && (text.length > limit * 2 || lengthOf(text) > limit);
