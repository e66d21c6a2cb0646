import { GatewayError } from '../error.ts';
import type { LineEdit } from '../http/form.ts';
import { appendBytes } from '../memory/byte-pieces.ts';

/** Maximum length of a line in bytes: one request of a batch with its images. */
const lineLimit = 64 * 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Rewrites the lines of a file while it streams, in chunks split at any position. A line that the edit returns unchanged
 * keeps its bytes, and each line keeps its own end (LF or CRLF; the last may have none). A byte order mark at the start
 * is removed.
 */
export class LineRewriter {
  readonly #edit: LineEdit;
  /** Pieces of the incomplete line. */
  #incomplete: Buffer[] = [];
  #incompleteLength = 0;
  #index = 0;
  #isStart: boolean;

  /** @param keepsMark keeps a byte order mark at the start, as part of the first line */
  constructor(edit: LineEdit, keepsMark = false) {
    this.#edit = edit;
    this.#isStart = !keepsMark;
  }

  /** Bytes of the incomplete line. */
  get bufferedBytes(): number {
    return this.#incompleteLength;
  }

  /** Returns the bytes that can be forwarded now. @throws GatewayError of the edit; `invalid_form` for a line that is too long */
  push(chunk: Buffer): Buffer[] {
    const bytes = this.#isStart ? this.#withoutMark(chunk) : chunk;
    if (bytes === undefined) return [];
    const out: Buffer[] = [];
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      this.#line(this.#completeLine(bytes.subarray(from, end + 1)), out);
      from = end + 1;
    }
    if (from < bytes.length) this.#buffer(bytes.subarray(from));
    return out;
  }

  /** Ends the file. Its last line may lack a line end. */
  end(): Buffer[] {
    const out: Buffer[] = [];
    this.#isStart = false;
    if (this.#incompleteLength > 0) this.#line(this.#completeLine(undefined), out);
    return out;
  }

  /** Undefined until enough bytes were received to detect the mark. */
  #withoutMark(chunk: Buffer): Buffer | undefined {
    const bytes = this.#completeLine(chunk);
    if (bytes.length < byteOrderMark.length && bytes.equals(byteOrderMark.subarray(0, bytes.length))) {
      if (bytes.length > 0) this.#buffer(bytes);
      return undefined;
    }
    this.#isStart = false;
    return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? bytes.subarray(byteOrderMark.length) : bytes;
  }

  #buffer(piece: Buffer): void {
    this.#incompleteLength += piece.length;
    if (this.#incompleteLength > lineLimit) {
      throw new GatewayError('invalid_form', {
        message: `Line ${this.#index + 1} of the file is longer than ${lineLimit} bytes.`,
        param: 'file',
        hint: 'Send a file of lines, one JSON object on each.',
      });
    }
    appendBytes(this.#incomplete, piece);
  }

  /** Returns the incomplete line with its last piece. */
  #completeLine(last: Buffer | undefined): Buffer {
    if (this.#incompleteLength === 0) return last ?? Buffer.alloc(0);
    const whole = Buffer.concat(last === undefined ? this.#incomplete : [...this.#incomplete, last]);
    this.#incomplete = [];
    this.#incompleteLength = 0;
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

/** The offset at which the line end begins. */
function endOf(bytes: Buffer): number {
  const { length } = bytes;
  if (bytes[length - 1] !== lineFeed) return length;
  return bytes[length - 2] === carriageReturn ? length - 2 : length - 1;
}
