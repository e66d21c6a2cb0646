import type { RequestBody } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import type { HeaderBag } from './headers.ts';

/** What the transport read of a request: size-limited, nothing decided yet. */
export interface Arrival {
  /** `req_` and 26 characters that sort by time. */
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Path as sent, without query. */
  readonly path: string;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query text without `?`, gateway credentials taken out. */
  readonly query: string;
  readonly headers: HeaderBag;
  readonly body: RequestBody;
  /** The model as the client wrote it, from body, query or path; '' when it named none. */
  readonly askedModel: string;
  /** The client asked for a stream. */
  readonly stream: boolean;
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
}
