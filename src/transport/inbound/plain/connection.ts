import type { Socket } from 'node:net';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { slowClientMs } from '../../wire/slow-client.ts';
import { ChunkDecoder } from '../../wire/chunk-decoder.ts';
import { Linger, lingeringClose } from '../listener/lingering-close.ts';
import { invalidChunks } from '../listener/parser-errors.ts';
import { markPipelined } from '../listener/upgrades.ts';
import type { ResponseHeadWriter, WrittenHead } from './response-head.ts';
import { ArrivingBody } from './arriving-body.ts';
import { PlainClient } from './client.ts';
import type { PlainConnectionsDeps } from './plain-request.ts';
import { type KnownHead, maxCachedHeadSize, type ReadHead } from './known-head.ts';

/** Maximum number of chunks in which a head may arrive here. With more, `node:http` handles it, which reads each byte only once. */
const maxPieces = 8;
/** Maximum bytes of pipelined requests buffered during an exchange; beyond them reading pauses. */
const maxPipelinedBytes = 64 * 1024;

/** State of a connection. Entering a state starts its timeout, if it has one. */
export type ConnectionPhase = 'silent' | 'head' | 'exchange' | 'rest' | 'idle' | 'closing';

/** What a connection needs from the list that contains it. */
export interface ConnectionOwner {
  readonly heads: ResponseHeadWriter;
  readonly deps: PlainConnectionsDeps;
  /** Seconds that a connection may stay in a phase. */
  readonly limits: { readonly [P in ConnectionPhase]?: number };
  /** Seconds that have been counted so far. */
  readonly tick: number;
  readonly isDraining: boolean;
  read(bytes: Buffer, last: KnownHead | undefined): ReadHead | 'more' | undefined;
  closed(connection: PlainConnection): void;
  handOver(connection: PlainConnection, bytes: Buffer): void;
}

/**
 * A connection whose requests are parsed on the socket, one at a time. When a request is not plain, the connection is
 * handed over to `node:http` from the start of that request on.
 */
export class PlainConnection {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #peer: string | undefined;
  #phase: ConnectionPhase = 'silent';
  /** Start of the phase, in ticks of the owner. */
  #since: number;
  #last: KnownHead | undefined;
  /** An incomplete head. */
  #partial: Buffer | undefined;
  #pieces = 0;
  #client: PlainClient | undefined;
  #body: ArrivingBody | undefined;
  /** Bytes of the body still to arrive; infinite for chunked coding. */
  #missing = 0;
  /** Decodes a chunked body. */
  #chunks: ChunkDecoder | undefined;
  /** Bytes received after the current request. */
  #pipelined: Buffer[] = [];
  #pipelinedSize = 0;
  #isLast = false;
  /** Set in the phase `rest`. */
  #linger: Linger | undefined;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.socket = socket;
    this.#owner = owner;
    this.#peer = socket.remoteAddress;
    this.#since = owner.tick;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('drain', this.#onDrain);
    socket.on('error', ignore).on('close', this.#onClose).on('timeout', this.#onTimeout);
  }

  /** True from the head of a request to the last byte of its response. */
  get isResponding(): boolean {
    return this.#phase === 'exchange';
  }

  headOf(status: number, headers: HeaderPairs, more: HeaderPairs | undefined): WrittenHead {
    return this.#owner.heads.write(status, headers, more, this.#isLast || this.#owner.isDraining);
  }

