import type { FormPiece } from './scanner.ts';

/** Maximum length in bytes, with blank lines before it; a longer line is not known before it is sent. */
const longest = 64 * 1024;

const lineFeed = 0x0a;

/**
 * The first line of a form's first file that is not blank. All lines of a batch use the same model and route, so the first one shows
 * whether the lines must be rewritten.
 */
export class FirstLine {
  /** Without line end; undefined until it is complete, and if it is too long. */
  text: string | undefined;
  /** True once the line is complete or too long. */
  isSettled = false;
  #isInFile = false;
  #pieces: Buffer[] = [];
  #size = 0;

  add(piece: FormPiece): void {
    if (this.isSettled) return;
    if (piece.kind === 'head') this.#isInFile = piece.part.isFile;
    else if (piece.kind === 'body' && this.#isInFile) this.#content(piece.bytes);
    else if (piece.kind === 'delimiter' && this.#isInFile) this.#settle(true);
  }

  #content(bytes: Buffer): void {
    for (let rest = bytes; !this.isSettled && rest.length > 0; ) {
      const end = rest.indexOf(lineFeed);
      const part = end < 0 ? rest : rest.subarray(0, end);
      rest = rest.subarray(part.length + 1);
      this.#pieces.push(part);
      this.#size += part.length;
      if (this.#size > longest) this.#settle(false);
      else if (end >= 0 && this.#isBlank()) {
        this.#pieces = [];
        this.#size += 1;
      } else if (end >= 0) this.#settle(true);
    }
  }

  #isBlank(): boolean {
    return this.#pieces.every((piece) => piece.toString('latin1').trim() === '');
  }

  #settle(isKnown: boolean): void {
    this.isSettled = true;
    if (isKnown) this.text = Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/, '');
    this.#pieces = [];
  }
}
