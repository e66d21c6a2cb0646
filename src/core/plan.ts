import type { GatewayError } from './error.ts';
import type { WireEvent } from './events.ts';
import type { HeaderPairs } from './http/headers.ts';
import type { Call, CommonSettings, Translation, UpstreamRequest } from './provider.ts';
import type { Clocks, CredentialRef, Leaf, ProviderBinding, Trust } from './snapshot.ts';
import type { SocketRecord } from './records/record.ts';
import type { Tap } from './tap.ts';

/** A walk over the target tree: a pure function of what has happened so far. */
export interface Plan {
  readonly first: Leaf;
  /**
   * The next target after the last of these outcomes, or undefined when no fallback above it wants to move on. A target
   * that was skipped is not drawn again: the others of a `loadbalance` share its weight.
   */
  after(history: readonly Outcome[]): Leaf | undefined;
}

/**
 * How an answer travels: `express` unread except by its tap, `splice` with an edited request, `full` converted
 * both ways.
 */
export type Lane = 'express' | 'splice' | 'full';

/** One try of one target. The attempt loop (`pipeline/execute.ts`) makes it, `prepare` plugins fill it, `Send` carries it out. */
export interface Attempt {
  /** Counts all tries of the request, from 0. */
  readonly index: number;
  /** Counts the tries of this target, from 0. */
  readonly tries: number;
  /** The try before reached nobody, because its kept connection was closed: this one goes over a fresh connection. */
  readonly isRepeat?: boolean;
  readonly target: Leaf;
  readonly binding: ProviderBinding;
  /** The model requested of this target, before its deployment is looked up; '' where the route has none. */
  model: string;
  clocks: Clocks;
  /** Set by `transform`: `request` when the host came with the request. */
  trust: Trust;
  lane: Lane;
  /** Set by `transform`; a later `prepare` plugin may replace them. */
  call: Call<CommonSettings> | undefined;
  translation: Translation | undefined;
  upstream: UpstreamRequest | undefined;
  credential: CredentialRef | undefined;
  /** The caller's headers that go along with every request of the attempt. */
  forwarded: HeaderPairs | undefined;
  /** How often the answer repeated the credential. Each time it was masked. */
  echoes: number;
  /** Not the first request of its call: it can't be sent again without those before it. */
  readonly isFollowUp?: true;
  /** A request before this one wrote something at the provider: doing all of it again could do it twice. */
  readonly hasWritten?: boolean;
  /** A whole answer is needed whole, whatever its size up to what a converted one may have. */
  readsWhole?: true;
  /** It stores a file as it is, and nobody reads its lines: with `isolate: true` it can be no input of a batch. */
  storesUnread?: true;
}

/** What came back, as far as it had to be read to decide about it. */
export interface UpstreamReply {
  readonly status: number;
  /** Lower-case names; repeated headers joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, decompressed; empty for a stream that is in progress. */
  readonly body: Buffer;
  /** Present when the answer is in progress and committed: its events flow when somebody takes them. */
  readonly flow: Flow | undefined;
  readonly tap: Tap | undefined;
  /** What flows are the bytes of the provider's body and nothing else: its length and encoding hold for the client too. */
  readonly isVerbatim?: true;
  /** Set when the answer goes to the client in another format than the provider's; `flow` is the converted one then. */
  readonly converted?: Converted;
}

export interface Converted {
  readonly contentType: string;
  /** The whole answer; undefined where it flows. */
  readonly body: Buffer | undefined;
}

/** An answer in progress. */
export interface Flow {
  /** What the record keeps of the answer: bytes as they came from the provider. */
  readonly kept: KeptBody;
  /** The answer's head goes to the client at once, not with the first bytes. */
  readonly isBegun?: boolean;
  /** Of a WebSocket: how it was closed so far, and what passed. */
  readonly socket?: SocketRecord;
  /** Bytes for the client where the gateway cuts the flow (a close frame); undefined where the client's dialect writes the error. */
  readonly farewell?: Buffer | undefined;
  /** Starts the flow into the consumer, beginning with what was held back until the commit point. Once. */
  into(consumer: FlowConsumer): void;
  pause(): void;
  resume(): void;
  /** Ends the upstream side at once. */
  abort(): void;
}

/** The first bytes of a body, by reference, and how long it was in all. */
export interface KeptBody {
  readonly pieces: readonly Buffer[];
  readonly size: number;
  /** Pairs of offset and milliseconds from arrival, one for each kept piece of a stream. */
  readonly times: readonly number[];
}

export interface FlowConsumer {
  /** Whole events only, never half of one: their bytes as they came, and the events as read (none where the body has no events). */
  data(bytes: Buffer, events: readonly WireEvent[]): void;
  /**
   * Exactly one of these two ends the flow. `tail` and its events were held back: the end mark, or an error event of
   * the provider. `lastWords` is the error in the client's format, where it is already written.
   */
  end(tail: Buffer, events: readonly WireEvent[]): void;
  fault(error: GatewayError, lastWords?: Buffer): void;
}

/** How an attempt ended. A failure of the upstream is a value, not an exception: `judge` and the plan decide about it. */
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
      /** A kept connection turned out to be closed: nobody has read the request, so it may go out once more. */
      readonly isUnread?: true;
    }
  | {
      readonly kind: 'faulty';
      readonly attempt: Attempt;
      readonly times: Times;
      readonly fault: GatewayError;
      readonly status: number;
      /** What was read of it: an answer that is none may have been paid all the same. */
      readonly tap?: Tap | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly attempt: Attempt;
      readonly times: Times;
      readonly error: GatewayError;
      /** What was read of an answer that a plugin refused: it is paid. */
      readonly tap?: Tap | undefined;
    }
  /** A plugin left this target out: nothing was sent. */
  | { readonly kind: 'skipped'; readonly attempt: Attempt; readonly times: Times; readonly because: string }
  | { readonly kind: 'cancelled'; readonly attempt: Attempt; readonly times: Times };

export type TimeoutPhase = 'connect' | 'first-byte' | 'idle' | 'total' | 'request';

/** Monotonic milliseconds from the start of the request; undefined where the phase was not reached. */
export interface Times {
  readonly at: number;
  readonly connectMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly totalMs: number;
}

/** What follows an attempt. `because` goes into the record. */
export type Verdict =
  | { readonly do: 'answer'; readonly because?: string }
  /** `orNext`: the wait is long, so the next target is tried instead where the plan has one; the reason for the record. */
  | { readonly do: 'again'; readonly afterMs: number; readonly because: string; readonly orNext?: string }
  | { readonly do: 'next'; readonly because: string };

/**
 * The status that codes lists look at: the provider's raw one, 408 for a clock that ran out,
 * 503 where nothing was reached, 502 for an answer that is none.
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
      return outcome.status;
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

/** The response to the client. */
export interface Reply {
  status: number;
  headers: HeaderPairs;
  /** Exactly one of the two. */
  body: Buffer | undefined;
  flow: Flow | undefined;
}

/** An attempt in progress. */
export interface Sending {
  readonly outcome: Promise<Outcome>;
  /** The client is gone, or the gateway stops: ends the upstream side at once; the outcome is `cancelled`. */
  cancel(): void;
}

/** An outcome with an answer. */
export type Answered = Extract<Outcome, { kind: 'answered' }>;

/** Carries out one prepared attempt. `arrivedAt` is the request's start on the monotonic clock, in milliseconds. */
export type Send = (attempt: Attempt, arrivedAt: number) => Sending;
