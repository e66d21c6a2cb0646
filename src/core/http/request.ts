import type { EmptyBody, JsonBody } from '../json/body.ts';
import type { Client } from './client.ts';
import type { Endpoint } from '../endpoint.ts';
import type { GatewayError } from '../error.ts';
import type { FormBody, FormBytes } from './form.ts';
import type { HeaderBag, HeaderPairs } from './headers.ts';

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

/** A request body as the pipeline sees it. */
export type RequestBody = JsonBody | EmptyBody | FormBody | PassThroughBody | SocketBody;

/** A body that is passed through, from any unknown route. It is not held in memory, so it can be sent only once. */
export interface PassThroughBody {
  readonly kind: 'passing';
  readonly contentType: string | undefined;
  /** Declared length in bytes: 0 without a body, undefined if the client does not declare it. */
  readonly length: number | undefined;
  /** Bytes received from the client so far. */
  readonly received: number;
  /** True if a provider may have read or processed some of it, so that it cannot be sent again. */
  readonly isSpent: boolean;
  /** Marks the body as spent. Called when a provider is connected, because bytes sent from then on cannot be taken back. */
  spend(): void;
  /** Called only after a provider is connected. Until then the whole body is available to the next target. */
  open(): FormBytes;
}

/** A connection that requests an upgrade to WebSocket. */
export interface SocketBody {
  readonly kind: 'socket';
  /** Bytes of forwarded frames. */
  readonly received: number;
  /** Subprotocols that the provider may choose from. */
  readonly offeredProtocols: readonly string[];
  /** The headers that request the upgrade. */
  readonly handshake: HeaderPairs;
  /** Called once, after the provider accepted the upgrade: forwards what the client sends, beginning with the buffered bytes. */
  into(reader: SocketReader): void;
  pause(): void;
  resume(): void;
  /** Ends the exchange without waiting for the provider, because the client disconnected without a close frame. */
  disconnect(): void;
}

/** Receives what a client sends over its WebSocket. */
export interface SocketReader {
  data(chunk: Buffer): void;
  /** The client ended its sending side. */
  end(): void;
  /** The client's connection is closed. */
  disconnected(): void;
}

/** A request, as the transport passes it on. */
export interface IncomingRequest {
  readonly arrival: RequestHead;
  readonly client: Client;
  readonly body: PendingBody;
  /** Set if the head shows that the request cannot be served, regardless of the caller. */
  readonly refusal: GatewayError | undefined;
}
