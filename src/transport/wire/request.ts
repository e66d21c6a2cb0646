import type { JsonBody } from '../../core/json/body.ts';
import type { UpstreamRequest } from '../../core/provider.ts';

/** Callbacks for one request on the wire. Exactly one of `finished` and `failed` ends it. */
export interface ResponseReceiver {
  /** True if the response is no longer needed. A connection that is being opened for it is then closed. */
  readonly isOver?: boolean;
  /** A connection is available, and the request is being written. */
  connected(source: ResponseControl): void;
  /** The request was written completely. */
  sent(): void;
  head(status: number, headers: Readonly<Record<string, string>>): void;
  data(chunk: Buffer): void;
  finished(): void;
  /** `isUnread`: the kept-alive connection was already closed, so the provider has not read the request. */
  failed(error: Error, isUnread?: boolean): void;
}

/** Controls the sender of a response. */
export interface ResponseControl {
  /** Bytes of the request that the system has not taken yet. */
  unsent?(): number;
  pause(): void;
  resume(): void;
  abort(): void;
}

/** A request as it is sent. Bodies other than JSON are bytes too. */
export type WireRequest = Pick<UpstreamRequest, 'origin' | 'path' | 'method' | 'headers'> & {
  readonly body: WireBody;
};

export type WireBody = { readonly kind: 'none' } | BufferedBody | WireStream;

/** A buffered body, which can be sent again. Its members are those of `JsonBody`, so that both have the same names. */
export type BufferedBody = Pick<JsonBody, 'bytes'> &
  Readonly<Partial<Pick<JsonBody, 'oneByte' | 'holdsBytes'>>> & { readonly kind: 'json' | 'form' };

/** A body that is generated while it is sent. Each iteration starts from the beginning. */
export interface WireStream extends AsyncIterable<Uint8Array> {
  readonly kind: 'stream';
  /** True if it can be iterated more than once. */
  readonly isRepeatable: boolean;
}
