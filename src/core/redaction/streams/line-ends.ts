/** Finds the ends of the lines of a text, one character per byte: LF, CR LF or CR, as in server-sent events. */
export class LineEnds {
  /** The offset of the first line, after a byte order mark. */
  readonly start: number;
  readonly #text: string;
  #feed = -1;
  #return = -1;

  constructor(text: string) {
    this.#text = text;
    this.start = text.startsWith('\u{ef}\u{bb}\u{bf}') ? 3 : 0;
  }

  /** The offset after the last character of the line at `at`. Offsets must ascend from call to call. */
  from(at: number): number {
    if (this.#feed < at) this.#feed = this.#next('\n', at);
    if (this.#return < at) this.#return = this.#next('\r', at);
    return Math.min(this.#feed, this.#return);
  }

  /** The offset at which the line after this end begins. */
  startOfNextLine(end: number): number {
    return end === this.#return && end + 1 === this.#feed ? end + 2 : end + 1;
  }

  #next(sign: string, at: number): number {
    const found = this.#text.indexOf(sign, at);
    return found < 0 ? this.#text.length : found;
  }
}
