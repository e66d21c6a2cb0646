/**
 * Operations on four bytes of a text as one number, so that four bytes cost as much as one. Numbers are created with
 * `fourTimes` and read with `DataView.getInt32`.
 */

/** Returns the number whose four bytes all have this value. */
export const fourTimes = (byte: number): number => Math.imul(byte, 0x01010101);

const highest = fourTimes(0x80);

/**
 * Non-zero if one of the four bytes is smaller than the given one.
 *
 * @param least `fourTimes` of at most 0x80
 */
export const anyBelow = (four: number, least: number): number => (four - least) & ~four & highest;

/** The same for eight bytes, in two numbers. */
export const anyBelowInTwo = (one: number, other: number, least: number): number =>
  (((one - least) & ~one) | ((other - least) & ~other)) & highest;

/** Non-zero if one of the eight bytes is an ASCII digit. */
export const anyDigitInTwo = (one: number, other: number): number => anyBelowInTwo(one ^ zeros, other ^ zeros, tens);

const zeros = fourTimes(0x30);
const tens = fourTimes(10);
