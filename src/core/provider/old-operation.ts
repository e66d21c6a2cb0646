import type { Endpoint } from '../endpoint.ts';
import type { ModelEvent, WireEvent } from '../events.ts';
import type { LineEdit } from '../http/form.ts';
import type { EmptyBody, JsonBody } from '../json/body.ts';
import type { StreamTransform } from '../stream.ts';
import type { Tap } from '../tap.ts';
import type { Call, MediaNeed, UpstreamRequest } from './call.ts';
import type { CommonSettings } from './entry.ts';
import type { LocalAnswer, StepReply, Translation } from './translation.ts';

/**
 * One endpoint of one provider. Without `result`, `stream` and `lines` the provider speaks the client's format and its
 * bytes pass unchanged. `request` may be called again for a retry and must not change its input.
 */
export interface OldOperation<Settings = unknown> {
  request(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): UpstreamRequest;
  /**
   * The next request of a call that takes several (at most four in all), made of all answers so far; undefined when the
   * last one is the answer. Asked after each 2xx answer that was read whole: one that flows is the last. Same attempt,
   * credential and clocks. @throws GatewayError when what came makes no next request possible
   */
  then?(replies: readonly StepReply[], call: Call<Settings & CommonSettings>): UpstreamRequest | undefined;
  /**
   * A later step failed although an earlier one did its work: the object in the endpoint's format as far as it is known,
   * answered with 200 and a warning. Undefined: the failure is the answer. The last reply is the one that failed;
   * its status is 0 where there was none.
   */
  recover?(replies: readonly StepReply[], call: Call<Settings & CommonSettings>): unknown;
  /**
   * A request that names no model is answered by a step that only reads, and `then` gives the model it found in `models`:
   * lists of models are checked there, so such a request is not refused for a model that nobody has seen yet.
   */
  readonly findsModel?: true;
  /** Answers that are files of lines: what each line becomes on its way. Undefined where this call's lines pass unchanged. */
  lines?(call: Call<Settings & CommonSettings>, earlier: readonly StepReply[]): LineEdit | undefined;
  /**
   * Files that the provider can't fetch itself: the gateway downloads them under the egress and size rules and hands
   * them over in `Call.media` before `request` is called.
   */
  media?(body: JsonBody | EmptyBody, call: Call<Settings & CommonSettings>): readonly MediaNeed[];
  /** See `Operation.serves`. */
  serves?(call: Call<Settings & CommonSettings>): boolean;
  /**
   * Where a provider speaks several formats: false for calls whose answers come in the client's format already, so that
   * their bytes pass although `result` and `stream` are there for the others.
   */
  converts?(call: Call<Settings & CommonSettings>): boolean;
  /** Watches one answer. `earlier`: the answers before it, where the call takes several; absent for the first. */
  tap(call: Call<Settings & CommonSettings>, earlier?: readonly StepReply[]): Tap;
  /**
   * Whole answer of the provider → object in the endpoint's format. `answer`: the same text as this operation's tap has
   * parsed it; `earlier`: the answers of the steps before the last.
   */
  result?(text: string, call: Call<Settings & CommonSettings>, answer?: unknown, earlier?: readonly StepReply[]): unknown;
  /**
   * Where the bytes pass: the text of a whole 2xx answer with what the service left out, undefined where nothing is
   * missing. Answers that are too large to be held pass as they are.
   */
  mend?(text: string, call: Call<Settings & CommonSettings>): string | undefined;
  /** A fresh transform for each stream: the provider's events → hub. */
  stream?(call: Call<Settings & CommonSettings>): StreamTransform<WireEvent, ModelEvent>;
  /** Answers without a network (the mock). */
  local?(request: UpstreamRequest, call: Call<Settings & CommonSettings>): LocalAnswer;
}

type Old = OldOperation<never>;
type AnyCall = Call<never>;

/** Until every provider begins its attempts itself: operations of the old kind get a `begin`. */
export function adapted(operations: { readonly [E in Endpoint]?: object }): object {
  return Object.freeze(Object.fromEntries(Object.entries(operations).map(([endpoint, operation]) => [endpoint, begun(operation)])));
}

export function begun<T extends object>(operation: T): T & { begin(body: JsonBody | EmptyBody, call: AnyCall): Translation } {
  if ('begin' in operation) return operation as never;
  const old = operation as unknown as Old;
  const converts = old.result !== undefined || old.stream !== undefined || old.lines !== undefined ? true : undefined;
  const begin = (body: JsonBody | EmptyBody, call: AnyCall): Translation => new OldTranslation(old, call, old.request(body, call), []);
  return { ...operation, begin, ...(converts === undefined ? {} : { isConverted: converts }) };
}

class OldTranslation implements Translation {
  readonly request: UpstreamRequest;
  readonly tap: Tap;
  readonly reader?: () => StreamTransform<WireEvent, ModelEvent>;
  readonly result?: (text: string, answer: unknown) => unknown;
  readonly mend?: (text: string) => string | undefined;
  readonly lines?: LineEdit;
  readonly then?: (reply: StepReply) => Translation | undefined;
  readonly recover?: (failure: StepReply) => unknown;
  readonly local?: (request: UpstreamRequest) => LocalAnswer;

  constructor(old: Old, call: AnyCall, request: UpstreamRequest, replies: readonly StepReply[]) {
    const earlier = replies.length === 0 ? undefined : replies;
    this.request = request;
    this.tap = old.tap(call, earlier);
    const converts = (old.result !== undefined || old.stream !== undefined) && old.converts?.(call) !== false;
    if (converts && old.stream !== undefined) this.reader = () => (old.stream as NonNullable<Old['stream']>)(call);
    if (converts && old.result !== undefined) this.result = (text, answer) => old.result?.(text, call, answer, earlier);
    if (old.mend !== undefined) this.mend = (text) => old.mend?.(text, call);
    const lines = replies.length === 0 && old.then !== undefined ? undefined : old.lines?.(call, replies);
    if (lines !== undefined) this.lines = lines;
    if (old.then !== undefined)
      this.then = (reply) => {
        const all = [...replies, reply];
        const next = old.then?.(all, call);
        return next === undefined ? undefined : new OldTranslation(old, call, next, all);
      };
    if (old.recover !== undefined) this.recover = (failure) => old.recover?.([...replies, failure], call);
    if (old.local !== undefined) this.local = (sent) => old.local?.(sent, call) as LocalAnswer;
  }
}
