import type { IncomingMessage } from 'node:http';
import { JsonBody, type RequestBody } from '../../../core/json/body.ts';
import { type Budget, Hold } from '../../../core/memory/budget.ts';
import { giveBack } from '../../../core/memory/give-back.ts';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import type { JsonLimits } from '../../../core/json/limits.ts';
import type { ServerSettings } from '../../../core/snapshot.ts';
import { decodedBody, uncodable } from './coded-body.ts';
import { codingsOf } from '../../wire/decode.ts';
import type { ClientBytesDeps } from '../multipart/client-bytes.ts';
import { bodyCopies, BodyReader, type BodySource, takeWhole } from './read-body.ts';

/** Dependencies of every body reader. */
export interface ClientBodyDeps extends ClientBytesDeps {
  readonly budget: Budget;
}

/** Limits of the snapshot that is active when a request arrives; sizes in bytes. */
export type BodyLimits = Pick<ServerSettings, 'maxBody' | 'maxUpload' | 'bodyTimeout' | 'json'>;

/** Source of a body: received completely, or still arriving. */
export interface HeldSource {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer | BodySource;
}

/** A JSON body held in memory. */
export class HeldBody {
  readonly #source: HeldSource;
  readonly #limits: BodyLimits;
  readonly #deps: ClientBodyDeps;
  readonly #hold: Hold;
  #reader: BodyReader | undefined;
  #isDropped = false;

  constructor(source: HeldSource, limits: BodyLimits, deps: ClientBodyDeps) {
    this.#source = source;
    this.#limits = limits;
    this.#deps = deps;
    this.#hold = new Hold(deps.budget);
  }

  read(done: (body: RequestBody | GatewayError) => void): void {
    const { maxBody, bodyTimeout, json } = this.#limits;
    const { headers, body } = this.#source;
    const coding = headers['content-encoding'];
    const parsed = (bytes: Buffer | GatewayError): void => {
      const found = jsonOf(bytes, json);
      // A large body is kept only as text: its buffer is released.
      if (Buffer.isBuffer(bytes)) giveBack(bytes);
      done(found);
    };
    const read = coding === undefined ? parsed : this.#decoding(codingsOf(coding), (bytes) => parsed(counted(bytes, this.#hold)));
    if (read instanceof GatewayError) {
      done(read);
      return;
    }
    if (Buffer.isBuffer(body)) {
      read(takeWhole(body, { maxBody, hold: this.#hold }));
      return;
    }
    this.#reader = new BodyReader(body, { ...this.#deps, maxBody, bodyTimeout, hold: this.#hold }, read);
    this.#reader.start();
  }

  /** Discards the body and releases its memory. */
  drop(): void {
    this.#isDropped = true;
    this.#reader?.stop();
    this.#hold.close();
  }

  /** Returns a callback that decompresses the body first. The body may have been dropped when that is done. */
  #decoding(codings: readonly string[], next: (bytes: Buffer | GatewayError) => void): typeof next | GatewayError {
    return (
      uncodable(codings) ??
      ((bytes) => {
        if (bytes instanceof GatewayError) next(bytes);
        else void this.#decoded(bytes, codings, next);
      })
    );
  }

  async #decoded(bytes: Buffer, codings: readonly string[], next: (bytes: Buffer | GatewayError) => void): Promise<void> {
    const plain = await decodedBody(bytes, codings, this.#limits.maxBody, (made) => this.#hold.take(made * bodyCopies));
    if (!this.#isDropped) next(plain);
  }
}

/** Counts a decompressed body, which may be larger than the received bytes. */
function counted(bytes: Buffer | GatewayError, hold: Hold): Buffer | GatewayError {
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

export function noBody(): GatewayError {
  return new GatewayError('invalid_json', {
    message: 'The body is empty.',
    hint: 'Send a JSON object with content-type application/json.',
  });
}
