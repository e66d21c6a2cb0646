import { GatewayError } from '../error.ts';
import type { LineEdit } from '../http/form.ts';
import { appendBytes, joinRuns } from '../memory/byte-pieces.ts';

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

  /** Returns the bytes that can be forwarded now, with short lines joined. @throws GatewayError of the edit; `invalid_form` for a line that is too long */
  push(chunk: Buffer): Buffer[] {
    const bytes = this.#isStart ? this.#withoutMark(chunk) : chunk;
    if (bytes === undefined) return [];
    const end = bytes.lastIndexOf(lineFeed) + 1;
    const out: Buffer[] = [];
    const from = end > 0 && this.#incompleteLength > 0 ? bytes.indexOf(lineFeed) + 1 : 0;
    if (from > 0) this.#lines(this.#completeLine(bytes.subarray(0, from)), out);
    this.#lines(bytes.subarray(from, end), out);
    if (end < bytes.length) this.#buffer(bytes.subarray(end));
    return joinRuns(out);
  }

  /** Ends the file. Its last line may lack a line end. */
  end(): Buffer[] {
    const out: Buffer[] = [];
    this.#isStart = false;
    if (this.#incompleteLength > 0) this.#lines(this.#completeLine(undefined), out);
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

  /** Each line of the bytes; the last may lack a line end. Unchanged lines in a row remain one piece, because a file may have millions. */
  #lines(bytes: Buffer, out: Buffer[]): void {
    let unchanged = 0;
    let from = 0;
    while (from < bytes.length) {
      const feed = bytes.indexOf(lineFeed, from);
      const next = feed < 0 ? bytes.length : feed + 1;
      const end = endOf(bytes, from, next);
      const line = bytes.toString('utf8', from, end);
      const written = this.#edit(line, this.#index);
      this.#index += 1;
      if (written !== line) {
        if (unchanged < from) out.push(bytes.subarray(unchanged, from));
        if (written !== undefined) out.push(Buffer.from(written, 'utf8'));
        unchanged = written === undefined ? next : end;
      }
      from = next;
    }
    if (unchanged < from) out.push(bytes.subarray(unchanged));
  }
}

/** The offset at which the end of the line begins. @param next offset of the next line */
function endOf(bytes: Buffer, from: number, next: number): number {
  if (bytes[next - 1] !== lineFeed) return next;
  return next - 2 >= from && bytes[next - 2] === carriageReturn ? next - 2 : next - 1;
}
