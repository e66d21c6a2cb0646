/**
 * Classes of characters. Texts are either decoded or one byte a character (the bytes of UTF-8 as latin1): whatever is
 * beyond ASCII counts as a letter, in both.
 */

export const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;

export const isLetter = (c: number): boolean => (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a);

export const isAlnum = (c: number): boolean => isDigit(c) || isLetter(c);

const table = (pattern: RegExp): Uint8Array => Uint8Array.from({ length: 128 }, (_, c) => (pattern.test(String.fromCharCode(c)) ? 1 : 0));

/** Characters of a key, a token or base64. */
const keyCharacters = table(/[\w\-.+/=~]/);
export const isKeyCharacter = (c: number): boolean => c < 128 && keyCharacters[c] === 1;

/** Where a run of key characters really begins: `%3D` in front of it is a character of its own. */
export function behindEscape(text: string, start: number): number {
  return start > 0 && text.charCodeAt(start - 1) === 0x25 && isHex(text.charCodeAt(start)) && isHex(text.charCodeAt(start + 1))
    ? start + 2
    : start;
}

const isHex = (c: number): boolean => isDigit(c) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);

/** Characters in front of the @ of an address, as far as mail programs send them unquoted. */
const localCharacters = table(/[\w!#$%&'*+\-/=?^`{|}~.]/);
export const isLocalCharacter = (c: number): boolean => c >= 0x80 || localCharacters[c] === 1;

/** Characters of a domain name, as far as they are ASCII. */
export const isDomainCharacter = (c: number): boolean => isAlnum(c) || c === 0x2d || c === 0x2e;

/**
 * What people write between the digits of a number: space, dash, dot, slash, brackets, and the blanks and dashes of
 * typographers, decoded or as the bytes of UTF-8 (C2 A0, E2 80 xx).
 */
export function isGap(c: number): boolean {
  if (c < 128) return c === 0x20 || c === 0x2d || c === 0x2e || c === 0x2f || c === 0x28 || c === 0x29;
  return c === 0xa0 || c === 0xc2 || c === 0xe2 || (c >= 0x80 && c <= 0x95) || c === 0xaf || (c >= 0x2007 && c <= 0x2015) || c === 0x202f;
}
