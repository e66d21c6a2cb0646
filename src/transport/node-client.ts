import type { ServerResponse } from 'node:http';
import type { Client } from '../core/client.ts';
import type { HeaderPairs } from '../core/headers.ts';

/** Up to this many bytes head and body leave as one string in one write; `latin1` leaves every byte as it is. */
const oneWrite = 64 * 1024;

/** The client of one exchange on a `node:http` response. */
export class NodeClient implements Client {
  onGone: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  onLeft: (() => void) | undefined;
  readonly #response: ServerResponse;
  #gone = false;
  #ended = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('close', this.#onClose);
    response.on('drain', this.#onDrainEvent);
    response.on('error', this.#onClose);
  }

  get isGone(): boolean {
    return this.#gone;
  }

  head(status: number, headers: HeaderPairs): void {
    if (!this.#gone && !this.#response.headersSent) this.#response.writeHead(status, headers);
  }

  write(bytes: Buffer): boolean {
    return this.#gone || this.#response.write(bytes);
  }

  end(bytes?: Buffer): void {
    this.#ended = true;
    if (this.#gone) return;
    if (bytes === undefined || bytes.length === 0) this.#response.end();
    else if (bytes.length <= oneWrite) this.#response.end(bytes.toString('latin1'), 'latin1');
    else this.#response.end(bytes);
  }

  destroy(): void {
    this.#ended = true;
    this.#response.destroy();
  }

  readonly #onClose = (): void => {
    if (this.#gone) return;
    this.#gone = true;
    if (!this.#ended) this.onGone?.();
    this.onLeft?.();
  };

  readonly #onDrainEvent = (): void => this.onDrain?.();
}
