import type { Client } from '../../../core/http/client.ts';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { endOfFrames, frame, oneWrite } from '../../wire/chunk-frames.ts';
import type { AnswerHead } from './answer-head.ts';
import type { PlainConnection } from './connection.ts';

/** The client of one exchange on a socket that is not handled by `node:http`. The head and the first bytes are sent in one write. */
export class PlainClient implements Client {
  onGone: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  onLeft: (() => void) | undefined;
  readonly #connection: PlainConnection;
  /** Headers added to every response. */
  readonly #more: HeaderPairs | undefined;
  #head: AnswerHead | undefined;
  /** The head, until it was written. */
  #waiting = '';
  #sent = 0;
  #isGone = false;
  #hasEnded = false;

  constructor(connection: PlainConnection, more: HeaderPairs | undefined) {
    this.#connection = connection;
    this.#more = more;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** The response has started: no other response may be written. */
  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  /** The last byte of the response was written. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  head(status: number, headers: HeaderPairs, isAlone = false): void {
    if (this.#isGone || this.#head !== undefined) return;
    this.#head = this.#connection.headOf(status, headers, this.#more);
    this.#waiting = this.#head.text;
    if (isAlone) this.#writeText('');
  }

  write(bytes: Buffer): boolean {
    const head = this.#head;
    if (this.#isGone || head === undefined || bytes.length === 0 || !head.hasBody) return true;
    this.#sent += bytes.length;
    if (bytes.length <= oneWrite) return this.#writeText(head.isFramed ? frame(bytes) : bytes.toString('latin1'));
    const { socket } = this.#connection;
    socket.cork();
    if (head.isFramed) this.#writeText(`${bytes.length.toString(16)}\r\n`);
    else if (this.#waiting !== '') this.#writeText('');
    socket.write(bytes);
    if (head.isFramed) socket.write('\r\n', 'latin1');
    socket.uncork();
    return !socket.writableNeedDrain;
  }

  end(bytes?: Buffer): void {
    const head = this.#head;
    this.#hasEnded = true;
    if (this.#isGone || head === undefined) return;
    const last = bytes === undefined || !head.hasBody ? nothing : bytes;
    if (last.length > oneWrite) this.write(last);
    const rest = last.length > oneWrite ? nothing : last;
    this.#sent += rest.length;
    const text = head.isFramed ? frame(rest) + endOfFrames : rest.toString('latin1');
    if (text !== '' || this.#waiting !== '') this.#writeText(text);
    // If the body is shorter or longer than declared, the client would misread following bytes on the connection.
    const isWhole = !head.hasBody || head.isFramed || head.length === this.#sent;
    this.#connection.answered(head.isLast, isWhole);
  }

  destroy(): void {
    this.#hasEnded = true;
    // Without chunked coding, a client may take the end of the connection for the end of the body. A reset prevents that.
    this.#connection.cut(this.#head !== undefined && !this.#head.isFramed);
  }

  /** Called by the connection: the last byte was written, or the connection has closed. */
  left(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    if (!this.#hasEnded) this.onGone?.();
    this.onLeft?.();
  }

  #writeText(text: string): boolean {
    const waiting = this.#waiting;
    this.#waiting = '';
    return this.#connection.socket.write(waiting + text, 'latin1');
  }
}

const nothing = Buffer.alloc(0);
