import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PendingBody, SocketBody, SocketReader } from '../../../core/http/request.ts';
import type { Client } from '../../../core/http/client.ts';
import { type HeaderPairs, hopByHopHeaders } from '../../../core/http/headers.ts';
import { isKeySubprotocol } from '../../../core/secrets/credential-names.ts';
import { slowClientMs } from '../../wire/slow-client.ts';
import { STATUS_CODES } from '../../../core/node-http.ts';
import { webSocketVersion } from './head-fault.ts';
import { lingeringClose } from './lingering-close.ts';

/** Bytes that a client may send before the provider has accepted the upgrade. Beyond them, reading pauses. */
const maxBufferedBytes = 64 * 1024;

/**
 * The client side of an upgrade: receives the response, and is the body of the request. Until the provider has
 * accepted, its bytes are buffered and an HTTP error can still be sent. After `101`, they are WebSocket frames.
 */
export class UpgradeClient implements Client, PendingBody, SocketBody {
  readonly kind = 'socket';
  onDisconnect: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  onFlushed: (() => void) | undefined;
  received = 0;
  readonly offeredProtocols: readonly string[];
  readonly handshake: HeaderPairs;
  readonly #socket: Duplex;
  #reader: SocketReader | undefined;
  #buffered: Buffer[] = [];
  #bufferedSize = 0;
  #isDisconnected = false;
  #hasEnded = false;
  #isUpgraded = false;

  /** @param head bytes received in the same segment after the head of the request */
  constructor({ headers }: Pick<IncomingMessage, 'headers'>, socket: Duplex, head: Buffer) {
    this.#socket = socket;
    this.offeredProtocols = forwardedSubprotocols(headers['sec-websocket-protocol']);
    this.handshake = upgradeHeadersOf(headers, this.offeredProtocols);
    if (head.length > 0) socket.unshift(head);
    socket.on('error', this.#onClose).on('close', this.#onClose);
    socket.on('drain', () => this.onDrain?.());
  }

  // ---- the body ---------------------------------------------------------------------------------

  /** Starts to read: a socket that is not read does not report that the client has disconnected. */
  read(done: (body: SocketBody) => void): void {
    this.#socket.on('data', this.#onData).on('end', this.#onEnd);
    done(this);
  }

  drop(): void {}

  into(reader: SocketReader): void {
    this.#reader = reader;
    for (const chunk of this.#buffered.splice(0)) this.#forward(reader, chunk);
    this.#socket.resume();
    if (this.#isDisconnected) reader.disconnected();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  disconnect(): void {
    this.onDisconnect?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#reader !== undefined) {
      this.#forward(this.#reader, chunk);
      return;
    }
    this.#buffered.push(chunk);
    this.#bufferedSize += chunk.length;
    if (this.#bufferedSize >= maxBufferedBytes) this.#socket.pause();
  };

  #forward(reader: SocketReader, chunk: Buffer): void {
    this.received += chunk.length;
    reader.data(chunk);
  }

  /** If the client ends its side before the response, there is no connection that could be half-closed. */
  readonly #onEnd = (): void => {
    if (this.#reader === undefined) this.#socket.destroy();
    else this.#reader.end();
  };

  // ---- the client -------------------------------------------------------------------------------

  get isDisconnected(): boolean {
    return this.#isDisconnected;
  }

  head(status: number, headers: HeaderPairs): void {
    if (this.#isDisconnected) return;
    this.#isUpgraded = status === 101;
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`;
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] ?? '';
      // Values are validated where they are set. This socket lacks Node's check, so line breaks are replaced again here.
      if (!hopByHopHeaders.has(name)) text += `${name}: ${(headers[i + 1] ?? '').replace(/[\r\n\0]/g, ' ')}\r\n`;
    }
    this.#socket.write(`${text}${connectionHeaders(status)}\r\n\r\n`, 'latin1');
  }

  write(bytes: Buffer): boolean {
    return this.#isDisconnected || this.#socket.write(bytes);
  }

  end(bytes?: Buffer): void {
    this.#hasEnded = true;
    if (this.#isDisconnected) return;
    if (bytes !== undefined && bytes.length > 0) this.#socket.write(bytes);
    if (this.#isUpgraded) this.#close();
    else lingeringClose(this.#socket);
  }

  destroy(): void {
    this.#hasEnded = true;
    if (this.#isUpgraded) this.#close();
    else this.#socket.destroy();
  }

  /** Sends pending data, then closes both directions, even if the client keeps its side open. */
  #close(): void {
    const { destroySoon, setTimeout } = this.#socket as Partial<Socket>;
    setTimeout?.call(this.#socket, slowClientMs, () => this.#socket.destroy());
    if (destroySoon === undefined) this.#socket.end(() => this.#socket.destroy());
    else destroySoon.call(this.#socket);
  }

  readonly #onClose = (): void => {
    if (this.#isDisconnected) return;
    this.#isDisconnected = true;
    if (this.#reader !== undefined) this.#reader.disconnected();
    else if (!this.#hasEnded) this.onDisconnect?.();
    this.onFlushed?.();
  };
}

function connectionHeaders(status: number): string {
  if (status === 101) return 'connection: Upgrade\r\nupgrade: websocket';
  // A client with another version gets the supported one (RFC 9110 15.5.22, RFC 6455 4.4).
  return status === 426
    ? `sec-websocket-version: ${webSocketVersion}\r\nconnection: close, upgrade\r\nupgrade: websocket`
    : 'connection: close';
}

/**
 * Headers of the upgrade. The key is the client's own, so that the provider's response matches it. No extension is
 * offered: credentials that the provider repeats, and token usage, could not be found in compressed frames.
 */
function upgradeHeadersOf(headers: IncomingMessage['headers'], offered: readonly string[]): HeaderPairs {
  const out: HeaderPairs = ['connection', 'Upgrade', 'upgrade', 'websocket'];
  for (const name of ['sec-websocket-key', 'sec-websocket-version'] as const) {
    const value = headers[name];
    if (typeof value === 'string') out.push(name, value);
  }
  if (offered.length > 0) out.push('sec-websocket-protocol', offered.join(', '));
  return out;
}

/** Returns the client's WebSocket subprotocols that are forwarded, in order: those without a credential. */
export function forwardedSubprotocols(header: string | undefined): string[] {
  const offered = (header ?? '').split(',').map((each) => each.trim());
  return offered.filter((each) => each !== '' && !isKeySubprotocol(each));
}
