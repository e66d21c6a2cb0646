import { fromUnknown, type GatewayError } from '../../../core/error.ts';
import type { FormBytes, FormUpstream } from '../../../core/http/form.ts';
import type { PassThroughBody } from '../../../core/http/request.ts';
import type { UpstreamRequest } from '../../../core/provider.ts';
import type { WireStream } from '../../wire/request.ts';

/** A body that is not held in memory: a form, a file, or a body that passes through. */
export type StreamedBody = FormUpstream | PassThroughBody;

/**
 * A body that is being sent upstream. Records whether the client or the provider is waited for, and ends with the attempt
 * even if its source still waits for data.
 */
export class Upload implements WireStream {
  readonly kind = 'stream';
  readonly length: number | undefined;
  readonly contentType: string;
  readonly isRepeatable: boolean;
  /** The source failed: the client's form cannot be read, or a line cannot be rewritten. */
  fault: GatewayError | undefined;
  /** Monotonic milliseconds of the last time a chunk was requested or received. */
  lastActivityAt = 0;
  hasStarted = false;
  /** A chunk was requested and has not been received. */
  isWaitingForData = false;
  readonly #body: StreamedBody;
  readonly #monotonic: () => number;
  #bytes: FormBytes;
  #source: AsyncIterator<Uint8Array> | undefined;
  #reject: ((error: Error) => void) | undefined;
  #isOver = false;

  /** @throws GatewayError `invalid_form` */
  constructor(body: StreamedBody, monotonic: () => number) {
    this.#body = body;
    this.#monotonic = monotonic;
    this.#bytes = open(body);
    this.isRepeatable = body.kind !== 'passing' && body.form.isBuffered;
    this.length = this.#bytes.length;
    this.contentType = this.#bytes.contentType;
  }

  /** Reads from the beginning. A second call is valid only if the body is repeatable. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    if (this.#source !== undefined) {
      closeSource(this.#source);
      this.#bytes = open(this.#body);
    }
    this.#source = this.#bytes.chunks[Symbol.asyncIterator]();
    return { next: () => this.#next(), return: () => this.#return() };
  }

  /** Reads to the end and discards the data. @throws GatewayError of the source */
  async drain(): Promise<void> {
    for await (const _ of this) if (this.#isOver) return;
  }

  /** The attempt is over: a pending read fails, so that the part already sent never looks complete. */
  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reject?.(new Error('the attempt is over'));
  }

  #next(): Promise<IteratorResult<Uint8Array>> {
    const source = this.#source;
    if (source === undefined || this.#isOver) return Promise.reject(new Error('the attempt is over'));
    this.lastActivityAt = this.#monotonic();
    this.isWaitingForData = true;
    this.hasStarted = true;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      source.next().then(
        (result) => {
          this.#chunkReceived();
          resolve(result);
        },
        (thrown: unknown) => {
          this.#chunkReceived();
          if (!this.#isOver) this.fault = fromUnknown(thrown);
          reject(this.fault ?? new Error('the attempt is over'));
        },
      );
    });
  }

  #chunkReceived(): void {
    this.isWaitingForData = false;
    this.lastActivityAt = this.#monotonic();
    this.#reject = undefined;
  }

  #return(): Promise<IteratorResult<Uint8Array>> {
    // Do not wait: a source that waits for the client returns only when the client's exchange is over.
    if (this.#source !== undefined) closeSource(this.#source);
    return Promise.resolve({ done: true, value: undefined });
  }
}

export const isStreamedBody = (body: UpstreamRequest['body']): body is StreamedBody =>
  body.kind !== 'json' && body.kind !== 'none' && body.kind !== 'socket';

function open(body: StreamedBody): FormBytes {
  if (body.kind === 'passing') return body.open();
  if (body.kind === 'file') return body.form.fileBytes(body.line);
  // The types of a provider file are not checked at run time, so its value may be anything.
  if ((body.kind as unknown) !== 'form')
    throw new Error(
      'the body of the upstream request must be the body given to begin(), a result of its edit() or replace(), or {kind: "none"}',
    );
  return body.edit === undefined ? body.form.open() : body.form.edited(body.edit);
}

/** Nothing reads from the source any more, so later errors of it are ignored. */
function closeSource(source: AsyncIterator<Uint8Array>): void {
  source.return?.()?.catch(() => {});
}
