import { timeoutAfterReads } from '../../core/async/timeout-after-reads.ts';
import { fromUnknown, type GatewayError } from '../../core/error.ts';
import { connectionFault } from '../../core/http/connection-fault.ts';
import { appendBytes } from '../../core/memory/byte-pieces.ts';
import { errorCode } from '../../core/text/error-code.ts';
import type { Trust } from '../../core/snapshot.ts';
import { isConnectTimeout } from './exchange/faults.ts';
import type { Upstream } from './upstream.ts';
import type { ResponseReceiver, ResponseControl, WireRequest } from '../wire/request.ts';

/** Timeouts in milliseconds, and the maximum size in bytes. */
export interface FetchLimits {
  readonly trust: Trust;
  readonly connectMs: number;
  readonly totalMs: number;
  readonly maxBytes: number;
  /** Counts bytes as they come; what it throws ends the download. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

export interface FetchedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Why there is no response, as a text that may be shown. */
export class FetchFault extends Error {
  readonly kind: 'timeout' | 'connection' | 'too-large' | 'refused';
  /** The egress rules rejected the address, or there is no memory for more bytes. */
  readonly refusal: GatewayError | undefined;

  constructor(kind: FetchFault['kind'], message: string, refusal?: GatewayError, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.refusal = refusal;
  }
}

/**
 * One small request of the gateway's own (a token, a file), through the same pools and address rules as all others. Redirects
 * are not followed. @throws FetchFault
 */
export function fetchResponse(upstream: Upstream, request: WireRequest, limits: FetchLimits): Promise<FetchedResponse> {
  return new Promise((resolve, reject) => {
    const again = (receiver: ResponseReceiver): void => upstream.send(request, { ...limits, isOnce: true }, receiver);
    upstream.send(request, limits, new BufferingReceiver(limits, resolve, reject, again));
  });
}

class BufferingReceiver implements ResponseReceiver {
  readonly #limits: FetchLimits;
  readonly #resolve: (answer: FetchedResponse) => void;
  readonly #reject: (fault: FetchFault) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  #source: ResponseControl | undefined;
  isOver = false;
  /** Sends the request once more, over a fresh connection. */
  #retry: ((receiver: ResponseReceiver) => void) | undefined;

  constructor(
    limits: FetchLimits,
    resolve: (answer: FetchedResponse) => void,
    reject: (fault: FetchFault) => void,
    again: (receiver: ResponseReceiver) => void,
  ) {
    this.#retry = again;
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    const expire = (): void => this.#fail(new FetchFault('timeout', `no response within ${limits.totalMs} ms`));
    this.#timer = timeoutAfterReads(expire, limits.totalMs);
  }

  connected(source: ResponseControl): void {
    this.#source = source;
    if (this.isOver) source.abort();
  }

  sent(): void {}

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers['content-length']) > this.#limits.maxBytes) this.#tooLarge();
  }

  data(chunk: Buffer): void {
    if (this.isOver) return;
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBytes) this.#tooLarge();
    else this.#keep(chunk);
  }

  finished(): void {
    if (this.isOver) return;
    this.#over();
    this.#resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks, this.#size) });
  }

  failed(error: Error, isUnread = false): void {
    const again = this.#retry;
    this.#retry = undefined;
    if (isUnread && !this.isOver && again !== undefined) again(this);
    else this.#fail(faultOf(error));
  }

  #keep(chunk: Buffer): void {
    try {
      this.#limits.onBytes?.(chunk.length);
      appendBytes(this.#chunks, chunk);
    } catch (thrown) {
      const refusal = fromUnknown(thrown);
      this.#fail(new FetchFault('refused', refusal.message, refusal));
    }
  }

  #tooLarge(): void {
    this.#fail(new FetchFault('too-large', `larger than ${this.#limits.maxBytes} bytes`));
  }

  #fail(fault: FetchFault): void {
    if (this.isOver) return;
    this.#over();
    this.#source?.abort();
    this.#reject(fault);
  }

  #over(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
  }
}

/** Uses the error code, never the message, which contains internal addresses. */
function faultOf(error: Error): FetchFault {
  const code = errorCode(error);
  if (code === 'not_allowed') return new FetchFault('refused', error.message, error as GatewayError);
  if (isConnectTimeout(code)) return new FetchFault('timeout', 'the connection was not accepted in time', undefined, error);
  return new FetchFault('connection', connectionFault(error), undefined, error);
}
