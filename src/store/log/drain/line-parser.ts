/** A part of a line, up to a mark, that is often the same as in the previous line. */
export class CachedPart {
  readonly mark: string;
  last = '';

  constructor(mark: string) {
    this.mark = mark;
  }
}

/** Maximum length of a cached part. */
const maxCachedLength = 1024;

/**
 * Parses a line whose members and their order are known, without building values. An unexpected character sets `isValid`
 * to false, and results after that are meaningless.
 */
export class LineParser {
  readonly text: string;
  at = 0;
  isValid = true;

  /** @param text one character per byte */
  constructor(text: string) {
    this.text = text;
  }

  /** Skips text that must be at this position. */
  expect(expected: string): void {
    if (this.text.startsWith(expected, this.at)) this.at += expected.length;
    else this.isValid = false;
  }

  /** Skips this text if it is at this position. */
  accept(text: string): boolean {
    const isHere = this.text.startsWith(text, this.at);
    if (isHere) this.at += text.length;
    return isHere;
  }

  /** Returns the text before a mark, and moves to the mark. */
  readUntil(mark: string): string {
    const end = this.text.indexOf(mark, this.at);
    if (end < 0) return this.#fail('');
    const found = this.text.slice(this.at, end);
    this.at = end;
    return found;
  }

  /**
   * Returns the text up to and including the gap's mark, and moves after it. It is nearly always the same as in the
   * previous line, and comparing is faster than searching.
   */
  readCached(gap: CachedPart): string {
    const { last } = gap;
    const end = this.at + last.length;
    if (last !== '' && this.text.slice(this.at, end) === last) {
      this.at = end;
      return last;
    }
    const { at } = this;
    this.readUntil(gap.mark);
    this.at += gap.mark.length;
    const found = this.text.slice(at, this.at);
    // Copy it: a slice would keep the whole line in memory.
    if (this.isValid && found.length <= maxCachedLength) gap.last = Buffer.from(found, 'latin1').toString('latin1');
    return found;
  }

  /** Returns the rest of a string after its opening quote, and moves after its closing quote. Only short strings of plain characters. */
  readPlainText(): string {
    const { text, at } = this;
    for (let end = at; end < at + maxPlainLength; end += 1) {
      const code = text.charCodeAt(end);
      if (code === quote) {
        this.at = end + 1;
        return text.slice(at, end);
      }
      if (code === backslash || !(code >= space && code < 0x7f)) break;
    }
    return this.#fail('');
  }

  /** Parses a number without an exponent, as exactly as a JSON parser. */
  readNumber(): number {
    const { text } = this;
    let { at } = this;
    let [value, digits, decimals] = [0, 0, -1];
    for (; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === point && decimals < 0 && digits > 0) decimals = 0;
      else if (code >= zero && code <= zero + 9) {
        value = value * 10 + (code - zero);
        digits += 1;
        if (decimals >= 0) decimals += 1;
      } else break;
    }
    const end = text.charCodeAt(at);
    // With more than fifteen digits, the quotient may not be the nearest number.
    if (digits === 0 || digits > 15 || end !== comma) return this.#fail(0);
    this.at = at;
    return decimals > 0 ? value / (powers[decimals] ?? 1) : value;
  }

  /** Moves to the next comma. */
  skipToComma(): void {
    const end = this.text.indexOf(',', this.at);
    if (end < 0) this.isValid = false;
    else this.at = end;
  }

  /** Moves after the end of a string of any content, whose opening quote was already read. */
  skipText(): void {
    for (let end = this.text.indexOf('"', this.at); end >= 0; end = this.text.indexOf('"', end + 1)) {
      let escapes = 0;
      while (this.text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
      if (escapes % 2 === 1) continue;
      this.at = end + 1;
      return;
    }
    this.isValid = false;
  }

  #fail<T>(value: T): T {
    this.isValid = false;
    return value;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const point = 0x2e;
const zero = 0x30;
const comma = 0x2c;
/** Maximum characters of a text that stores keep. */
const maxPlainLength = 400;
const powers = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
