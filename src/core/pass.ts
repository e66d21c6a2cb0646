import type { GatewayError } from './error.ts';
import type { HeaderPairs } from './http/headers.ts';
import type { UpstreamAddress } from './provider.ts';
import type { SecretForms } from './secrets/redactor.ts';
import type { Trust } from './snapshot.ts';

/** A request whose bytes only pass through: an upload, an unknown route, a WebSocket. */
export interface PassRequest {
  readonly address: UpstreamAddress;
  readonly trust: Trust;
  /** Over a connection that was not used before. */
  readonly isFresh?: boolean;
  /** What is sent beside the caller's own headers that may pass: credentials and the provider's extras. */
  readonly headers: HeaderPairs;
  /** What must not come back to the client, and who is told when it did. */
  readonly secrets: SecretForms | undefined;
  onEcho(): void;
  /** Headers of the caller that do not go along, in lower case. */
  readonly withheld?: readonly string[];
  /** Milliseconds; both by bytes. */
  readonly clocks: { readonly connect: number; readonly idle: number };
  /**
   * Our headers for the answer, called once with the provider's status and headers, before anything reached the client. An error
   * instead throws the provider's answer away: the result is `refused` with it, and the client's answer is still open.
   */
  onHead(status: number, theirs: HeaderPairs): HeaderPairs | GatewayError;
  /** Awaited before the end of the answer leaves, so that its record is written first. */
  onEnd(result: PassResult): Promise<void>;
}

/** How a passing request ended. */
export interface PassResult {
  readonly kind: 'whole' | 'client_gone' | 'unreachable' | 'timeout' | 'interrupted' | 'refused';
  /** Why, unless `whole` or `client_gone`. */
  readonly error?: GatewayError | undefined;
  /** The provider's status, when it answered. */
  readonly status?: number | undefined;
  /** True once the client has our head: nothing else can be answered. */
  readonly headSent: boolean;
  /** True once bytes of the body went out: the request can't be sent again. */
  readonly bodySent: boolean;
  /** A kept connection turned out to be closed: nobody has read the request. */
  readonly isUnread?: boolean;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** WebSockets: close codes of both sides, 1006 where there was none. */
  readonly close?: { readonly client: number; readonly provider: number } | undefined;
  /** WebSockets: frames of both directions, control frames included. */
  readonly frames?: { readonly in: number; readonly out: number } | undefined;
  /** Milliseconds from the call; undefined where the phase was not reached, connectMs 0 on a kept connection. */
  readonly connectMs?: number | undefined;
  readonly firstByteMs?: number | undefined;
}

/** Sends a passing request. It may be called again only when nothing was sent. */
export type Pass = (request: PassRequest) => Promise<PassResult>;
