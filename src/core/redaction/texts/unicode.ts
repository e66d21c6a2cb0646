/**
 * Texts that are looked through have one byte of UTF-8 a character, or are decoded, or are both, where some characters of
 * a string of JSON are written as escapes.
 */

/** A text as people read it, and where its characters are in the text that it was made of. */
export interface Readable {
  readonly text: string;
  /** Offset of a UTF-16 unit of `text`, its end included. */
  from(unit: number): number;
}

/** The text itself where it is ASCII. What is no UTF-8 stays as it is. */
export function readable(text: string): Readable {
  if (!/[\u0080-\u00ff]/.test(text)) return { text, from: (unit) => unit };
  const offsets = new Uint32Array(text.length + 1);
  let out = '';
  let units = 0;
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const length = lengthOf(text, at);
    offsets[units] = at;
    units += 1;
    if (length > 1) {
      const character = Buffer.from(text.slice(at, at + length), 'latin1').toString('utf8');
      out += text.slice(copied, at) + character;
      copied = at + length;
      if (character.length > 1) {
        offsets[units] = at;
        units += 1;
      }
    }
    at += length;
  }
  offsets[units] = text.length;
  return { text: out + text.slice(copied), from: (unit) => offsets[unit] as number };
}

/** Characters that are the bytes of one character of UTF-8; 1 for any other. */
function lengthOf(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first < 0xc2 || first > 0xf4) return 1;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 1; i < length; i += 1) {
    const c = text.charCodeAt(at + i);
    if (!(c >= 0x80 && c <= 0xbf)) return 1;
  }
  const second = text.charCodeAt(at + 1);
  // What is written longer than it has to be, halves of pairs, and what lies beyond Unicode.
  const isNone = (first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f);
  return isNone || (first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f) ? 1 : length;
}

/** The bytes of UTF-8 as text, one a character: as names and values are in a body. */
export const oneByte = (text: string): string => (/[\u0080-\uffff]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text);
