/**
 * Texts to search are in one-byte form (each character is one byte of UTF-8) or decoded. A JSON string in one-byte form
 * that also contains escapes is a mix of both.
 */

/** A decoded text, and the offsets of its characters in the original text. */
export interface Readable {
  readonly text: string;
  /** Offset of a UTF-16 unit of `text`, or of its end. */
  from(unit: number): number;
}

/** Decodes one-byte text. ASCII text, and bytes that are not valid UTF-8, are not changed. */
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

/** Number of characters that form one UTF-8 character; 1 if they do not form one. */
function lengthOf(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first < 0xc2 || first > 0xf4) return 1;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 1; i < length; i += 1) {
    const c = text.charCodeAt(at + i);
    if (!(c >= 0x80 && c <= 0xbf)) return 1;
  }
  const second = text.charCodeAt(at + 1);
  // Overlong forms, surrogates, and code points beyond Unicode.
  const isNone = (first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f);
  return isNone || (first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f) ? 1 : length;
}

/** Encodes a text as UTF-8 bytes with one character per byte, the form of names and values in a body. */
export const oneByte = (text: string): string => (/[\u0080-\uffff]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text);
