import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../../../core/error.ts';
import { lingeringClose } from './lingering-close.ts';

/** Limits of a listener for the head of a request. */
export interface HeadLimits {
  /** Maximum total size of the headers, in bytes. */
  readonly maxHeaderSize: number;
  /** What to do about headers that are too large. */
  readonly hint?: string;
}

/** Timeout for the head of a request, in milliseconds. For the first one it starts with the connection. */
export const headTimeoutMs = 10_000;
/** Limits of the data listener: large enough for a config with a service account. */
export const dataLimits = {
  maxHeaderSize: 64 * 1024,
  hint: 'Send fewer or shorter headers. Instead of sending a config, name one of gateway.yaml.',
} as const satisfies HeadLimits;

/** `_httpMessage` is the response being sent; Node's own handler of such errors checks it, too. */
type RespondingSocket = Duplex & { readonly _httpMessage?: ServerResponse | null; readonly bytesRead?: number };

/** An error of Node's parser. `rawPacket`: the bytes that it rejected, and those before them in the same segment. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Sends a complete error response, then closes the connection. */
export type RejectSocket = (socket: Duplex, error: GatewayError) => void;

/** What an error of the parser means: before a request, and within the body of one; undefined if the client has ended its side. */
interface ParserFaults {
  readonly head: GatewayError;
  readonly body: GatewayError | undefined;
}

/** Handles connections whose bytes the parser of `node:http` rejects. It reports the same connection again with each segment. */
export class ParserErrors {
  readonly #refuse: RejectSocket;
  readonly #handled = new WeakSet<Duplex>();
  readonly #skipped: WeakMap<Duplex, IncomingMessage>;
  readonly #limits: HeadLimits;

  /** @param skipped the last request of a connection whose rest may be skipped, because its response was complete */
  constructor(refuse: RejectSocket, skipped: WeakMap<Duplex, IncomingMessage>, limits: HeadLimits) {
    this.#refuse = refuse;
    this.#skipped = skipped;
    this.#limits = limits;
  }

  readonly handle = (error: ParserError, socket: RespondingSocket): void => {
    if (this.#handled.has(socket)) return;
    this.#handled.add(socket);
    // On an idle connection, an error would be taken for the response to the next request.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) socket.destroy();
    else this.#reject(socket, { head: parserFault(error, this.#limits), body: bodyFault(error) });
  };

  /** Answers after the responses to the complete requests before the error, of which it would become a part otherwise. */
  #reject(socket: RespondingSocket, faults: ParserFaults): void {
    const running = socket._httpMessage ?? undefined;
    if (running === undefined) {
      // A second response to the same request would be taken for the response to the next one.
      if (this.#skipped.get(socket)?.complete === false) lingeringClose(socket);
      else this.#refuse(socket, faults.head);
    } else if (running.req.complete) {
      running.once('finish', () => {
        // Not writable: the response itself closes the connection.
        if (socket.writable) this.#reject(socket, faults);
      });
    } else if (running.writableEnded || (running.headersSent && !isRead(running.req))) running.once('finish', () => lingeringClose(socket));
    else if (running.headersSent || faults.body === undefined) socket.destroy();
    else {
      running.shouldKeepAlive = false;
      failBody(running.req, faults.body);
    }
  }
}

/** False while a response, such as that to a rejected head, needs no more of the body. */
const isRead = (request: IncomingMessage): boolean => request.listenerCount('error') > 0;

/** Reports an error to the reader of a body, or to the one that begins to read it later. */
function failBody(request: IncomingMessage, error: GatewayError): void {
  if (isRead(request)) request.emit('error', error);
  else request.once('newListener', () => process.nextTick(() => failBody(request, error)));
}

function bodyFault({ code }: ParserError): GatewayError | undefined {
  if (code === 'HPE_INVALID_EOF_STATE') return undefined;
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') return invalidChunks();
  return new GatewayError('timeout', { message: 'The body of the request did not arrive in time.' });
}

/** The chunks of a body (RFC 9112 7.1) cannot be read. */
export const invalidChunks = (): GatewayError =>
  new GatewayError('invalid_header', {
    message: 'The chunks of the body are not valid.',
    param: 'transfer-encoding',
    hint: 'Let the HTTP library write the chunks, or send the body with its content-length.',
  });

/** Why bytes are not a request. */
export function parserFault({ code, rawPacket }: Pick<ParserError, 'code' | 'rawPacket'>, limits: HeadLimits = dataLimits): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('headers_too_large', {
        message: `The request's headers are larger than ${limits.maxHeaderSize} bytes.`,
        hint: limits.hint,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('timeout', { message: `The head of the request did not arrive within ${headTimeoutMs / 1000} s.` });
    default:
      return new GatewayError('invalid_header', otherProtocol(rawPacket) ?? { message: 'The request is not valid HTTP.' });
  }
}

/** Such a client cannot read the response, but the operator finds the cause in the request log. */
function otherProtocol(bytes: Buffer | undefined): { readonly message: string; readonly hint: string } | undefined {
  // The type and the major version of a handshake record (RFC 8446 5.1).
  if (bytes?.[0] === 0x16 && bytes[1] === 0x03) {
    return {
      message: 'The client uses TLS, but this port does not.',
      hint: 'Use http:// in the base URL of the client, or a proxy that terminates TLS.',
    };
  }
  if (bytes?.subarray(0, http2.length).equals(http2) === true) {
    return { message: 'The client uses HTTP/2, but this port only accepts HTTP/1.1.', hint: 'Set the client to HTTP/1.1.' };
  }
  return undefined;
}

/** Beginning of the client preface (RFC 9113 3.4). */
const http2 = Buffer.from('PRI * HTTP/2.0\r\n');
