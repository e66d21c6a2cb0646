import type { ResponseHead, ResponseHeadParser } from './response-head.ts';
import { ChunkDecoder } from '../../wire/chunk-decoder.ts';
import { malformed, WireFault } from '../../wire/fault.ts';
import { headLimit } from '../../wire/field-text.ts';

/** Maximum informational (1xx) responses before the final one. */
const interimLimit = 16;

/** Receives the parsed response. */
export interface ResponseSink {
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Bytes of the body. The sink may keep and change them. */
  data(bytes: Buffer): void;
}

type State = 'head' | 'length' | 'chunks' | 'close' | 'over';

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Parses the responses of one connection, one after another, from pieces of any size. Strict, see `ResponseHeadParser`. A
 * truncated response is never reported as complete.
 */
export class ResponseParser {
  readonly #parser: ResponseHeadParser;
  readonly #chunks = new ChunkDecoder();
  #state: State = 'over';
  /** The request was a HEAD: no body follows. */
  #isHead = false;
  /** The bytes received of an incomplete head. */
  #part: Buffer | undefined;
  #interim = 0;
  #remaining = 0;
  /** The connection may serve another request. */
  isReusable = false;
  /** Seconds that the provider keeps an idle connection open, if the response has them: the fewest. */
  keepAliveSeconds: number | undefined;

  constructor(parser: ResponseHeadParser) {
    this.#parser = parser;
  }

  /** A request is being sent: the next bytes are its response. */
  begin(method: string): void {
    this.#state = 'head';
    this.#isHead = method === 'HEAD';
    this.#part = undefined;
    this.#interim = 0;
    this.keepAliveSeconds = undefined;
  }

  /**
   * @param bytes read from the connection; the sink owns them
   * @returns number of bytes after the end of the response, or undefined if the end was not reached
   * @throws WireFault
   */
  push(bytes: Buffer, sink: ResponseSink): number | undefined {
    let at = 0;
    while (this.#state === 'head') {
      at = this.#head(bytes, at, sink);
      if (at < 0) return undefined;
    }
    if (at < bytes.length) at = this.#body(bytes, at, sink);
    // Read the state again, because the sink may have ended the connection.
    return (this.#state as State) === 'over' ? bytes.length - at : undefined;
  }

  /** The upstream closed the connection. True if that is the end of the response. */
  endsAtClose(): boolean {
    const isEnd = this.#state === 'close';
    this.#state = 'over';
    return isEnd;
  }

  /** @returns where the body begins, or -1 while the head is incomplete */
  #head(piece: Buffer, from: number, sink: ResponseSink): number {
    const before = this.#part?.length ?? 0;
    const bytes = this.#part === undefined ? piece : Buffer.concat([this.#part, piece.subarray(from)]);
    const start = this.#part === undefined ? from : 0;
    const end = bytes.indexOf(headEnd, Math.max(start, before - 3));
    // Without an end, the last three bytes may belong to it.
    const size = (end < 0 ? bytes.length - headEnd.length + 1 : end) - start;
    if (size >= headLimit) throw new WireFault('UPSTREAM_HEAD_TOO_LARGE', 'the head is too large');
    if (end < 0) {
      checkPart(bytes, start, Math.max(start, before));
      this.#part = start === 0 ? bytes : bytes.subarray(start);
      return -1;
    }
    this.#part = undefined;
    this.#headParsed(this.#parser.parse(bytes.toString('latin1', start, end + 2)), sink);
    return end + headEnd.length - (bytes.length - piece.length);
  }

  #headParsed(head: ResponseHead, sink: ResponseSink): void {
    const { status } = head;
    // An interim response may have it too.
    const { keepAliveSeconds = this.keepAliveSeconds } = head;
    if (keepAliveSeconds !== undefined) this.keepAliveSeconds = Math.min(keepAliveSeconds, this.keepAliveSeconds ?? keepAliveSeconds);
    if (status >= 100 && status < 200) {
      this.#interim += 1;
      // No other protocol was requested, and if the connection closes here, no final response follows.
      if (status === 101 || !head.isReusable || this.#interim > interimLimit)
        throw malformed('an informational response that no final response can follow');
      return;
    }
    this.isReusable = head.isReusable && !this.#isHead;
    this.#state = this.#framing(head);
    sink.head(status, head.headers);
  }

  /** How the end of the body is determined (RFC 9112 6.3). */
  #framing({ status, length, coding }: ResponseHead): State {
    if (this.#isHead || status === 204 || status === 304) {
      // A body that is not allowed here may follow anyway, and would be taken for the next response.
      if (coding !== undefined || (length ?? 0) > 0) this.isReusable = false;
      return 'over';
    }
    if (coding === 'chunked') {
      this.#chunks.reset();
      return 'chunks';
    }
    if (length !== undefined) {
      this.#remaining = length;
      return length === 0 ? 'over' : 'length';
    }
    this.isReusable = false;
    return 'close';
  }

  /** @returns the index after the last byte read */
  #body(bytes: Buffer, from: number, sink: ResponseSink): number {
    switch (this.#state) {
      case 'length': {
        const end = Math.min(bytes.length, from + this.#remaining);
        this.#remaining -= end - from;
        if (this.#remaining === 0) this.#state = 'over';
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

/** Rejects bytes that cannot become a valid head, without waiting for the end of the head. */
function checkPart(bytes: Buffer, start: number, from: number): void {
  const begins = bytes.toString('latin1', start, start + 7);
  if (!'HTTP/1.'.startsWith(begins)) throw malformed('not HTTP/1');
  for (let at = bytes.indexOf(0x0a, from); at >= 0; at = bytes.indexOf(0x0a, at + 1))
    if (at === start || bytes[at - 1] !== 0x0d) throw malformed('a line that ends without CR');
}
