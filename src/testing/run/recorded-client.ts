import type { Client } from '../../core/http/client.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';

/** Most bytes of a response that are kept. */
const maxBytes = 64 * 1024 * 1024;

/** A client that reads everything at once, and keeps it. */
export class RecordedClient implements Client {
  status = 0;
  isDisconnected = false;
  onDisconnect: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  onFlushed: (() => void) | undefined;
  readonly #pieces: Buffer[] = [];
  #size = 0;
  #headers: HeaderPairs = [];

  head(status: number, headers: HeaderPairs): void {
    this.status = status;
    this.#headers = headers;
  }

  write(bytes: Buffer): boolean {
    this.#size += bytes.length;
    // The gateway may reuse the memory of the bytes.
    if (this.#size <= maxBytes) this.#pieces.push(Buffer.from(bytes));
    return true;
  }

  end(bytes?: Buffer): void {
    if (bytes !== undefined) this.write(bytes);
  }

  destroy(): void {}

  /** Headers by name in lower case. Repeated ones are joined. */
  get headers(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (let i = 0; i + 1 < this.#headers.length; i += 2) {
      const name = (this.#headers[i] ?? '').toLowerCase();
      const earlier = found.get(name);
      found.set(name, earlier === undefined ? (this.#headers[i + 1] ?? '') : `${earlier}, ${this.#headers[i + 1] ?? ''}`);
    }
    return found;
  }

  get body(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }
}
