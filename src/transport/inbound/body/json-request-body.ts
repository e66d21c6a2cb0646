import type { IncomingMessage } from 'node:http';
import { JsonBody } from '../../../core/json/body.ts';
import type { RequestBody } from '../../../core/http/request.ts';
import { type MemoryBudget, MemoryReservation } from '../../../core/memory/budget.ts';
import { releaseBuffer } from '../../../core/memory/release-buffer.ts';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import type { JsonLimits } from '../../../core/json/limits.ts';
import type { ServerSettings } from '../../../core/snapshot.ts';
import { decompressBody, unsupportedEncoding } from './content-encoding.ts';
import { codingsOf } from '../../wire/decode.ts';
import type { ClientBytesDeps } from '../multipart/client-body-reader.ts';
import { bodyCopies, BodyReader, type BodyStream, checkReceivedBody } from './read-body.ts';

/** Dependencies of every body reader. */
export interface ClientBodyDeps extends ClientBytesDeps {
  readonly budget: MemoryBudget;
}

/** Limits of the snapshot that is active when a request arrives; sizes in bytes. */
export type BodyLimits = Pick<ServerSettings, 'maxBody' | 'maxUpload' | 'bodyTimeout' | 'json'>;

/** Source of a body: received completely, or still arriving. */
export interface JsonBodySource {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer | BodyStream;
}

/** A JSON body held in memory. */
export class JsonRequestBody {
  readonly #source: JsonBodySource;
  readonly #limits: BodyLimits;
  readonly #deps: ClientBodyDeps;
  readonly #hold: MemoryReservation;
  #reader: BodyReader | undefined;
  #isDiscarded = false;

  constructor(source: JsonBodySource, limits: BodyLimits, deps: ClientBodyDeps) {
    this.#source = source;
    this.#limits = limits;
    this.#deps = deps;
    this.#hold = new MemoryReservation(deps.budget);
  }

  get received(): number {
    const { body } = this.#source;
    return Buffer.isBuffer(body) ? body.length : (this.#reader?.received ?? 0);
  }

  read(done: (body: RequestBody | GatewayError) => void): void {
    const { maxBody, bodyTimeout, json } = this.#limits;
    const { headers, body } = this.#source;
    const coding = headers['content-encoding'];
    const parsed = (bytes: Buffer | GatewayError): void => {
      const found = jsonOf(bytes, json);
      // A large body is kept only as text: its buffer is released.
      if (Buffer.isBuffer(bytes)) releaseBuffer(bytes);
      done(found);
    };
    const read = coding === undefined ? parsed : this.#decoding(codingsOf(coding), (bytes) => parsed(counted(bytes, this.#hold)));
    if (read instanceof GatewayError) {
      done(read);
      return;
    }
    if (Buffer.isBuffer(body)) {
      read(checkReceivedBody(body, { maxBody, hold: this.#hold }));
      return;
    }
    this.#reader = new BodyReader(body, { ...this.#deps, maxBody, bodyTimeout, hold: this.#hold }, read);
    this.#reader.start();
  }

  /** Discards the body and releases its memory. */
  drop(): void {
    this.#isDiscarded = true;
    this.#reader?.stop();
    this.#hold.close();
  }

  /** Returns a callback that decompresses the body first. The body may have been dropped when that is done. */
  #decoding(codings: readonly string[], next: (bytes: Buffer | GatewayError) => void): typeof next | GatewayError {
    return (
      unsupportedEncoding(codings) ??
      ((bytes) => {
        if (bytes instanceof GatewayError) next(bytes);
        else void this.#decode(bytes, codings, next);
      })
    );
  }

  async #decode(bytes: Buffer, codings: readonly string[], next: (bytes: Buffer | GatewayError) => void): Promise<void> {
    const plain = await decompressBody(bytes, codings, this.#limits.maxBody, (made) => this.#hold.take(made * bodyCopies));
    if (!this.#isDiscarded) next(plain);
  }
}

/** Counts a decompressed body, which may be larger than the received bytes. */
function counted(bytes: Buffer | GatewayError, hold: MemoryReservation): Buffer | GatewayError {
  if (bytes instanceof GatewayError) return bytes;
  try {
    hold.set(bytes.length * bodyCopies);
    return bytes;
  } catch (overloaded) {
    return fromUnknown(overloaded);
  }
}

export function jsonOf(bytes: Buffer | GatewayError, limits: JsonLimits): RequestBody | GatewayError {
  if (bytes instanceof GatewayError) return bytes;
  try {
    return JsonBody.from(bytes, limits);
  } catch (error) {
    return fromUnknown(error);
  }
}

export function missingBody(): GatewayError {
  return new GatewayError('invalid_json', {
    message: 'The body is empty.',
    hint: 'Send a JSON object with content-type application/json.',
  });
}
