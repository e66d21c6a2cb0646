import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PendingBody } from '../../../core/http/arrival.ts';
import { emptyBody, type RequestBody } from '../../../core/json/body.ts';
import { Hold } from '../../../core/memory/budget.ts';
import type { EndpointTraits } from '../../../core/endpoint.ts';
import { GatewayError } from '../../../core/error.ts';
import { printable } from '../../../core/text/printable.ts';
import { codedForm } from './coded-body.ts';
import { codingsOf } from '../../wire/decode.ts';
import { bodyKind, receiveForm } from '../multipart/arrive.ts';
import { tooLarge, uploadLimit } from '../multipart/client-bytes.ts';
import { type BodyLimits, type ClientBodyDeps, HeldBody, noBody } from './held-body.ts';
import { PassingBytes } from './passing-body.ts';

export interface ClientBodyParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly traits: Pick<EndpointTraits, 'body' | 'file'>;
  readonly limits: BodyLimits;
  readonly deps: ClientBodyDeps;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly isAwaited: boolean;
}

/** The body of an HTTP request. It is not received until it is read. */
export class ClientBody implements PendingBody {
  readonly #parts: ClientBodyParts;
  #held: HeldBody | undefined;
  #passing: PassingBytes | undefined;

  constructor(parts: ClientBodyParts) {
    this.#parts = parts;
  }

  read(done: (body: RequestBody | GatewayError) => void): void {
    const { response, isAwaited } = this.#parts;
    if (!isAwaited) {
      this.#read(done);
      return;
    }
    // A request that was rejected because of its head gets no `100 Continue`.
    let isSettled = false;
    this.#read((body) => {
      isSettled = true;
      if (!(body instanceof GatewayError) && body.kind === 'passing') response.writeContinue();
      done(body);
    });
    if (!isSettled) response.writeContinue();
  }

  #read(done: (body: RequestBody | GatewayError) => void): void {
    const { request, traits } = this.#parts;
    const coded = codedTransfer(request.headers['transfer-encoding']);
    if (traits.body === 'none') done(emptyBody);
    else if (coded !== undefined) done(coded);
    else if (traits.body === 'passing') done(this.#pass());
    else if (traits.body === 'form') this.#readForm(done);
    else if (hasBody(request)) this.#readJson(done);
    else done(noBody());
  }

  drop(): void {
    this.#held?.drop();
    this.#passing?.close();
  }

  #pass(): RequestBody | GatewayError {
    const { request, limits, deps } = this.#parts;
    if (hasBody(request) && (request.method === 'GET' || request.method === 'HEAD')) return unexpectedBody(request.method);
    // A declared length above the limit is rejected before any of the body is read.
    const size = Number(request.headers['content-length'] ?? 0);
    if (limits.maxUpload !== undefined && size > limits.maxUpload) return tooLarge(uploadLimit(limits.maxUpload), size);
    this.#passing = new PassingBytes(request, limits.maxUpload, deps);
    return this.#passing;
  }

  #readJson(done: (body: RequestBody | GatewayError) => void): void {
    const { request, limits, deps } = this.#parts;
    this.#held = new HeldBody({ headers: request.headers, body: request }, limits, deps);
    this.#held.read(done);
  }

  /** Reads a multipart form, or the equivalent JSON object. */
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

/** `node:http` reads the chunks of any body, and leaves codings beside them, such as gzip, to its users (RFC 9112 6.1). */
function codedTransfer(coding: string | undefined): GatewayError | undefined {
  if (coding === undefined || coding.toLowerCase() === 'chunked') return undefined;
  return new GatewayError('invalid_header', {
    message: `The gateway does not support the transfer-encoding "${printable(coding).slice(0, 100)}".`,
    param: 'transfer-encoding',
    hint: 'Send the body with the transfer-encoding "chunked", or with its content-length.',
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Providers differ in whether they read such a body. Neither they nor a cache in front of them may see a request that
 * differs from the one the rules checked.
 */
function unexpectedBody(method: string): GatewayError {
  return new GatewayError('unexpected_body', {
    message: `The ${method} request has a body, which the gateway does not pass through.`,
    hint: 'Send the request without a body, or with the method that the provider documents.',
  });
}
