/**
 * Four bytes of a text as one number, so that a look at them costs as much as a look at one. Numbers are made by
 * `fourTimes` and read with `DataView.getInt32`.
 */

/** The number whose four bytes are all this one. */
export const fourTimes = (byte: number): number => Math.imul(byte, 0x01010101);

const highest = fourTimes(0x80);

/**
 * Not 0 where one of the four bytes is smaller than this one.
 * @param least `fourTimes` of at most 0x80
 */
export const anyBelow = (four: number, least: number): number => (four - least) & ~four & highest;

/** Whether one of the four bytes is an ASCII digit: not 0. */
export const anyDigit = (four: number): number => anyBelow(four ^ zeros, tens);

const zeros = fourTimes(0x30);
const tens = fourTimes(10);
