import type { GatewayError } from './error.ts';
import type { WireEvent } from './events.ts';
import type { HeaderPairs } from './http/headers.ts';
import type { Call, UpstreamRequest } from './provider/call.ts';
import type { CommonSettings } from './provider/entry.ts';
import type { LocalAnswer, Translation } from './provider/translation.ts';
import type { CredentialRef, ProviderBinding, Trust } from './target/binding.ts';
import type { Timeouts } from './target/timeouts.ts';
import type { Leaf } from './target/tree.ts';
import type { Lane, SocketRecord } from './records/record.ts';
import type { Tap } from './tap.ts';

/** A walk over the target tree: a pure function of the outcomes so far. */
export interface Plan {
  readonly first: Leaf;
  /**
   * Returns the target after the last of these outcomes; undefined if no enclosing fallback moves on. A skipped target
   * is not chosen again: the others of a `loadbalance` share its weight.
   */
  after(history: readonly Outcome[]): Leaf | undefined;
}

/** One attempt at one target. The attempt loop (`pipeline/execute.ts`) creates it, `prepare` plugins fill it, `Send` executes it. */
export interface Attempt {
  /** Number of the attempt within the request, from 0. */
  readonly index: number;
  /** Number of the attempt at this target, from 0. */
  readonly tries: number;
  /** The previous attempt failed because its keep-alive connection was closed: this one uses a new connection. */
  readonly isRepeat?: boolean;
  readonly target: Leaf;
  readonly binding: ProviderBinding;
  /** The model requested of this target, before its deployment is looked up; '' if the route has none. */
  model: string;
  timeouts: Timeouts;
  /** Set by `transform`: `request` if the request contained the host. */
  trust: Trust;
  lane: Lane;
  /** Set by `transform`; a later `prepare` plugin may replace them. */
  call: Call<CommonSettings> | undefined;
  translation: Translation | undefined;
  upstream: UpstreamRequest | undefined;
  credential: CredentialRef | undefined;
  /** The client's headers that are forwarded with every request of the attempt. */
  forwarded: HeaderPairs | undefined;
  /** What a `send` plugin does with this attempt. */
  interception: Interception | undefined;
  /** Number of times the response contained the credential. Each occurrence was masked. */
  echoes: number;
  /** Not the first request of its call: it can't be sent again without the earlier ones. */
  readonly isFollowUp?: true;
  /** An earlier request of the attempt wrote data at the provider: a retry of the attempt could write it twice. */
  readonly hasWritten?: boolean;
  /** A complete response must be buffered, up to the size limit of converted ones. */
  readsWhole?: true;
  /**
   * The provider stores the file unchanged and its lines are not checked: with `isolate: true` it cannot be the input of a
   * batch.
   */
  storesUnread?: true;
}

/** What a `send` plugin, such as a cache, does with an attempt: answers it, or keeps the response of the provider. */
export interface Interception {
  /** For the record and `x-gateway-cache-status`. */
  readonly status: CacheStatus;
  /** Used instead of a response of the provider: nothing is sent, and the attempt is neither recorded nor charged for. */
  readonly answer?: LocalAnswer;
  /**
   * Receives the complete response of the provider with the status 200. Not called for one of more than `maxBytes`, one that is
   * not complete, and one that the client does not get.
   */
  readonly keeper?: { readonly maxBytes: number; keep(response: CompleteResponse): void };
}

export type CacheStatus = 'HIT' | 'MISS' | 'REFRESH';

/** A response as the provider sent it, decompressed. The pieces may be parts of larger buffers. */
export interface CompleteResponse {
  readonly contentType: string;
  readonly pieces: readonly Buffer[];
}

/** The response, read only as far as the verdict needs. */
export interface UpstreamReply {
  readonly status: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The complete body, decompressed; empty for a stream in progress. */
  readonly body: Buffer;
  /** Set if the response is in progress and committed: its events flow once a consumer is attached. */
  readonly flow: Flow | undefined;
  readonly tap: Tap | undefined;
  /** The flow contains exactly the bytes of the provider's body, so its length and encoding also apply to the client. */
  readonly isVerbatim?: true;
  /** Set if the client gets the response in another format than the provider's; `flow` is then the converted one. */
  readonly converted?: Converted;
}

export interface Converted {
  readonly contentType: string;
  /** The complete response; undefined if it is streamed. */
  readonly body: Buffer | undefined;
}

/** A response in progress. */
export interface Flow {
  /** The part of the response that is kept for the record: the provider's bytes. */
  readonly kept: KeptBody;
  /** The response head is sent to the client at once, not with the first bytes. */
  readonly isBegun?: boolean;
  /** For a WebSocket: its close state and traffic so far. */
  readonly socket?: SocketRecord;
  /** Bytes for the client if the gateway aborts the flow (a close frame); undefined if the client's dialect writes the error. */
  readonly closeFrame?: Buffer | undefined;
  /** Starts the flow into the consumer, with the bytes held back until the commit point first. Call once. */
  into(consumer: FlowConsumer): void;
  pause(): void;
  resume(): void;
  /** Aborts the upstream connection at once. */
  abort(): void;
}

