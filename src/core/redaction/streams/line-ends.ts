/** Finds the ends of the lines of a text: LF, CR LF or CR, as in server-sent events. */
export class LineEnds {
  readonly #text: string;
  #feed = -1;
  #return = -1;

  constructor(text: string) {
    this.#text = text;
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
