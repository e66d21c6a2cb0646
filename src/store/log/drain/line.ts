/** A place of lines where something is that is alike in many, up to a mark. */
export class Gap {
  readonly mark: string;
  last = '';

  constructor(mark: string) {
    this.mark = mark;
  }
}

/** Longer ones are searched each time. */
const longestGap = 1024;

/**
 * Walks along a line whose members are known beforehand, without building what they hold. What is not as expected makes
 * it `isGood: false`, and whatever it gives after that means nothing.
 */
export class Line {
  readonly text: string;
  at = 0;
  isGood = true;

  /** @param text one character a byte */
  constructor(text: string) {
    this.text = text;
  }

  /** Goes behind what must be here. */
  over(expected: string): void {
    if (this.text.startsWith(expected, this.at)) this.at += expected.length;
    else this.isGood = false;
  }

  /** Goes behind this if it is here. */
  isOver(text: string): boolean {
    const isHere = this.text.startsWith(text, this.at);
    if (isHere) this.at += text.length;
    return isHere;
  }

  /** What is before a mark; goes to the mark. */
  upTo(mark: string): string {
    const end = this.text.indexOf(mark, this.at);
    if (end < 0) return this.#bad('');
    const found = this.text.slice(this.at, end);
    this.at = end;
    return found;
  }

  /**
   * What is before the mark of a gap, with the mark; goes behind it. It is nearly always what was there last, which
   * is known faster than it is searched.
   */
  until(gap: Gap): string {
    const { last } = gap;
    const end = this.at + last.length;
    if (last !== '' && this.text.slice(this.at, end) === last) {
      this.at = end;
      return last;
    }
    const { at } = this;
    this.upTo(gap.mark);
    this.at += gap.mark.length;
    const found = this.text.slice(at, this.at);
    // A copy: a piece of a line would keep all of it.
    if (this.isGood && found.length <= longestGap) gap.last = Buffer.from(found, 'latin1').toString('latin1');
    return found;
  }

  /** The rest of a text whose opening quote is behind; goes behind its closing one. Plain characters alone, and not many. */
  plainText(): string {
    const { text, at } = this;
    for (let end = at; end < at + longestPlain; end += 1) {
      const code = text.charCodeAt(end);
      if (code === quote) {
        this.at = end + 1;
        return text.slice(at, end);
      }
      if (code === backslash || !(code >= space && code < 0x7f)) break;
    }
    return this.#bad('');
  }

  /** A number without an exponent; as exact as a parser of JSON reads it. */
  number(): number {
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
    // Beyond fifteen digits a quotient of two exact numbers is not the nearest one any more.
    if (digits === 0 || digits > 15 || end !== comma) return this.#bad(0);
    this.at = at;
    return decimals > 0 ? value / (powers[decimals] ?? 1) : value;
  }

  /** Goes to the next comma. */
  toComma(): void {
    const end = this.text.indexOf(',', this.at);
    if (end < 0) this.isGood = false;
    else this.at = end;
  }

  /** Goes behind the end of a text whose opening quote is behind, whatever it holds. */
  overText(): void {
    for (let end = this.text.indexOf('"', this.at); end >= 0; end = this.text.indexOf('"', end + 1)) {
      let escapes = 0;
      while (this.text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
      if (escapes % 2 === 1) continue;
      this.at = end + 1;
      return;
    }
    this.isGood = false;
  }

  #bad<T>(value: T): T {
    this.isGood = false;
    return value;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const point = 0x2e;
const zero = 0x30;
const comma = 0x2c;
/** What stores keep of a text. */
const longestPlain = 400;
const powers = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