/** References to the first bytes of a body, and its total length. */
export interface KeptBody {
  readonly pieces: readonly Buffer[];
  readonly size: number;
  /** `content-type` as received. */
  readonly contentType: string;
  /** Pairs of offset and milliseconds since arrival, one for each kept piece of a stream. */
  readonly times: readonly number[];
}

export interface FlowConsumer {
  /** Receives whole events only: their original bytes, and the parsed events (none if the body has no events). */
  data(bytes: Buffer, events: readonly WireEvent[]): void;
  /**
   * Exactly one of these two ends the flow. `tail` and its events were held back: the end mark, or an error event of
   * the provider. `finalBytes` is the error in the client's format, if it is already written.
   */
  end(tail: Buffer, events: readonly WireEvent[]): void;
  fault(error: GatewayError, finalBytes?: Buffer): void;
}

/** Result of an attempt. A failure of the upstream is a value, not an exception: `judge` and the plan decide how to proceed. */
export type Outcome =
  | { readonly kind: 'answered'; readonly attempt: Attempt; readonly times: Times; readonly reply: UpstreamReply }
  | {
      readonly kind: 'timeout';
      readonly attempt: Attempt;
      readonly times: Times;
      readonly phase: TimeoutPhase;
      readonly afterMs: number;
      readonly sent: boolean;
    }
  | {
      readonly kind: 'unreachable';
      readonly attempt: Attempt;
      readonly times: Times;
      readonly cause: Error;
      readonly sent: boolean;
      /** The keep-alive connection was already closed: the provider has not read the request, so it may be sent once more. */
      readonly isUnread?: true;
    }
  | {
      readonly kind: 'faulty';
      readonly attempt: Attempt;
      readonly times: Times;
      readonly fault: GatewayError;
      /** The tap, with what was read: an invalid response may still have been charged for. */
      readonly tap?: Tap | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly attempt: Attempt;
      readonly times: Times;
      readonly error: GatewayError;
      /** The tap of a response that a plugin rejected: the provider still charges for it. */
      readonly tap?: Tap | undefined;
    }
  /** A plugin left this target out: nothing was sent. */
  | { readonly kind: 'skipped'; readonly attempt: Attempt; readonly times: Times; readonly because: string }
  | { readonly kind: 'cancelled'; readonly attempt: Attempt; readonly times: Times };

export type TimeoutPhase = 'connect' | 'first-byte' | 'idle' | 'total' | 'request';

/** Monotonic milliseconds from the start of the request; undefined if the phase was not reached. */
export interface Times {
  readonly at: number;
  readonly connectMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly totalMs: number;
}

/** Times of an attempt of which nothing was sent. */
export const timesNotSent = (at: number): Times => ({ at, connectMs: undefined, firstByteMs: undefined, totalMs: 0 });

/** What to do after an attempt. `because` is written to the record. */
export type Verdict =
  | { readonly do: 'answer'; readonly because?: string }
  /** `orNext`: the wait is long, so the next target is tried instead if the plan has one. The value is the reason for the record. */
  | { readonly do: 'again'; readonly afterMs: number; readonly because: string; readonly orNext?: string }
  | { readonly do: 'next'; readonly because: string };

/**
 * Returns the status that is compared with status code lists: the provider's own one, 408 for a timeout, 503 if the
 * provider was not reached, 502 for an invalid response.
 */
export function statusOf(outcome: Outcome): number {
  switch (outcome.kind) {
    case 'answered':
      return outcome.reply.status;
    case 'timeout':
      return 408;
    case 'unreachable':
      return 503;
    case 'faulty':
      return outcome.fault.status;
    case 'refused':
      return outcome.error.status;
    case 'skipped':
      return 503;
    case 'cancelled':
      return 499;
    default:
      return outcome satisfies never;
  }
}

/** True if a `send` plugin answered the attempt, so that nothing was sent. */
export const isIntercepted = (outcome: Outcome | undefined): boolean => outcome?.attempt.interception?.answer !== undefined;

/** Part of the cache in the response; `DISABLED` if it had none. */
export const cacheStatusOf = (last: Outcome | undefined): CacheStatus | 'DISABLED' => last?.attempt.interception?.status ?? 'DISABLED';

/** True for an outcome that the client receives as a success. */
export const isSuccess = (outcome: Outcome): boolean => outcome.kind === 'answered' && outcome.reply.status < 400;

/** True for a response of the provider with a 2xx status. */
export const is2xx = (outcome: Outcome): outcome is Answered =>
  outcome.kind === 'answered' && outcome.reply.status >= 200 && outcome.reply.status < 300;

/** The response to the client. */
export interface Reply {
  status: number;
  headers: HeaderPairs;
  /** Exactly one of the two is set. */
  body: Buffer | undefined;
  flow: Flow | undefined;
}

/** An attempt in progress. */
export interface Sending {
  readonly outcome: Promise<Outcome>;
  /** Aborts the upstream connection at once, because the client disconnected or the gateway stops. The outcome is `cancelled`. */
  cancel(): void;
}

/** An outcome with a response. */
export type Answered = Extract<Outcome, { kind: 'answered' }>;

/** Executes one prepared attempt. `arrivedAt` is the start of the request, in monotonic milliseconds. */
export type Send = (attempt: Attempt, arrivedAt: number) => Sending;
