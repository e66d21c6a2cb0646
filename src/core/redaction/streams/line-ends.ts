/** Where lines of a text end: at LF, CR LF or CR, as server-sent events may. */
export class LineEnds {
  readonly #text: string;
  #feed = -1;
  #return = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Behind the last character of the line at an offset, which grows from call to call. */
  from(at: number): number {
    if (this.#feed < at) this.#feed = this.#next('\n', at);
    if (this.#return < at) this.#return = this.#next('\r', at);
    return Math.min(this.#feed, this.#return);
  }

  /** Where the line behind this end begins. */
  behind(end: number): number {
    return end === this.#return && end + 1 === this.#feed ? end + 2 : end + 1;
  }

  #next(sign: string, at: number): number {
    const found = this.#text.indexOf(sign, at);
    return found < 0 ? this.#text.length : found;
  }
}
