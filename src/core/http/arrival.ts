import type { RequestBody } from '../json/body.ts';
import type { Client } from './client.ts';
import type { Endpoint } from '../endpoint.ts';
import type { GatewayError } from '../error.ts';
import type { HeaderBag } from './headers.ts';

/** What the transport read of a request's head: nothing decided yet, and nothing of its body. */
export interface Arrival {
  /** `req_` and 26 characters that sort by time. */
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Path as sent, without query; in our layout where it came in that of deployments. */
  readonly path: string;
  /** The model that the path names, whatever the body says. */
  readonly pathModel: string | undefined;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query text without `?`, gateway credentials taken out. */
  readonly query: string;
  readonly headers: HeaderBag;
  /** Unix milliseconds. */
  readonly at: number;
  /** The same moment on the monotonic clock. */
  readonly arrivedAt: number;
  /** Address of the peer. */
  readonly peer: string | undefined;
  /** Number in [0, 1): the only randomness of the request, so that a plan can be made again from the record. */
  readonly random: number;
  /** The caller's, or made here. */
  readonly traceId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** About headers that have no effect. */
  readonly warnings: readonly string[] | undefined;
}

/** The body of a request that is still with its client: a request that is refused by its head never holds it. */
export interface PendingBody {
  /**
   * Reads it as its route needs it. Calls back once, possibly at once, with the body or with why it could not be read;
   * never after `drop`, and not when the client leaves.
   */
  read(done: (body: RequestBody | GatewayError) => void): void;
  /** Nobody wants it any more, read or not: what was taken for it is given back. May be called more than once. */
  drop(): void;
}

/** One request as the transport hands it over. */
export interface Incoming {
  readonly arrival: Arrival;
  readonly client: Client;
  readonly body: PendingBody;
  /** Set where the head shows that the request cannot be served, whoever sent it. */
  readonly refusal: GatewayError | undefined;
}
