import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import type { Hold } from '../../../core/memory/budget.ts';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import { ClientBytes, type ClientBytesDeps, tooLarge, uploadLimit } from './client-bytes.ts';
import { boundaryOf, isMultipart } from './head.ts';
import { IncomingForm } from './incoming.ts';

export interface FormLimits {
  /** Bytes of a form that is held. */
  readonly maxBody: number;
  /** Bytes of one that only passes; undefined for no limit. */
  readonly maxUpload: number | undefined;
  /** Milliseconds for a form that is held, and for what stands before the file of one that passes. */
  readonly bodyTimeout: number;
  /** The route takes files of any size: what is held of one is bounded as what passes. */
  readonly isUpload: boolean;
}

export interface FormDeps extends ClientBytesDeps {
  /** Counts what is held in memory. */
  readonly hold: Hold;
}

/** What the body of a route with forms is, by its content type. */
export function bodyKind(contentType: string | undefined, isUpload: boolean): 'form' | 'json' | GatewayError {
  if (contentType !== undefined && isMultipart(contentType)) return 'form';
  if (!isUpload && contentType !== undefined && /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) return 'json';
  return new GatewayError('invalid_form', {
    message:
      contentType === undefined
        ? 'The request has no content-type.'
        : `The body is not a form: its content-type is "${contentType.slice(0, 100)}".`,
    param: 'content-type',
    hint: `Send multipart/form-data${isUpload ? '' : ' or application/json'}.`,
  });
}

/**
 * Reads a form up to its first file; nothing of it is left when the exchange is over. Calls back once with the form, or
 * an error for one that can't be read; not when the client left.
 */
export function receiveForm(
  request: IncomingMessage,
  response: ServerResponse,
  limits: FormLimits,
  deps: FormDeps,
  done: (form: IncomingForm | GatewayError) => void,
): void {
  const form = openForm(request, limits, deps);
  if (form instanceof GatewayError) {
    done(form);
    return;
  }
  const exchange = { isOver: false };
  response.once('finish', () => form.stop());
  response.once('close', () => {
    exchange.isOver = true;
    // What cannot be closed has no name on the disk any more: it goes with the process.
    form.close().catch(() => {});
  });
  const give = (result: IncomingForm | GatewayError): void => {
    if (!exchange.isOver) done(result);
  };
  form.begin().then(
    () => give(form),
    (thrown: unknown) => give(fromUnknown(thrown)),
  );
}

function openForm(request: IncomingMessage, limits: FormLimits, deps: FormDeps): IncomingForm | GatewayError {
  const contentType = request.headers['content-type'] ?? '';
  const length = request.headers['content-length'];
  const declared = length === undefined ? undefined : Number(length);
  const limit = uploadLimit(limits.maxUpload);
  if (declared !== undefined && declared > limit.bytes) return tooLarge(limit, declared);
  try {
    const boundary = boundaryOf(contentType);
    if (boundary === undefined) return noBoundary();
    const source = new ClientBytes(request, limit, deps);
    return new IncomingForm({
      contentType,
      boundary,
      declared,
      source,
      maxBody: limits.isUpload ? limit.bytes : limits.maxBody,
      dir: tmpdir(),
      bodyTimeout: limits.bodyTimeout,
      isUpload: limits.isUpload,
      hold: deps.hold,
    });
  } catch (thrown) {
    return fromUnknown(thrown);
  }
}

function noBoundary(): GatewayError {
  return new GatewayError('invalid_form', {
    message: 'The content-type of the form has no boundary.',
    param: 'content-type',
    hint: 'Let the HTTP library set the content-type of a form.',
  });
}
