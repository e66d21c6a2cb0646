/** A piece of a block of memory. */
export interface WrittenBytes {
  readonly bytes: Buffer;
  readonly from: number;
  /** Offset after the last byte. */
  readonly to: number;
}

/** Longer texts are encoded natively and checked afterwards. */
const longestShort = 48;
/** Maximum bytes of a JSON number and a comma. */
const longestNumber = 32;
/** Above this, a number cannot be written exactly as thousandths. */
const maxThousandths = 1e12;
const million = 1e6;
const billion = 1e9;
/** Bytes of `…` in UTF-8. */
const cutBytes = 3;
/** Above this, not all integers are exact. */
const maxWhole = 1e15;

/**
 * Writes JSON as bytes into a block of memory, member by member, for lines that are made for each request. It builds no
 * string of the line, and writes numbers digit by digit. Texts and numbers have the same form as from `JSON.stringify`.
 */
export class JsonBytes {
  readonly #blockSize: number;
  #bytes: Buffer;
  #from = 0;
  #at = 0;

  /** @param blockSize bytes of a block; a larger piece gets a block of its own */
  constructor(blockSize: number) {
    this.#blockSize = blockSize;
    this.#bytes = Buffer.allocUnsafeSlow(blockSize);
  }

  /** Begins a new piece. */
  begin(): void {
    this.#from = this.#at;
  }

