import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import type { MemoryReservation } from '../../../core/memory/budget.ts';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import { bodyTooLarge, uploadLimit } from '../body/size-limit.ts';
import { ClientBodyReader, type ClientBytesDeps } from './client-body-reader.ts';
import { boundaryOf, isMultipart } from './head.ts';
import { IncomingForm } from './incoming-form.ts';

export interface FormLimits {
  /** Maximum size of a form held in memory, in bytes. */
  readonly maxBody: number;
  /** Maximum size of a form that is forwarded; undefined for no limit. */
  readonly maxUpload: number | undefined;
  /** Timeout for a form that is held, and for the part before the file of one that is forwarded, in milliseconds. */
  readonly bodyTimeout: number;
  /** The route accepts files of any size: a form held for it has the limit of forwarded ones. */
  readonly isUpload: boolean;
}

export interface FormDeps extends ClientBytesDeps {
  /** Counts the memory used. */
  readonly hold: MemoryReservation;
}

/** Returns the kind of a body by its content type, on routes that accept forms. */
export function formBodyKind(contentType: string | undefined, isUpload: boolean): 'form' | 'json' | GatewayError {
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
 * Reads a form up to its first file, and returns it while that arrives. Its resources are released when the exchange has ended.
 * Calls back once, with the form or an error; not at all if the client disconnected.
 */
export function receiveForm(
  request: IncomingMessage,
  response: ServerResponse,
  limits: FormLimits,
  deps: FormDeps,
  done: (form: IncomingForm | GatewayError) => void,
): IncomingForm | undefined {
  const form = createForm(request, limits, deps);
  if (form instanceof GatewayError) {
    done(form);
    return undefined;
  }
  const exchange = { isOver: false };
  response.once('finish', () => form.stop());
  response.once('close', () => {
    exchange.isOver = true;
    // If closing fails: the file is already unlinked, so its space is freed when the process ends.
    form.close().catch(() => {});
  });
  const finish = (result: IncomingForm | GatewayError): void => {
    if (!exchange.isOver) done(result);
  };
  form.begin().then(
    () => finish(form),
    (thrown: unknown) => finish(fromUnknown(thrown)),
  );
  return form;
}

function createForm(request: IncomingMessage, limits: FormLimits, deps: FormDeps): IncomingForm | GatewayError {
  const contentType = request.headers['content-type'] ?? '';
  const length = request.headers['content-length'];
  const declared = length === undefined ? undefined : Number(length);
  const limit = uploadLimit(limits.maxUpload);
  if (declared !== undefined && declared > limit.bytes) return bodyTooLarge(limit, declared);
  try {
    const boundary = boundaryOf(contentType);
    if (boundary === undefined) return noBoundary();
    const source = new ClientBodyReader(request, limit, deps);
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
