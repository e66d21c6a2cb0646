import type { RequestBody } from '../json/body.ts';
import type { Client } from './client.ts';
import type { Endpoint } from '../endpoint.ts';
import type { GatewayError } from '../error.ts';
import type { HeaderBag } from './headers.ts';

/** Head of a request as read by the transport, before any decision and without the body. */
export interface RequestHead {
  /** `req_` and 26 characters that sort by time. */
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Path as sent, without query; for the deployments layout, the equivalent `/v1/` path. */
  readonly path: string;
  /** The model named in the path, which may differ from the one in the body. */
  readonly pathModel: string | undefined;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query text without `?` and without gateway credentials. */
  readonly query: string;
  readonly headers: HeaderBag;
  /** Unix milliseconds. */
  readonly at: number;
  /** The same moment in monotonic milliseconds. */
  readonly arrivedAt: number;
  /** Address of the peer. */
  readonly peer: string | undefined;
  /** In [0, 1): the only random number of the request, so that its plan can be repeated from the record. */
  readonly random: number;
  /** From the client, or generated. */
  readonly traceId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Warnings about headers that have no effect. */
  readonly warnings: readonly string[] | undefined;
}

/** The body of a request that was not read yet: a request rejected by its head never buffers it. */
export interface PendingBody {
  /** Bytes received from the client so far, also of a body that cannot be read. */
  readonly received: number;
  /**
   * Reads the body as its route requires. Calls back once, possibly synchronously, with the body or an error; never
   * after `drop`, and not if the client disconnects.
   */
  read(done: (body: RequestBody | GatewayError) => void): void;
  /** Releases the body and its memory, whether it was read or not. May be called more than once. */
  drop(): void;
}

/** A request, as the transport passes it on. */
export interface IncomingRequest {
  readonly arrival: RequestHead;
  readonly client: Client;
  readonly body: PendingBody;
  /** Set if the head shows that the request cannot be served, regardless of the caller. */
  readonly refusal: GatewayError | undefined;
}
