import type { Duplex } from 'node:stream';

/** Bytes that a client may send before the provider has agreed; beyond them it waits. */
const roomBytes = 64 * 1024;

/**
 * Reads a client's socket while its upgrade is in progress: a socket that nobody reads does not notice that its client
 * has left. What comes is kept and put back, in order, for whoever reads next.
 */
export class EarlyBytes {
  readonly #socket: Duplex;
  readonly #onGone: () => void;
  #held: Buffer[] = [];
  #size = 0;

  constructor(socket: Duplex, onGone: () => void) {
    this.#socket = socket;
    this.#onGone = onGone;
    socket.on('end', this.#onEnd).on('data', this.#onData);
  }

  /** Stops reading. Call it before another reader is attached. */
  giveBack(): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd);
    socket.pause();
    if (this.#size > 0 && !socket.destroyed && !socket.readableEnded) socket.unshift(Buffer.concat(this.#held));
    this.#held = [];
    this.#size = 0;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#held.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= roomBytes) this.#socket.pause();
  };

  /** An end before the answer to an upgrade is no half-closed talk: there was none yet. */
  readonly #onEnd = (): void => {
    this.#socket.destroy();
    this.#onGone();
  };
}