  /** Returns the piece from its beginning. Valid until `reuse`. */
  end(): WrittenBytes {
    return { bytes: this.#bytes, from: this.#from, to: this.#at };
  }

  /** Truncates the piece to `length` bytes. */
  cut(length: number): void {
    this.#at = this.#from + length;
  }

  /** Releases all pieces so far. Their memory will be overwritten. */
  reuse(): void {
    if (this.#bytes.length > this.#blockSize) this.#bytes = Buffer.allocUnsafeSlow(this.#blockSize);
    this.#at = 0;
    this.#from = 0;
  }

  /** Bytes of the piece so far. */
  get length(): number {
    return this.#at - this.#from;
  }

  /** Returns a copy of the piece from an offset on. */
  copyFrom(offset: number): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(this.#from + offset, this.#at));
  }

  /** @param text short and ASCII only */
  ascii(text: string): void {
    const bytes = this.#reserve(text.length);
    let at = this.#at;
    for (let i = 0; i < text.length; i += 1, at += 1) bytes[at] = text.charCodeAt(i);
    this.#at = at;
  }

  /** @param code of an ASCII character */
  character(code: number): void {
    this.#reserve(1)[this.#at] = code;
    this.#at += 1;
  }

  append(span: Uint8Array): void {
    this.#reserve(span.length).set(span, this.#at);
    this.#at += span.length;
  }

  /** Writes a part of a span. */
  appendRange(span: Buffer, from: number, to: number): void {
    this.#at += span.copy(this.#reserve(to - from), this.#at, from, to);
  }

  /** @param json any JSON text, written unchanged */
  json(json: string): void {
    const bytes = this.#reserve(json.length * 3);
    this.#at += bytes.write(json, this.#at, 'utf8');
  }

  text(text: string | null): void {
    if (text === null) {
      this.ascii('null');
      return;
    }
    const isWritten = text.length > longestShort ? this.#long(text, text.length) : this.#short(text);
    if (!isWritten) this.json(JSON.stringify(text));
  }

  /** Writes a text that ends with `…`, which is written as an escape: lines that are pure ASCII can be read faster. */
  cutText(text: string): void {
    if (!this.#long(text, text.length - 1)) this.json(JSON.stringify(text.slice(0, -1)));
    // The closing quote.
    this.#at -= 1;
    this.ascii(String.raw`\u2026"`);
  }

  number(value: number | null): void {
    if (value === null) {
      this.ascii('null');
      return;
    }
    this.#reserve(longestNumber);
    const thousandths = Math.round(value * 1000);
    // A number with so few digits that equals this one is its shortest form.
    if (thousandths >= 0 && thousandths < maxThousandths && thousandths / 1000 === value) {
      const whole = Math.floor(thousandths / 1000);
      this.#whole(whole);
      this.#fraction(thousandths - whole * 1000);
    } else if (value > 0 && value < maxWhole && Number.isInteger(value)) {
      const millions = Math.floor(value / million);
      this.#whole(millions);
      this.digits(value - millions * million, 6);
    } else this.ascii(Number.isFinite(value) ? `${value}` : 'null');
  }

  /** Like `number`, for numbers from 0 to 1 with at most fifteen decimals, whose shortest form is found much faster. */
  ratio(value: number): void {
    const parts = Math.round(value * maxWhole);
    if (!(parts > 0 && parts < maxWhole && parts / maxWhole === value)) {
      this.number(value);
      return;
    }
    this.ascii('0.');
    this.#reserve(longestNumber);
    const upper = Math.floor(parts / billion);
    this.digits(upper, 6);
    this.digits(parts - upper * billion, 9);
    while (this.#bytes[this.#at - 1] === zero) this.#at -= 1;
  }

  /** @param value an integer from 0 to 999,999,999 */
  #whole(value: number): void {
    let rest = value | 0;
    let count = 1;
    for (let power = 10; power <= rest && count < 9; power *= 10) count += 1;
    this.#at += count;
    for (let at = this.#at - 1; count > 0; count -= 1, at -= 1) {
      const next = (rest / 10) | 0;
      this.#bytes[at] = zero + (rest - next * 10);
      rest = next;
    }
  }

  /** Writes an integer with leading zeros. @param digits at most nine, and at least as many as the number has */
  digits(value: number, digits: number): void {
    this.#reserve(digits);
    let rest = value | 0;
    this.#at += digits;
    for (let at = this.#at - 1, count = digits; count > 0; count -= 1, at -= 1) {
      const next = (rest / 10) | 0;
      this.#bytes[at] = zero + (rest - next * 10);
      rest = next;
    }
  }

  #fraction(thousandths: number): void {
    if (thousandths === 0) return;
    const bytes = this.#bytes;
    const tenths = (thousandths / 100) | 0;
    const rest = thousandths - tenths * 100;
    const hundredths = (rest / 10) | 0;
    const last = rest - hundredths * 10;
    bytes[this.#at] = point;
    bytes[this.#at + 1] = zero + tenths;
    bytes[this.#at + 2] = zero + hundredths;
    bytes[this.#at + 3] = zero + last;
    this.#at += last > 0 ? 4 : hundredths > 0 ? 3 : 2;
  }

  /** Returns false if the text needs escapes or is not ASCII. */
  #short(text: string): boolean {
    const bytes = this.#reserve(text.length + 2);
    let at = this.#at;
    bytes[at] = quote;
    at += 1;
    for (let i = 0; i < text.length; i += 1, at += 1) {
      const code = text.charCodeAt(i);
      if (code < space || code > lastPlain || code === quote || code === backslash) return false;
      bytes[at] = code;
    }
    bytes[at] = quote;
    this.#at = at + 1;
    return true;
  }

  /** Like `#short`. @param length number of leading characters that must be plain */
  #long(text: string, length: number): boolean {
    const bytes = this.#reserve(text.length * 3 + 2);
    const from = this.#at + 1;
    const bytesWritten = bytes.write(text, from, 'utf8');
    // The final `…` takes three bytes; every character before it must take one.
    if (bytesWritten !== length + (length < text.length ? cutBytes : 0)) return false;
    for (let at = from; at < from + length; at += 1) {
      const code = bytes[at] as number;
      if (code < space || code > lastPlain || code === quote || code === backslash) return false;
    }
    bytes[from - 1] = quote;
    bytes[from + length] = quote;
    this.#at = from + length + 1;
    return true;
  }

  /** Returns the block, with at least `more` bytes of space after the written ones. */
  #reserve(more: number): Buffer {
    return this.#at + more <= this.#bytes.length ? this.#bytes : this.#grow(more);
  }

  #grow(more: number): Buffer {
    const written = this.#bytes.subarray(this.#from, this.#at);
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(this.#blockSize, (written.length + more) * 2));
    this.#bytes.set(written);
    this.#at = written.length;
    this.#from = 0;
    return this.#bytes;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const lastPlain = 0x7e;
const point = 0x2e;
const zero = 0x30;