  /** Enforces the timeout of the phase. @param now ticks */
  checkTimeout(now: number): void {
    const limit = this.#owner.limits[this.#phase] ?? Number.POSITIVE_INFINITY;
    if (this.#linger?.isOver(now * 1000) !== true && now - this.#since <= limit) return;
    if (this.#phase === 'head') this.#owner.deps.errorResponses.late(this.socket);
    else this.socket.destroy();
    this.#enter('closing');
  }

  // ---- receiving requests -----------------------------------------------------------------------

  readonly #onData = (chunk: Buffer): void => {
    try {
      if (this.#phase === 'exchange') this.#readBody(chunk);
      else if (this.#phase === 'rest') this.#discardBody(chunk);
      else if (this.#phase !== 'closing') this.#readHead(chunk);
    } catch (thrown) {
      this.#owner.deps.onDefect(thrown);
      this.socket.destroy();
    }
  };

  #readHead(chunk: Buffer): void {
    if (this.#phase === 'idle' && isEmptyLines(chunk)) return;
    const bytes = this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk]);
    const read = this.#owner.read(bytes, this.#last);
    if (read === 'more' && this.#pieces < maxPieces) {
      this.#partial = bytes;
      this.#pieces += 1;
      // The timeout of the first head starts with the connection.
      if (this.#phase !== 'head') this.#enter('head', this.#phase === 'silent');
      return;
    }
    this.#partial = undefined;
    this.#pieces = 0;
    if (read === undefined || read === 'more') this.#handOver(bytes);
    else if (read.length === 'chunked') this.#beginChunked(read, bytes.subarray(read.end));
    else if (bytes.length - read.end > read.length) this.#handOver(bytes);
    else this.#begin(read, bytes.subarray(read.end), read.length - (bytes.length - read.end));
  }

  #beginChunked(read: ReadHead, received: Buffer): void {
    const chunks = new ChunkDecoder();
    const content = received.subarray(0, chunks.read(received, 0));
    if (!chunks.isOver) this.#chunks = chunks;
    this.#begin(read, content, chunks.isOver ? 0 : Number.POSITIVE_INFINITY);
    if (chunks.fault !== undefined) this.#invalidFraming();
    else if (chunks.at < received.length) this.#bufferPipelined(received.subarray(chunks.at));
  }

  /** @param missing bytes of the body still to arrive */
  #begin({ known, length }: ReadHead, received: Buffer, missing: number): void {
    this.#last = known.size <= maxCachedHeadSize ? known : undefined;
    this.#isLast = known.isLast;
    this.#enter('exchange');
    this.#missing = missing;
    if (this.#missing > 0) {
      this.#body = new ArrivingBody(known, length, this.socket);
      if (received.length > 0) this.#body.push(received);
    }
    const client = new PlainClient(this, this.#owner.deps.extraHeaders(known));
    this.#client = client;
    try {
      this.#owner.deps.serve({ known, length, client, body: this.#body ?? received, peer: this.#peer });
    } catch (thrown) {
      this.#owner.deps.onDefect(thrown);
      if (client.hasHead) this.socket.destroy();
      else this.#owner.deps.errorResponses.defect(this.socket);
    }
  }

  /** Receives more of the body, or the start of a pipelined request. */
  #readBody(chunk: Buffer): void {
    if (this.#missing === 0) {
      this.#bufferPipelined(chunk);
      return;
    }
    if (this.#chunks !== undefined) {
      this.#readChunked(chunk, this.#chunks);
      return;
    }
    const part = chunk.length <= this.#missing ? chunk : chunk.subarray(0, this.#missing);
    this.#missing -= part.length;
    this.#body?.push(part);
    if (this.#missing > 0) return;
    this.#body?.complete();
    if (part.length < chunk.length) this.#bufferPipelined(chunk.subarray(part.length));
  }

  #readChunked(bytes: Buffer, chunks: ChunkDecoder): void {
    const content = bytes.subarray(0, chunks.read(bytes, 0));
    if (chunks.isOver) this.#endOfChunks();
    if (content.length > 0) this.#body?.push(content);
    if (chunks.fault !== undefined) this.#invalidFraming();
    if (!chunks.isOver) return;
    this.#body?.complete();
    if (chunks.at < bytes.length) this.#bufferPipelined(bytes.subarray(chunks.at));
  }

  #endOfChunks(): void {
    this.#missing = 0;
    this.#chunks = undefined;
  }

  /** The end of the body is unknown, so following bytes cannot be parsed: they are skipped, and the response is the last one. */
  #invalidFraming(): void {
    const client = this.#client;
    this.#isLast = true;
    this.#chunks = undefined;
    if (client === undefined || client.hasEnded) {
      // A second response would be taken for the response to the next request.
      if (this.#phase === 'rest') lingeringClose(this.socket);
    } else if (!client.hasHead) this.#body?.fail(invalidChunks());
  }

