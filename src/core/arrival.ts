import type { RequestBody } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import type { HeaderBag } from './headers.ts';

/** What the transport read of a request. */
export interface Arrival {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: HeaderBag;
  readonly body: RequestBody;
  readonly askedModel: string;
  readonly stream: boolean;
  readonly at: number;
  /** The same moment on the monotonic clock. */
  readonly arrivedAt: number;
  readonly peer: string | undefined;
  readonly random: number;
  readonly traceId: string;
  readonly metadata: Readonly<Record<string, string>>;
}
