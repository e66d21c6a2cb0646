import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Client } from '../../../core/http/client.ts';
import { type HeaderPairs, hopByHopHeaders } from '../../../core/http/headers.ts';

/** What the relay knows about a socket that was offered for an upgrade. */
export interface SocketState {
  /** The WebSocket is joined: its bytes are no longer HTTP. */
  isJoined(): boolean;
  /** Ends a joined WebSocket from our side. */
  stop(): void;
}

/** The client of an upgrade: it can be answered with a plain error as long as the WebSocket is not joined. */
export class SocketClient implements Client {
  onGone: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  onLeft: (() => void) | undefined;
  readonly #socket: Duplex;
  readonly #state: SocketState;
  #gone = false;
  #ended = false;

  constructor(socket: Duplex, state: SocketState) {
    this.#socket = socket;
    this.#state = state;
    socket.on('error', this.#onClose);
    socket.on('close', this.#onClose);
  }

  get isGone(): boolean {
    return this.#gone;
  }

  head(status: number, headers: HeaderPairs): void {
    if (this.#gone || this.#state.isJoined()) return;
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`;
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] ?? '';
      // The value is checked where it is made; this is a socket without node's own check, so a break is cut here again.
      if (!hopByHopHeaders.has(name)) text += `${name}: ${(headers[i + 1] ?? '').replace(/[\r\n\0]/g, ' ')}\r\n`;
    }
    this.#socket.write(`${text}connection: close\r\n\r\n`, 'latin1');
  }

  write(bytes: Buffer): boolean {
    return this.#gone || this.#state.isJoined() || this.#socket.write(bytes);
  }

  end(bytes?: Buffer): void {
    this.#ended = true;
    if (this.#gone || this.#state.isJoined()) return;
    if (bytes === undefined) this.#socket.end();
    else this.#socket.end(bytes);
  }

  destroy(): void {
    this.#ended = true;
    if (this.#state.isJoined()) this.#state.stop();
    else this.#socket.destroy();
  }

  /** The closing of a joined WebSocket is reported by the relay, with what passed. */
  readonly #onClose = (): void => {
    if (this.#gone) return;
    this.#gone = true;
    if (!this.#ended && !this.#state.isJoined()) this.onGone?.();
    this.onLeft?.();
  };
}
