/** Tokens for which memory is kept between texts. */
const keptTokens = 65_536;

/**
 * The structure of a JSON list or object, recorded while its text is scanned: the offset of each bracket, brace, comma and
 * colon, and two offsets for each string, of its opening quote and of the character after its closing one. Numbers, booleans
 * and null are not recorded. One tape serves all texts, one after the other, so that recording allocates nothing.
 */
export class TokenTape {
  offsets = new Int32Array(4096);
  length = 0;
  /** Which recording this is. Whoever reads the tape later compares it, to know that the tape is still that of the text. */
  recording = 0;

  /** Removes the tokens of the text before. */
  begin(): void {
    this.recording += 1;
    this.length = 0;
    if (this.offsets.length > keptTokens) this.offsets = new Int32Array(keptTokens);
  }

  add(offset: number): void {
    if (this.length === this.offsets.length) this.#grow();
    this.offsets[this.length++] = offset;
  }

  addString(start: number, end: number): void {
    if (this.length + 1 >= this.offsets.length) this.#grow();
    this.offsets[this.length] = start;
    this.offsets[this.length + 1] = end;
    this.length += 2;
  }

  #grow(): void {
    const larger = new Int32Array(2 * this.offsets.length);
    larger.set(this.offsets);
    this.offsets = larger;
  }
}
