import { invalidForm, type PartHead, parseHead } from './head.ts';
import { boundaryOddity } from './oddities.ts';

/** A range of bytes of a form. All pieces concatenated are the original form. */
export type FormPiece =
  /** A delimiter line, including the line end before it; `isLast` closes the form. */
  | { readonly kind: 'delimiter'; readonly bytes: Buffer; readonly isLast: boolean }
  /** The head of a part, including the empty line at its end. */
  | { readonly kind: 'head'; readonly bytes: Buffer; readonly part: PartHead }
  /** A section of the part's content. */
  | { readonly kind: 'body'; readonly bytes: Buffer }
  /** Bytes before the first delimiter or after the last one. */
  | { readonly kind: 'outside'; readonly bytes: Buffer };

/** Maximum size of a part's head, in bytes. */
const headLimit = 16 * 1024;
const partLimit = 1000;
/** Maximum bytes before the first delimiter; clients send none. */
const preambleLimit = 64 * 1024;
/** Maximum white space between a delimiter and the end of its line. */
const paddingLimit = 256;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const dash = 0x2d;

type State = 'preamble' | 'delimiter' | 'head' | 'begin' | 'body' | 'epilogue';

/**
 * Splits a multipart form, whose bytes arrive in arbitrary chunks, into parts. Lines end with CRLF. If the first
 * delimiter ends with a bare LF, as some hand-written clients send it, LF is expected throughout.
 */
export class FormScanner {
  readonly #dashed: Buffer;
  #delimiter: Buffer;
  #state: State = 'preamble';
  #rest: Buffer = Buffer.alloc(0);
  #parts = 0;
  #preamble = 0;
  /** Length of the line end before the delimiter at the start of the remaining bytes. */
  #lineEndLength = 0;
  #oddity: string | undefined;
  /** Bytes after the closing delimiter. */
  #epilogue = 0;

  constructor(boundary: string) {
    this.#oddity = boundaryOddity(boundary);
    this.#dashed = Buffer.from(`--${boundary}`, 'latin1');
    this.#delimiter = Buffer.concat([Buffer.from('\r\n'), this.#dashed]);
  }

  /** The line end that this form uses. */
  get lineEnd(): string {
    return this.#delimiter[0] === lineFeed ? '\n' : '\r\n';
  }

  /**
   * The first ambiguity found so far: completes the sentence `the form …`. A provider that receives such a form may
   * find other fields in it than the gateway did.
   */
  get oddity(): string | undefined {
    return this.#oddity;
  }

  /** The closing delimiter was found. */
  get isClosed(): boolean {
    return this.#state === 'epilogue';
  }

