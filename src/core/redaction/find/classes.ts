/**
 * Character classes. Texts are either decoded or have one character per byte (UTF-8 bytes read as latin1). In both, every
 * character beyond ASCII counts as a letter.
 */

export const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;

export const isLetter = (c: number): boolean => (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a);

export const isAlnum = (c: number): boolean => isDigit(c) || isLetter(c);

const table = (pattern: RegExp): Uint8Array => Uint8Array.from({ length: 128 }, (_, c) => (pattern.test(String.fromCharCode(c)) ? 1 : 0));

/** Characters of a key, a token or base64. */
const keyCharacters = table(/[\w\-.+/=~]/);
export const isKeyCharacter = (c: number): boolean => c < 128 && keyCharacters[c] === 1;

/** The start of a run of key characters without the hex digits of a preceding URL escape such as `%3D`. */
export function behindEscape(text: string, start: number): number {
  return start > 0 && text.charCodeAt(start - 1) === 0x25 && isHex(text.charCodeAt(start)) && isHex(text.charCodeAt(start + 1))
    ? start + 2
    : start;
}

/** True for the letter of a JSON escape such as `\n`. */
export const isEscapeLetter = (text: string, at: number): boolean => text.charCodeAt(at - 1) === 0x5c && /[bfnrt]/.test(text.charAt(at));

const isHex = (c: number): boolean => isDigit(c) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);

/** Characters before the @ of an email address that mail programs send unquoted. */
const localCharacters = table(/[\w!#$%&'*+\-/=?^`{|}~.]/);
export const isLocalCharacter = (c: number): boolean => c >= 0x80 || localCharacters[c] === 1;

/** ASCII characters of a domain name. */
export const isDomainCharacter = (c: number): boolean => isAlnum(c) || c === 0x2d || c === 0x2e;

/**
 * Separators between the digits of a number: space, dash, dot, slash, brackets, and typographic spaces and dashes,
 * decoded or as UTF-8 bytes (C2 A0, E2 80 xx).
 */
export function isGap(c: number): boolean {
  if (c < 128) return c === 0x20 || c === 0x2d || c === 0x2e || c === 0x2f || c === 0x28 || c === 0x29;
  return c === 0xa0 || c === 0xc2 || c === 0xe2 || (c >= 0x80 && c <= 0x95) || c === 0xaf || (c >= 0x2007 && c <= 0x2015) || c === 0x202f;
}
