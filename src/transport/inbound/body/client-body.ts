import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PendingBody } from '../../../core/http/arrival.ts';
import { emptyBody, JsonBody, type RequestBody } from '../../../core/json/body.ts';
import { type Budget, Hold } from '../../../core/memory/budget.ts';
import type { EndpointTraits } from '../../../core/endpoint.ts';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import type { JsonLimits } from '../../../core/json/limits.ts';
import type { ServerSettings } from '../../../core/snapshot.ts';
import { codedForm, decodedBody, uncodable } from './coded-body.ts';
import { codingsOf } from './decode.ts';
import { bodyKind, receiveForm } from '../multipart/arrive.ts';
import { type ClientBytesDeps, tooLarge, uploadLimit } from '../multipart/client-bytes.ts';
import { PassingBytes } from './passing-body.ts';
import { bodyCopies, BodyReader } from './read-body.ts';

/** What reading any body needs. */
export interface ClientBodyDeps extends ClientBytesDeps {
  readonly budget: Budget;
}

/** Limits of the snapshot that is current when a request arrives; sizes in bytes. */
export type BodyLimits = Pick<ServerSettings, 'maxBody' | 'maxUpload' | 'bodyTimeout' | 'json'>;

export interface ClientBodyParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly traits: Pick<EndpointTraits, 'body' | 'file'>;
  readonly limits: BodyLimits;
  readonly deps: ClientBodyDeps;
  /** The client sends its body only when it is told to (`expect: 100-continue`). */
  readonly isAwaited: boolean;
}

/** The body of an HTTP request, which stays with its client until somebody reads it. */
export class ClientBody implements PendingBody {
  readonly #parts: ClientBodyParts;
  #reader: BodyReader | undefined;
  #passing: PassingBytes | undefined;
  #isDropped = false;
  #hold: Hold | undefined;

  constructor(parts: ClientBodyParts) {
    this.#parts = parts;
  }

  read(done: (body: RequestBody | GatewayError) => void): void {
    const { request, response, traits, isAwaited } = this.#parts;
    if (traits.body === 'none') {
      done(emptyBody);
      return;
    }
    if (isAwaited) response.writeContinue();
    if (traits.body === 'passing') done(this.#pass());
    else if (traits.body === 'form') this.#readForm(done);
    else if (hasBody(request)) this.#readJson(done);
    else done(noBody());
  }

  drop(): void {
    this.#isDropped = true;
    this.#reader?.stop();
    this.#passing?.close();
    this.#hold?.close();
  }

  #pass(): RequestBody | GatewayError {
    const { request, limits, deps } = this.#parts;
    if (hasBody(request) && (request.method === 'GET' || request.method === 'HEAD')) return unexpectedBody(request.method);
    // A length that is declared is refused before anything of it is read.
    const size = Number(request.headers['content-length'] ?? 0);
    if (limits.maxUpload !== undefined && size > limits.maxUpload) return tooLarge(uploadLimit(limits.maxUpload), size);
    this.#passing = new PassingBytes(request, limits.maxUpload, deps);
    return this.#passing;
  }

  /** A body that is held in memory. */
  #readJson(done: (body: RequestBody | GatewayError) => void): void {
    const { request, limits, deps } = this.#parts;
    const { maxBody, bodyTimeout, json } = limits;
    const hold = new Hold(deps.budget);
    this.#hold = hold;
    const coding = request.headers['content-encoding'];
    const parsed = (bytes: Buffer | GatewayError): void => done(jsonOf(bytes, json));
    const read = coding === undefined ? parsed : this.#decoding(codingsOf(coding), hold, (bytes) => parsed(counted(bytes, hold)));
    if (read instanceof GatewayError) {
      done(read);
      return;
    }
    this.#reader = new BodyReader(request, { ...deps, maxBody, bodyTimeout, hold }, read);
    this.#reader.start();
  }

  /** What takes the bytes of a compressed body: it undoes that first, and nobody may want them any more when it is done. */
  #decoding(codings: readonly string[], hold: Hold, next: (bytes: Buffer | GatewayError) => void): typeof next | GatewayError {
    return (
      uncodable(codings) ??
      ((bytes) => {
        if (bytes instanceof GatewayError) next(bytes);
        else void this.#decoded(bytes, codings, hold, next);
      })
    );
  }

  async #decoded(bytes: Buffer, codings: readonly string[], hold: Hold, next: (bytes: Buffer | GatewayError) => void): Promise<void> {
    const plain = await decodedBody(bytes, codings, this.#parts.limits.maxBody, (made) => hold.take(made * bodyCopies));
    if (!this.#isDropped) next(plain);
  }

  /** A multipart form, or the same as a JSON object. */
  #readForm(done: (body: RequestBody | GatewayError) => void): void {
    const { request, response, traits, limits, deps } = this.#parts;
    const isUpload = traits.file === 'up';
    const kind = bodyKind(request.headers['content-type'], isUpload);
    const coded = codedForm(codingsOf(request.headers['content-encoding']));
    if (kind === 'json') this.#readJson(done);
    else if (kind instanceof GatewayError) done(kind);
    else if (coded !== undefined) done(coded);
    else receiveForm(request, response, { ...limits, isUpload }, { ...deps, hold: new Hold(deps.budget) }, done);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** A body that was decoded may be larger than what came. */
function counted(bytes: Buffer | GatewayError, hold: Hold): Buffer | GatewayError {
  if (bytes instanceof GatewayError) return bytes;
  try {
    hold.set(bytes.length * bodyCopies);
    return bytes;
  } catch (overloaded) {
    return fromUnknown(overloaded);
  }
}

function jsonOf(bytes: Buffer | GatewayError, limits: JsonLimits): RequestBody | GatewayError {
  if (bytes instanceof GatewayError) return bytes;
  try {
    return JsonBody.from(bytes, limits);
  } catch (error) {
    return fromUnknown(error);
  }
}

/** Services differ in whether they read it: neither they nor a cache before them may see another request than the rules did. */
function unexpectedBody(method: string): GatewayError {
  return new GatewayError('unexpected_body', {
    message: `The ${method} request has a body, which the gateway does not pass through.`,
    hint: 'Send the request without a body, or with the method that the provider documents.',
  });
}

function noBody(): GatewayError {
  return new GatewayError('invalid_json', {
    message: 'The body is empty.',
    hint: 'Send a JSON object with content-type application/json.',
  });
}