  /** @throws GatewayError `invalid_form` */
  push(chunk: Buffer): FormPiece[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const out: FormPiece[] = [];
    let at = 0;
    for (let next = this.#step(bytes, at, out); next >= 0; next = this.#step(bytes, at, out)) at = next;
    this.#rest = bytes.subarray(at);
    return out;
  }

  /** Called at the end of the bytes. @throws GatewayError `invalid_form` if the form is incomplete */
  end(): void {
    if (this.#state !== 'epilogue') throw invalidForm(this.#state === 'preamble' ? noBoundary : 'The form ends in the middle of a part.');
  }

  /** Processes one step from `at`. Returns the position of the next step, or -1 if more bytes are needed. */
  #step(bytes: Buffer, at: number, out: FormPiece[]): number {
    switch (this.#state) {
      case 'preamble':
        return this.#beforeFirst(bytes, at, out);
      case 'delimiter':
        return this.#delimiterLine(bytes, at, out);
      case 'head':
        return this.#head(bytes, at, out);
      case 'begin':
        return this.#begin(bytes, at);
      case 'body':
        return this.#body(bytes, at, out);
      case 'epilogue':
        return this.#afterLast(bytes, at, out);
      default:
        return this.#state satisfies never;
    }
  }

  /** The first delimiter is at the start of the form or of a line. */
  #beforeFirst(bytes: Buffer, at: number, out: FormPiece[]): number {
    const found = bytes.indexOf(this.#dashed, at);
    const isFront = found === 0 && this.#preamble === 0;
    if (found >= 0 && (isFront || bytes[found - 1] === lineFeed)) {
      if (!isFront) this.#oddity ??= oddities.preamble;
      emit('outside', bytes, at, found, out);
      this.#lineEndLength = 0;
      this.#state = 'delimiter';
      return found;
    }
    // Keeps one byte more than a split delimiter needs, because the line end before it must be visible, too.
    const until = found >= 0 ? found + 1 : bytes.length - this.#dashed.length;
    if (until <= at) return -1;
    this.#preamble += until - at;
    if (this.#preamble > preambleLimit) throw invalidForm(noBoundary);
    emit('outside', bytes, at, until, out);
    return until;
  }

  #delimiterLine(bytes: Buffer, at: number, out: FormPiece[]): number {
    let end = at + this.#lineEndLength + this.#dashed.length;
    if (bytes[end] === dash) {
      if (end + 1 >= bytes.length) return -1;
      if (bytes[end + 1] !== dash) throw invalidForm(badDelimiter);
      out.push({ kind: 'delimiter', bytes: bytes.subarray(at, end + 2), isLast: true });
      this.#state = 'epilogue';
      return end + 2;
    }
    const limit = end + paddingLimit;
    while (bytes[end] === 0x20 || bytes[end] === 0x09) end += 1;
    if (end > limit) throw invalidForm(badDelimiter);
    if (end > limit - paddingLimit) this.#oddity ??= oddities.padding;
    if (bytes[end] === carriageReturn) end += 1;
    if (end >= bytes.length) return -1;
    if (bytes[end] !== lineFeed) throw invalidForm(badDelimiter);
    if (bytes[end - 1] !== carriageReturn) this.#oddity ??= oddities.lineFeeds;
    if (this.#parts === 0 && bytes[end - 1] !== carriageReturn) {
      this.#delimiter = Buffer.concat([Buffer.from('\n'), this.#dashed]);
    }
    out.push({ kind: 'delimiter', bytes: bytes.subarray(at, end + 1), isLast: false });
    this.#state = 'head';
    return end + 1;
  }

  /** Reads lines up to the empty one. */
  #head(bytes: Buffer, at: number, out: FormPiece[]): number {
    for (let from = at; ; ) {
      const end = bytes.indexOf(lineFeed, from);
      if ((end < 0 ? bytes.length : end) - at > headLimit) throw invalidForm(`The head of a part is larger than ${headLimit} bytes.`);
      if (end < 0) return -1;
      if (end === from || (end === from + 1 && bytes[from] === carriageReturn)) {
        this.#parts += 1;
        if (this.#parts > partLimit) throw invalidForm(`The form has more than ${partLimit} parts.`);
        const part = parseHead(bytes.toString('utf8', at, from));
        this.#oddity ??= end === from ? oddities.lineFeeds : part.oddity;
        out.push({ kind: 'head', bytes: bytes.subarray(at, end + 1), part });
        this.#state = 'begin';
        return end + 1;
      }
      from = end + 1;
    }
  }

  /** In a part without content, the delimiter may follow the head directly (RFC 2046 5.1.1). */
  #begin(bytes: Buffer, at: number): number {
    const front = bytes.subarray(at, at + this.#dashed.length);
    const isDelimiter = front.equals(this.#dashed.subarray(0, front.length));
    if (isDelimiter && front.length < this.#dashed.length) return -1;
    this.#lineEndLength = 0;
    if (isDelimiter) this.#oddity ??= oddities.noContent;
    this.#state = isDelimiter ? 'delimiter' : 'body';
    return at;
  }

  #body(bytes: Buffer, at: number, out: FormPiece[]): number {
    const found = bytes.indexOf(this.#delimiter, at);
    this.#checkInside(bytes, at, found);
    if (found >= 0) {
      emit('body', bytes, at, found, out);
      this.#lineEndLength = this.#delimiter.length - this.#dashed.length;
      this.#state = 'delimiter';
      return found;
    }
    const until = bytes.length - this.#cutLength(bytes, at);
    return emit('body', bytes, at, until, out) ? until : -1;
  }

  /** Lenient parsers also end the part at a boundary within a line, or after another kind of line end. */
  #checkInside(bytes: Buffer, at: number, found: number): void {
    if (this.#oddity !== undefined) return;
    const inside = bytes.indexOf(this.#dashed, at);
    if (inside >= 0 && (found < 0 || inside < found)) this.#oddity = oddities.boundaryInside;
  }

  /** Only the line end of the closing delimiter is expected here. */
  #afterLast(bytes: Buffer, at: number, out: FormPiece[]): number {
    for (let from = at; this.#oddity === undefined && from < bytes.length; from += 1) {
      const isLineEnd = bytes[from] === lineEnd[this.#epilogue];
      this.#epilogue += 1;
      if (!isLineEnd) this.#oddity = oddities.epilogue;
    }
    return emit('outside', bytes, at, bytes.length, out) ? bytes.length : -1;
  }

  /** Number of bytes at the end that may be the start of a delimiter, or of a boundary at an unexpected position. */
  #cutLength(bytes: Buffer, at: number): number {
    return Math.max(
      partialMatchLength(this.#delimiter, bytes, at),
      this.#oddity === undefined ? partialMatchLength(this.#dashed, bytes, at) : 0,
    );
  }
}

function partialMatchLength(wanted: Buffer, bytes: Buffer, at: number): number {
  const first = wanted[0] ?? dash;
  const earliest = Math.max(at, bytes.length - wanted.length + 1);
  for (let from = bytes.indexOf(first, earliest); from >= 0; from = bytes.indexOf(first, from + 1)) {
    if (bytes.subarray(from).equals(wanted.subarray(0, bytes.length - from))) return bytes.length - from;
  }
  return 0;
}

/** Returns false for an empty range. */
function emit(kind: 'body' | 'outside', bytes: Buffer, from: number, to: number, out: FormPiece[]): boolean {
  if (to <= from) return false;
  out.push({ kind, bytes: bytes.subarray(from, to) });
  return true;
}

const lineEnd: readonly number[] = [carriageReturn, lineFeed];

const oddities = {
  preamble: 'has text before its first boundary',
  epilogue: 'has text after its closing boundary',
  padding: 'has white space after a boundary',
  lineFeeds: 'has lines that end without a carriage return',
  noContent: 'has a part without an empty line after its head',
  boundaryInside: 'has its boundary in the middle of a part',
} as const;

const noBoundary = 'The body does not begin with the boundary in its content-type.';
const badDelimiter = 'A boundary line of the form is not valid.';
