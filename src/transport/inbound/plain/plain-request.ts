import type { Socket } from 'node:net';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import type { HeaderNames } from '../header-bag.ts';
import type { TimerWheel } from '../../wire/timer-wheel.ts';
import type { ArrivingBody } from './arriving-body.ts';
import type { PlainClient } from './client.ts';
import type { BodyLength } from './head.ts';
import type { KnownHead } from './known-head.ts';

/** A plain request after its head was parsed. */
export interface PlainRequest {
  readonly known: KnownHead;
  readonly length: BodyLength;
  readonly client: PlainClient;
  /** The complete body, or a stream of it. */
  readonly body: Buffer | ArrivingBody;
  readonly peer: string | undefined;
}

export interface PlainConnectionsDeps {
  readonly wheel: TimerWheel;
  /** Unix milliseconds. */
  now(): number;
  /** Gateway headers of the active snapshot; undefined if `node:http` must handle every connection. */
  names(): HeaderNames | undefined;
  serve(request: PlainRequest): void;
  /** Headers added to every response to such a request. */
  extraHeaders(known: KnownHead): HeaderPairs | undefined;
  onDefect(error: unknown): void;
  /** Complete error responses for connections without an exchange. */
  readonly errorResponses: {
    late(socket: Socket): void;
    unreadable(socket: Socket): void;
    defect(socket: Socket): void;
  };
}
