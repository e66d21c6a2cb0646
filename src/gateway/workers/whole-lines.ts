/** Maximum length of text buffered without a line feed, in bytes. */
const longest = 1024 * 1024;

/** Passes on the output of a pipe up to its last line feed, so that lines of several processes never mix. */
export class WholeLines {
  readonly #take: (lines: Buffer) => void;
  #rest: Buffer[] = [];
  #length = 0;

  constructor(take: (lines: Buffer) => void) {
    this.#take = take;
  }

  add(piece: Buffer): void {
    const end = piece.lastIndexOf(0x0a) + 1;
    if (end > 0) this.#take(this.#rest.length === 0 ? piece.subarray(0, end) : Buffer.concat([...this.#rest, piece.subarray(0, end)]));
    if (end > 0) this.#clear();
    if (end < piece.length) this.#rest.push(piece.subarray(end));
    this.#length += piece.length - end;
    if (this.#length > longest) this.end();
  }

  /** End of the output: the remaining text becomes a line. */
  end(): void {
    if (this.#length > 0) this.#take(Buffer.concat([...this.#rest, Buffer.from('\n')]));
    this.#clear();
  }

  #clear(): void {
    this.#rest = [];
    this.#length = 0;
  }
}