  #bufferPipelined(chunk: Buffer): void {
    this.#pipelined.push(chunk);
    this.#pipelinedSize += chunk.length;
    if (this.#pipelinedSize >= maxPipelinedBytes) this.socket.pause();
    // The end of the body may have completed the exchange, including its response.
    if (this.#phase === 'idle') this.#next();
  }

  /** Skips the rest of a body after the response. */
  #discardBody(chunk: Buffer): void {
    if (this.#chunks !== undefined) {
      this.#discardChunked(chunk, this.#chunks);
      return;
    }
    const over = chunk.length - this.#missing;
    this.#missing = Math.max(0, -over);
    if (over < 0) return;
    if (over > 0) this.#pipelined.push(chunk.subarray(chunk.length - over));
    this.#next();
  }

  #discardChunked(bytes: Buffer, chunks: ChunkDecoder): void {
    chunks.read(bytes, 0);
    if (chunks.fault !== undefined) this.#invalidFraming();
    if (!chunks.isOver) return;
    this.#endOfChunks();
    if (chunks.at < bytes.length) this.#pipelined.push(bytes.subarray(chunks.at));
    this.#next();
  }

  readonly #onEnd = (): void => {
    if (this.#phase === 'head') this.#owner.deps.errorResponses.unreadable(this.socket);
    else if (this.#phase === 'rest') lingeringClose(this.socket);
    else if (this.#phase === 'silent' || this.#phase === 'idle') this.socket.end();
    else this.socket.destroySoon();
  };

  // ---- sending responses ------------------------------------------------------------------------

  /** Called by the client when its last byte was written. */
  responseWritten(isLast: boolean, isWhole: boolean): void {
    if (isLast || !isWhole) this.#isLast = true;
    if (!isWhole) this.socket.destroySoon();
    if (this.socket.writableLength === 0) this.#exchangeEnded();
    else {
      // A client that does not read would keep the response in memory.
      this.socket.setTimeout(slowClientMs);
      this.socket.write('', 'latin1', this.#onFlushed);
    }
  }

  /** @param isReset the client must not take the end of the connection for the end of the body */
  abort(isReset: boolean): void {
    if (isReset && this.#peer !== undefined) this.socket.resetAndDestroy();
    else this.socket.destroy();
  }

  readonly #onFlushed = (error?: Error | null): void => {
    this.socket.setTimeout(0);
    if (!error) this.#exchangeEnded();
  };

  #exchangeEnded(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.finished();
    if (this.socket.destroyed) return;
    if (this.#missing > 0) {
      this.#enter('rest');
      this.#linger = new Linger(() => this.socket.bytesRead, this.#owner.tick * 1000);
      this.#body?.discard();
      this.#body = undefined;
      if (this.#isLast) this.socket.end();
    } else this.#next();
  }

  #next(): void {
    const isPipelined = this.#phase !== 'rest';
    this.#body = undefined;
    this.#linger = undefined;
    if (this.#isLast) {
      this.#enter('closing');
      this.socket.destroySoon();
      return;
    }
    this.#enter('idle');
    if (this.socket.isPaused()) this.socket.resume();
    if (this.#pipelined.length === 0) return;
    const ahead = Buffer.concat(this.#pipelined);
    this.#pipelined = [];
    this.#pipelinedSize = 0;
    if (isEmptyLines(ahead)) return;
    if (isPipelined) markPipelined(this.socket);
    this.#handOver(ahead);
  }

  readonly #onDrain = (): void => this.#client?.onDrain?.();

  readonly #onTimeout = (): void => void this.socket.destroy();

  readonly #onClose = (): void => {
    this.#owner.closed(this);
    this.#enter('closing');
    this.#body?.emit('close');
    this.#client?.finished();
  };

  // ---- handover to node:http --------------------------------------------------------------------

  /** Hands the unparsed bytes over to `node:http`: nothing of this request was processed. */
  #handOver(bytes: Buffer): void {
    const { socket } = this;
    this.#enter('closing');
    socket.off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain);
    socket.off('error', ignore).off('close', this.#onClose).off('timeout', this.#onTimeout);
    this.#owner.handOver(this, bytes);
  }

  #enter(phase: ConnectionPhase, keepsTimeout = false): void {
    this.#phase = phase;
    if (!keepsTimeout) this.#since = this.#owner.tick;
  }
}

const ignore = (): void => {};

/** Some clients send an empty line after a body. It is not the start of a request (RFC 9112 2.2), whose timeout would begin. */
function isEmptyLines(bytes: Buffer): boolean {
  let at = 0;
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at += 1;
  return at === bytes.length;
}
