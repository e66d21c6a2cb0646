/** Full-width digits (U+FF10 to U+FF19), as UTF-8 bytes and decoded. */
const wideDigit = /\u00ef\u00bc[\u0090-\u0099]|[\uff10-\uff19]/;
/** They and other full-width characters of numbers: those of ASCII from U+FF01 on, and the ideographic space. */
const wide = /\u00ef\u00bc([\u0081-\u00a0])|([\uff01-\uff20])|\u00e3\u0080\u0080|\u3000/g;

/** Distance of a full-width character from that of ASCII: of the last byte, and of the code point. */
const byteDistance = 0x81 - 0x21;
const codeDistance = 0xff01 - 0x21;

/** A text with ASCII characters in place of full-width ones, and offsets in the original. */
export class Narrow {
  readonly text: string;
  /** Offsets of this text after each replaced character, and by how much the original is longer up to there. */
  readonly #ends: number[] = [];
  readonly #longer: number[] = [];

  constructor(raw: string) {
    let out = '';
    let copied = 0;
    let longer = 0;
    for (const match of raw.matchAll(wide)) {
      const [whole, byte, code] = match;
      out += raw.slice(copied, match.index) + narrowOf(byte, code);
      copied = match.index + whole.length;
      longer += whole.length - 1;
      if (whole.length === 1) continue;
      this.#ends.push(out.length);
      this.#longer.push(longer);
    }
    this.text = out + raw.slice(copied);
  }

  /** The offset in the original. */
  of(offset: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    return offset + (low === 0 ? 0 : (this.#longer[low - 1] as number));
  }
}

function narrowOf(byte: string | undefined, code: string | undefined): string {
  if (byte !== undefined) return String.fromCharCode(byte.charCodeAt(0) - byteDistance);
  return code === undefined ? ' ' : String.fromCharCode(code.charCodeAt(0) - codeDistance);
}

/** True if a text has digits that are equal to those of ASCII by Unicode normalization (NFKC). */
export const hasWideDigits = (text: string): boolean => wideDigit.test(text);
