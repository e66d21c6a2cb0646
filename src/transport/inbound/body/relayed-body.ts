import type { IncomingMessage } from 'node:http';
import type { FormBytes } from '../../../core/http/form.ts';
import type { PassThroughBody } from '../../../core/http/request.ts';
import { ClientBodyReader, type ClientBytesDeps } from '../multipart/client-body-reader.ts';
import { uploadLimit } from './size-limit.ts';

/** Idempotent methods: repeating such a request is harmless (RFC 9110 9.2.2). */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** The body of a relayed request. Its bytes are not received until they are read. */
export class RelayedBody implements PassThroughBody {
  readonly kind = 'passing';
  readonly contentType: string | undefined;
  readonly length: number | undefined;
  isSpent = false;
  readonly #request: IncomingMessage;
  readonly #maxUpload: number | undefined;
  readonly #deps: ClientBytesDeps;
  #bytes: ClientBodyReader | undefined;

  constructor(request: IncomingMessage, maxUpload: number | undefined, deps: ClientBytesDeps) {
    const { headers } = request;
    this.#request = request;
    this.#maxUpload = maxUpload;
    this.#deps = deps;
    this.contentType = headers['content-type'];
    // From the values that the server parsed, not from the raw header list: the two must not differ.
    this.length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
  }

  get received(): number {
    return this.#bytes?.count ?? 0;
  }

  /** Called before the request is sent. Without a body, an idempotent request may be sent again. */
  spend(): void {
    this.isSpent ||= this.length !== 0 || !idempotentMethods.has(this.#request.method ?? '');
  }

  open(): FormBytes {
    const chunks: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) };
    return { chunks, length: this.length, contentType: this.contentType ?? '' };
  }

  /** The request has ended. */
  close(): void {
    this.#bytes?.stop(new Error('the request is over'));
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    this.#bytes ??= new ClientBodyReader(this.#request, uploadLimit(this.#maxUpload), this.#deps);
    const value = await this.#bytes.next();
    return value === undefined ? { done: true, value } : { done: false, value };
  }
}
