import type { Piece } from './scanner.ts';

/** Bytes; of a longer line nothing is known before it is sent. */
const longest = 64 * 1024;

const lineFeed = 0x0a;

/**
 * The first line of a form's first file. All lines of a batch ask for one model by one route, so that whoever writes
 * lines anew learns from the first whether there is anything to do.
 */
export class FirstLine {
  /** Without its end; undefined while it has not come whole, and when it is too long. */
  text: string | undefined;
  /** Nothing more is to be learned. */
  isSettled = false;
  #isOpen = false;
  #pieces: Buffer[] = [];
  #size = 0;

  note(piece: Piece): void {
    if (this.isSettled) return;
    if (piece.kind === 'head') this.#isOpen = piece.part.isFile;
    else if (piece.kind === 'body' && this.#isOpen) this.#content(piece.bytes);
    else if (piece.kind === 'delimiter' && this.#isOpen) this.#settle(true);
  }

  #content(bytes: Buffer): void {
    const end = bytes.indexOf(lineFeed);
    const part = end < 0 ? bytes : bytes.subarray(0, end);
    this.#pieces.push(part);
    this.#size += part.length;
    if (end >= 0 || this.#size > longest) this.#settle(this.#size <= longest);
  }

  #settle(isKnown: boolean): void {
    this.isSettled = true;
    if (isKnown) this.text = Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/, '');
    this.#pieces = [];
  }
}
