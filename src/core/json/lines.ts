import { GatewayError } from '../error.ts';
import type { LineEdit } from '../http/form.ts';
import { appendBytes } from '../memory/byte-pieces.ts';

/** The longest line, in bytes: one request of a batch with its images. */
const lineLimit = 64 * 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Writes the lines of a file anew while it passes, cut anywhere. A line that the edit gives back as it was keeps its
 * bytes, each line keeps its own end (LF or CRLF; the last may have none), and a byte order mark at the start goes.
 */
export class LineRewriter {
  readonly #edit: LineEdit;
  /** Pieces of a line whose end has not come. */
  #open: Buffer[] = [];
  #openLength = 0;
  #index = 0;
  #isStart: boolean;

  /** @param keepsMark a byte order mark at the start stays, and is part of the first line */
  constructor(edit: LineEdit, keepsMark = false) {
    this.#edit = edit;
    this.#isStart = !keepsMark;
  }

  /** Bytes of the line that has begun and not ended. */
  get waiting(): number {
    return this.#openLength;
  }

  /** What can be passed on now. @throws GatewayError of the edit; `invalid_form` for a line that is too long */
  push(chunk: Buffer): Buffer[] {
    const bytes = this.#isStart ? this.#withoutMark(chunk) : chunk;
    if (bytes === undefined) return [];
    const out: Buffer[] = [];
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      this.#line(this.#close(bytes.subarray(from, end + 1)), out);
      from = end + 1;
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
    return out;
  }

  /** The file is at its end: its last line may lack one. */
  end(): Buffer[] {
    const out: Buffer[] = [];
    this.#isStart = false;
    if (this.#openLength > 0) this.#line(this.#close(undefined), out);
    return out;
  }

  /** Undefined while the mark may still be coming. */
  #withoutMark(chunk: Buffer): Buffer | undefined {
    const bytes = this.#close(chunk);
    if (bytes.length < byteOrderMark.length && bytes.equals(byteOrderMark.subarray(0, bytes.length))) {
      if (bytes.length > 0) this.#keep(bytes);
      return undefined;
    }
    this.#isStart = false;
    return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? bytes.subarray(byteOrderMark.length) : bytes;
  }

  #keep(piece: Buffer): void {
    this.#openLength += piece.length;
    if (this.#openLength > lineLimit) {
      throw new GatewayError('invalid_form', {
        message: `Line ${this.#index + 1} of the file is longer than ${lineLimit} bytes.`,
        param: 'file',
        hint: 'Send a file of lines, one JSON object on each.',
      });
    }
    appendBytes(this.#open, piece);
  }

  /** The open line with its last piece. */
  #close(last: Buffer | undefined): Buffer {
    if (this.#openLength === 0) return last ?? Buffer.alloc(0);
    const whole = Buffer.concat(last === undefined ? this.#open : [...this.#open, last]);
    this.#open = [];
    this.#openLength = 0;
    return whole;
  }

  #line(bytes: Buffer, out: Buffer[]): void {
    const end = endOf(bytes);
    const line = bytes.toString('utf8', 0, end);
    const written = this.#edit(line, this.#index);
    this.#index += 1;
    if (written === undefined) return;
    if (written === line) out.push(bytes);
    else out.push(Buffer.from(written, 'utf8'), bytes.subarray(end));
  }
}

/** Where the end of a line begins. */
function endOf(bytes: Buffer): number {
  const { length } = bytes;
  if (bytes[length - 1] !== lineFeed) return length;
  return bytes[length - 2] === carriageReturn ? length - 2 : length - 1;
}
