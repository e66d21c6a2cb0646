import type { GatewayError } from '../../src/core/error.ts';
import type { HeaderPairs } from '../../src/core/http/headers.ts';
import type { SecretVariants } from '../../src/core/secrets/redactor.ts';
import type { Trust } from '../../src/core/snapshot.ts';
import type { Egress } from '../../src/transport/outbound/egress/egress.ts';

/** The result of a relayed request, from its record, its response and its client. */
export interface PassResult {
  readonly kind: 'whole' | 'client_gone' | 'unreachable' | 'timeout' | 'interrupted' | 'refused';
  readonly error?: Partial<GatewayError> | undefined;
  readonly status?: number | undefined;
  /** The headers of the provider were sent to the client. */
  readonly headSent: boolean;
  /** The request cannot be sent again. */
  readonly bodySent: boolean;
  /** A reused connection was already closed. */
  readonly isUnread: boolean;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly close?: { readonly client: number; readonly provider: number } | undefined;
  readonly frames?: { readonly in: number; readonly out: number } | undefined;
}

export interface RigOptions {
  readonly trust?: Trust;
  readonly allow?: readonly string[];
  /** Replaces the real egress rules. */
  readonly egress?: Omit<Egress, 'proxy'>;
  readonly clocks?: { readonly connect: number; readonly idle: number };
  /** Speed of the relay's clock, 1 by default. */
  readonly speed?: number;
  /** Targets in order: the next one is tried if nothing was sent. Default: the provider of the rig. */
  readonly origins?: readonly string[];
  readonly path?: (url: string) => string;
  /** Headers sent in addition to those of the caller. */
  readonly headers?: HeaderPairs;
  readonly secrets?: SecretVariants | undefined;
  readonly onEcho?: () => void;
  readonly onHead?: (status: number) => HeaderPairs | GatewayError;
  readonly onEnd?: (result: PassResult) => Promise<void>;
}
