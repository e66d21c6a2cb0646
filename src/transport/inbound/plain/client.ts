import type { Socket } from 'node:net';
import type { Client } from '../../../core/http/client.ts';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { lastChunk, encodeChunk, maxSingleWrite } from '../../wire/chunk-encoding.ts';
import type { WrittenHead } from './response-head.ts';

/** The connection that a client needs. */
interface ClientConnection {
  readonly socket: Socket;
  headOf(status: number, headers: HeaderPairs, more: HeaderPairs | undefined): WrittenHead;
  responseWritten(isLast: boolean, isWhole: boolean): void;
  abort(isReset: boolean): void;
}

/** The client of one exchange on a socket that is not handled by `node:http`. The head and the first bytes are sent in one write. */
export class PlainClient implements Client {
  onDisconnect: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  onFlushed: (() => void) | undefined;
  readonly #connection: ClientConnection;
  /** Headers added to every response. */
  readonly #extraHeaders: HeaderPairs | undefined;
  #head: WrittenHead | undefined;
  /** The head, until it was written. */
  #unsentHead = '';
  #sent = 0;
  #isDisconnected = false;
  #hasEnded = false;

  constructor(connection: ClientConnection, extraHeaders: HeaderPairs | undefined) {
    this.#connection = connection;
    this.#extraHeaders = extraHeaders;
  }

  get isDisconnected(): boolean {
    return this.#isDisconnected;
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
    if (this.#isDisconnected || this.#head !== undefined) return;
    this.#head = this.#connection.headOf(status, headers, this.#extraHeaders);
    this.#unsentHead = this.#head.text;
    if (isAlone) this.#writeText('');
  }

  write(bytes: Buffer): boolean {
    const head = this.#head;
    if (this.#isDisconnected || head === undefined || bytes.length === 0 || !head.hasBody) return true;
    this.#sent += bytes.length;
    if (bytes.length <= maxSingleWrite) return this.#writeText(head.isChunked ? encodeChunk(bytes) : bytes.toString('latin1'));
    const { socket } = this.#connection;
    socket.cork();
    if (head.isChunked) this.#writeText(`${bytes.length.toString(16)}\r\n`);
    else if (this.#unsentHead !== '') this.#writeText('');
    socket.write(bytes);
    if (head.isChunked) socket.write('\r\n', 'latin1');
    socket.uncork();
    return !socket.writableNeedDrain;
  }

  end(bytes?: Buffer): void {
    const head = this.#head;
    this.#hasEnded = true;
    if (this.#isDisconnected || head === undefined) return;
    const last = bytes === undefined || !head.hasBody ? nothing : bytes;
    if (last.length > maxSingleWrite) this.write(last);
    const rest = last.length > maxSingleWrite ? nothing : last;
    this.#sent += rest.length;
    const text = head.isChunked ? encodeChunk(rest) + lastChunk : rest.toString('latin1');
    if (text !== '' || this.#unsentHead !== '') this.#writeText(text);
    // If the body is shorter or longer than declared, the client would misread following bytes on the connection.
    const isWhole = !head.hasBody || head.isChunked || head.length === this.#sent;
    this.#connection.responseWritten(head.isLast, isWhole);
  }

  destroy(): void {
    this.#hasEnded = true;
    // Without chunked coding, a client may take the end of the connection for the end of the body. A reset prevents that.
    this.#connection.abort(this.#head !== undefined && !this.#head.isChunked);
  }

  /** Called by the connection: the last byte was written, or the connection has closed. */
  finished(): void {
    if (this.#isDisconnected) return;
    this.#isDisconnected = true;
    if (!this.#hasEnded) this.onDisconnect?.();
    this.onFlushed?.();
  }

  #writeText(text: string): boolean {
    const waiting = this.#unsentHead;
    this.#unsentHead = '';
    return this.#connection.socket.write(waiting + text, 'latin1');
  }
}

const nothing = Buffer.alloc(0);
