import type { AnswerHead, HeadParser } from './answer-head.ts';
import { ChunkReader } from '../../wire/chunks.ts';
import { malformed, WireFault } from '../../wire/fault.ts';
import { headLimit } from '../../wire/field-text.ts';

/** Bytes of a head with everything that `headLimit` doesn't count: the status line, blanks and line ends. */
const rawHeadLimit = 2 * headLimit;
/** Informational answers before the one that counts. */
const interimLimit = 16;

/** Takes what an answer says. */
export interface AnswerSink {
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Bytes of the body, which the sink may keep and change. */
  data(bytes: Buffer): void;
}

type State = 'head' | 'length' | 'chunks' | 'close' | 'over';

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Reads the answers of one connection, one after another, from whatever pieces they come in. Strict: see `HeadParser`. An
 * answer that was cut is never whole.
 */
export class AnswerReader {
  readonly #parser: HeadParser;
  readonly #chunks = new ChunkReader();
  #state: State = 'over';
  /** The request was a HEAD: nothing follows the head. */
  #isHead = false;
  /** What has come of a head. */
  #part: Buffer | undefined;
  #interim = 0;
  #left = 0;
  /** The connection may serve another request. */
  isKept = false;
  /** The answer's hint how long an idle connection stays open. */
  keepSeconds: number | undefined;

  constructor(parser: HeadParser) {
    this.#parser = parser;
  }

  /** A request is on its way: what comes next is its answer. */
  begin(method: string): void {
    this.#state = 'head';
    this.#isHead = method === 'HEAD';
    this.#part = undefined;
    this.#interim = 0;
    this.keepSeconds = undefined;
  }

  /**
   * @param bytes what the connection brought; it becomes the sink's
   * @returns bytes behind the end of the answer, or undefined while the end is still to come
   * @throws WireFault
   */
  push(bytes: Buffer, sink: AnswerSink): number | undefined {
    let at = 0;
    while (this.#state === 'head') {
      at = this.#head(bytes, at, sink);
      if (at < 0) return undefined;
    }
    if (at < bytes.length) at = this.#body(bytes, at, sink);
    // Asked again: what takes the body may have ended the connection.
    return (this.#state as State) === 'over' ? bytes.length - at : undefined;
  }

  /** The other side has closed: true where that is how the answer ends. */
  ends(): boolean {
    const isEnd = this.#state === 'close';
    this.#state = 'over';
    return isEnd;
  }

  /** @returns where the body begins, or -1 while the head is not whole */
  #head(piece: Buffer, from: number, sink: AnswerSink): number {
    const before = this.#part?.length ?? 0;
    const bytes = this.#part === undefined ? piece : Buffer.concat([this.#part, piece.subarray(from)]);
    const start = this.#part === undefined ? from : 0;
    const end = bytes.indexOf(headEnd, Math.max(start, before - 3));
    if (end < 0 || end - start > rawHeadLimit) {
      checkPart(bytes, start, Math.max(start, before));
      this.#part = start === 0 ? bytes : bytes.subarray(start);
      return -1;
    }
    this.#part = undefined;
    this.#begun(this.#parser.parse(bytes.toString('latin1', start, end + 2)), sink);
    return end + headEnd.length - (bytes.length - piece.length);
  }

  #begun(head: AnswerHead, sink: AnswerSink): void {
    const { status } = head;
    this.keepSeconds ??= head.keepSeconds;
    if (status >= 100 && status < 200) {
      this.#interim += 1;
      // Nobody asked for another protocol, and a connection that ends here brings no answer.
      if (status === 101 || !head.isKept || this.#interim > interimLimit) throw malformed('an informational response that leads nowhere');
      return;
    }
    this.isKept = head.isKept && !this.#isHead;
    this.#state = this.#framing(head);
    sink.head(status, head.headers);
  }

  /** How the end of the body is told (RFC 9112 6.3). */
  #framing({ status, length, coding }: AnswerHead): State {
    if (this.#isHead || status === 204 || status === 304) {
      // A body that has no place here may follow all the same, and would be taken for the next answer.
      if (coding !== undefined || (length ?? 0) > 0) this.isKept = false;
      return 'over';
    }
    if (coding === 'chunked') {
      this.#chunks.reset();
      return 'chunks';
    }
    if (length !== undefined) {
      this.#left = length;
      return length === 0 ? 'over' : 'length';
    }
    this.isKept = false;
    return 'close';
  }

  /** @returns where it stopped */
  #body(bytes: Buffer, from: number, sink: AnswerSink): number {
    switch (this.#state) {
      case 'length': {
        const end = Math.min(bytes.length, from + this.#left);
        this.#left -= end - from;
        if (this.#left === 0) this.#state = 'over';
        sink.data(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end));
        return end;
      }
      case 'chunks': {
        const end = this.#chunks.read(bytes, from);
        const { at, fault, isOver } = this.#chunks;
        if (isOver) this.#state = 'over';
        if (end > from) sink.data(bytes.subarray(from, end));
        if (fault !== undefined) throw fault;
        return at;
      }
      case 'close':
        sink.data(from === 0 ? bytes : bytes.subarray(from));
        return bytes.length;
      default:
        return from;
    }
  }
}

/** Refuses what can't become a head any more, before somebody waits for its end. */
function checkPart(bytes: Buffer, start: number, from: number): void {
  if (bytes.length - start > rawHeadLimit) throw new WireFault('UPSTREAM_HEAD_TOO_LARGE', 'the head is too large');
  const begins = bytes.toString('latin1', start, start + 7);
  if (!'HTTP/1.'.startsWith(begins)) throw malformed('not HTTP/1');
  for (let at = bytes.indexOf(0x0a, from); at >= 0; at = bytes.indexOf(0x0a, at + 1))
    if (at === start || bytes[at - 1] !== 0x0d) throw malformed('a line that ends without CR');
}
