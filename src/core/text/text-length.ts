/** Characters, as people count them before they count bytes or UTF-16 units. */
const lengthOf = (text: string): number => Array.from(text).length;

/** The same without counting where the units alone say so. */
export const isLongerThan = (text: string, limit: number): boolean =>
  text.length > limit && (text.length > limit * 2 || lengthOf(text) > limit);
