/** `1 file`, `4 files`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A sentence as part of a longer one: its first letter is lower case. */
export const lowerFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

/** A sentence as part of a longer one, or as a line of its own. */
export const withoutFullStop = (sentence: string): string => sentence.replace(/\.$/, '');

/** The first items of a list, for a message; it ends with `…` if there are more. */
export const shortList = (items: readonly string[], most: number): string =>
  items.slice(0, most).join(', ') + (items.length > most ? ', …' : '');
