import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PendingBody, RequestBody } from '../../../core/http/request.ts';
import { emptyBody } from '../../../core/json/body.ts';
import { MemoryReservation } from '../../../core/memory/budget.ts';
import type { EndpointTraits } from '../../../core/endpoint.ts';
import { GatewayError } from '../../../core/error.ts';
import { printable } from '../../../core/text/printable.ts';
import { encodedFormFault } from './content-encoding.ts';
import { codingsOf } from '../../wire/decode.ts';
import { formBodyKind, receiveForm } from '../multipart/receive-form.ts';
import type { IncomingForm } from '../multipart/incoming-form.ts';
import { bodyTooLarge, uploadLimit } from './size-limit.ts';
import { hasBody } from './has-body.ts';
import { type BodyLimits, type ClientBodyDeps, JsonRequestBody, missingBody } from './json-request-body.ts';
import { RelayedBody } from './relayed-body.ts';

export interface HttpRequestBodyParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly traits: Pick<EndpointTraits, 'body' | 'file'>;
  readonly limits: BodyLimits;
  readonly deps: ClientBodyDeps;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

/** The body of an HTTP request. It is not received until it is read. */
export class HttpRequestBody implements PendingBody {
  readonly #parts: HttpRequestBodyParts;
  #json: JsonRequestBody | undefined;
  #passing: RelayedBody | undefined;
  #form: IncomingForm | undefined;

  constructor(parts: HttpRequestBodyParts) {
    this.#parts = parts;
  }

  get received(): number {
    return (this.#json ?? this.#passing ?? this.#form)?.received ?? 0;
  }

  read(done: (body: RequestBody | GatewayError) => void): void {
    const { response, expectsContinue } = this.#parts;
    if (!expectsContinue) {
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
    const coded = unsupportedTransferEncoding(request.headers['transfer-encoding']);
    if (traits.body === 'none') done(emptyBody);
    else if (coded !== undefined) done(coded);
    else if (traits.body === 'passing') done(this.#relay());
    else if (traits.body === 'form') this.#readForm(done);
    else if (hasBody(request)) this.#readJson(done);
    else done(missingBody());
  }

  drop(): void {
    this.#json?.drop();
    this.#passing?.close();
  }

  #relay(): RequestBody | GatewayError {
    const { request, limits, deps } = this.#parts;
    if (hasBody(request) && (request.method === 'GET' || request.method === 'HEAD')) return unexpectedBody(request.method);
    // A declared length above the limit is rejected before any of the body is read.
    const size = Number(request.headers['content-length'] ?? 0);
    if (limits.maxUpload !== undefined && size > limits.maxUpload) return bodyTooLarge(uploadLimit(limits.maxUpload), size);
    this.#passing = new RelayedBody(request, limits.maxUpload, deps);
    return this.#passing;
  }

  #readJson(done: (body: RequestBody | GatewayError) => void): void {
    const { request, limits, deps } = this.#parts;
    this.#json = new JsonRequestBody({ headers: request.headers, body: request }, limits, deps);
    this.#json.read(done);
  }

  /** Reads a multipart form, or the equivalent JSON object. */
  #readForm(done: (body: RequestBody | GatewayError) => void): void {
    const { request, response, traits, limits, deps } = this.#parts;
    const isUpload = traits.file === 'up';
    const kind = formBodyKind(request.headers['content-type'], isUpload);
    const coded = encodedFormFault(codingsOf(request.headers['content-encoding']));
    if (kind === 'json') this.#readJson(done);
    else if (kind instanceof GatewayError) done(kind);
    else if (coded !== undefined) done(coded);
    else this.#form = receiveForm(request, response, { ...limits, isUpload }, { ...deps, hold: new MemoryReservation(deps.budget) }, done);
  }
}

/** `node:http` reads the chunks of any body, and leaves codings beside them, such as gzip, to its users (RFC 9112 6.1). */
function unsupportedTransferEncoding(coding: string | undefined): GatewayError | undefined {
  if (coding === undefined || coding.toLowerCase() === 'chunked') return undefined;
  return new GatewayError('invalid_header', {
    message: `The gateway does not support the transfer-encoding "${printable(coding).slice(0, 100)}".`,
    param: 'transfer-encoding',
    hint: 'Send the body with the transfer-encoding "chunked", or with its content-length.',
  });
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
