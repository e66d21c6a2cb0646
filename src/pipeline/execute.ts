import type { RequestBody } from '../core/http/request.ts';
import type { Dialect } from '../core/dialect.ts';
import { fromUnknown, GatewayError } from '../core/error.ts';
import type { Attempt, Outcome, Reply, Send, Sending, Times, Verdict } from '../core/plan.ts';
import { isIntercepted, timesNotSent } from '../core/plan.ts';
import type { Timeouts, Leaf, ProviderBinding } from '../core/snapshot.ts';
import type { Chain } from './chain.ts';
import { convertOutcome } from './response/convert.ts';
import type { Isolation } from './isolation/index.ts';
import type { Schedule } from '../core/async/schedule.ts';
import type { RequestContext } from './request.ts';
import { followUp, type StepDeps } from './steps.ts';

export interface ExecuteDeps {
  readonly chain: Chain;
  readonly send: Send;
  /** API format of the client. */
  readonly dialect: Dialect;
  /** Undefined when no provider separates objects (files, batches, …) by key. */
  readonly isolation: Isolation | undefined;
  monotonic(): number;
  readonly schedule: Schedule;
  /** Masks every secret of the configuration. */
  mask(bytes: Buffer): Buffer;
  /** Makes the reply to the final outcome, which is `run.last`. Called before the `reply` plugins check the outcome. */
  reply(run: Execution): Reply;
}

/** A period, in milliseconds from the arrival of the request. */
export type Span = Pick<Times, 'at' | 'totalMs'>;

/** One try of a target: the first, one after a pause, or a repeat of a request that the upstream never read. */
export interface Try {
  readonly leaf: Leaf;
  readonly tries: number;
  readonly isRepeat: boolean;
}

export const firstTry = (leaf: Leaf): Try => ({ leaf, tries: 0, isRepeat: false });

interface ReplyStep {
  readonly reply: Reply;
}

/** A reply, the next try, or undefined when the client has disconnected. */
type Decided = ReplyStep | Try | undefined;

type Prepared = Attempt | Outcome;

/** Maximum attempts of one request, whatever its config and retry policies allow. */
const maxAttempts = 64;

/**
 * The attempt loop of one request: prepare, send, judge, then retry, move on or reply. This is the only code that starts
 * attempts, so it alone guarantees that no attempt follows a committed response.
 */
export class Execution {
  readonly ctx: RequestContext;
  /** In the order in which the attempts ended. Attempts may overlap. */
  readonly history: Outcome[] = [];
  /** The outcome of the last decision. Once there is a reply, it is the reply's outcome; undefined if a plugin made the reply. */
  last: Outcome | undefined;
  /** Intended pauses between attempts. */
  readonly waits: Span[] = [];
  isCancelled = false;
  readonly #deps: ExecuteDeps;
  /** Why the loop did not use an outcome. */
  #reasons: Map<Outcome, string> | undefined;
  /** Number of attempts started. */
  #started = 0;
  readonly #sendings: Sending[] = [];
  #pauses: Set<() => void> | undefined;
  /** First skipped target that may still be tried when every target is skipped. */
  #avoided: { readonly leaf: Leaf; readonly wouldFail: boolean } | undefined;
  #triesAll = false;

  constructor(ctx: RequestContext, deps: ExecuteDeps) {
    this.ctx = ctx;
    this.#deps = deps;
  }

  /** Cancels everything in progress, because the client disconnected. */
  cancel(): void {
    this.isCancelled = true;
    // Files that are downloaded for it end too.
    this.ctx.hold.end();
    for (const sending of this.#sendings) sending.cancel();
    for (const wake of this.#pauses ?? []) wake();
  }

  /** Adds the outcome of an attempt to the history. */
  push(outcome: Outcome): void {
    this.history.push(outcome);
    // A skipped target has no response. It becomes `last` only if no attempt was made.
    if (outcome.kind !== 'skipped' || this.last === undefined || this.last.kind === 'skipped') this.last = outcome;
  }

  /** The history in the order in which attempts began, without those that a plugin answered. */
  get attempts(): readonly Outcome[] {
    const all = isIntercepted(this.last) ? this.history.filter((each) => !isIntercepted(each)) : this.history;
    return all.length < 2 ? all : all.toSorted((one, other) => one.attempt.index - other.attempt.index);
  }

  reasonOf(outcome: Outcome): string | undefined {
    return outcome.kind === 'skipped' ? outcome.because : this.#reasons?.get(outcome);
  }

  #setReason(outcome: Outcome, because: string | undefined): void {
    if (because !== undefined) (this.#reasons ??= new Map()).set(outcome, because);
  }

  /**
   * Runs until there is a reply. Returns undefined if the client disconnected first.
   *
   * @throws GatewayError when a `screen` plugin refuses
   */
  async run(): Promise<Reply | undefined> {
    let current = this.#firstTryFrom(this.ctx.plan.first);
    while (!this.isCancelled && current !== undefined) {
      const { leaf, tries, isRepeat } = current;
      const screening = tries === 0 && !isRepeat ? this.#deps.chain.screen(this.ctx, leaf) : undefined;
      const screened = screening === undefined ? undefined : await screening;
      // The client may have disconnected while a plugin was waiting.
      if (this.isCancelled) return undefined;
      if (screened !== undefined && 'answer' in screened) {
        // Earlier attempts stay in the history, but the reply has nothing from their providers.
        this.last = undefined;
        return screened.answer;
      }
      const { warnings } = this.ctx;
      const from = warnings.length;
      const outcome = screened === undefined ? await this.attempt(current) : this.#refused(leaf, screened.refuse);
      const to = warnings.length;
      if (outcome.kind === 'refused' && this.#isRequestError(outcome.error)) throw outcome.error;
      this.push(outcome);
      // An internal error during an attempt is a defect of the gateway, not of the provider: do not try another target.
      if (outcome.kind === 'refused' && outcome.error.code === 'internal') throw outcome.error;
      const decided = this.#decide(outcome, current);
      const step = decided instanceof Promise ? await decided : decided;
      if (step === undefined || 'reply' in step) return step?.reply;
      // Warnings about this attempt do not apply to the next one.
      warnings.splice(from, to - from);
      current = step;
    }
    return this.isCancelled ? undefined : this.#deps.reply(this);
  }

  /** True for an invalid header found while the first target is prepared. It is wrong for every target, and nothing was sent. */
  #isRequestError({ code }: GatewayError): boolean {
    return code === 'invalid_header' && this.history.every(({ kind }) => kind === 'skipped');
  }

  /** Returns the first try of this target, or of the next one in the plan that is not skipped. */
  #firstTryFrom(leaf: Leaf | undefined): Try | undefined {
    for (let next = leaf; next !== undefined; next = this.#nextTarget()) {
      const left = this.#deps.chain.skip(this.ctx, next);
      if (left === undefined || (left.unlessAll && !left.wouldFail && this.#triesAll)) return firstTry(next);
      const isBetter = this.#avoided === undefined || (this.#avoided.wouldFail && !left.wouldFail);
      if (left.unlessAll && isBetter) this.#avoided = { leaf: next, wouldFail: left.wouldFail };
      const attempt = this.#draft(firstTry(next));
      const model = next.override?.['model'];
      if (typeof model === 'string') attempt.model = model;
      this.push({ kind: 'skipped', attempt, times: timesNotSent(this.#now()), because: left.because });
    }
    return this.#lastResort();
  }

  /** Every target was skipped: returns the first one that may be tried anyway. */
  #lastResort(): Try | undefined {
    const avoided = this.#avoided;
    if (avoided === undefined || this.last?.kind !== 'skipped') return undefined;
    this.#avoided = undefined;
    this.#triesAll = true;
    return firstTry(avoided.leaf);
  }

  /** Returns a promise only if the decision has to wait. */
  #decide(outcome: Outcome, current: Try): Decided | Promise<Decided> {
    if (outcome.kind === 'cancelled' || this.isCancelled) return undefined;
    if (this.#shouldRepeat(outcome)) return { leaf: current.leaf, tries: current.tries, isRepeat: true };
    const judged = this.#deps.chain.judge(this.ctx, outcome, this.#earlierOutcomes(outcome));
    const verdict = isSpent(this.ctx.received) ? asAnswer(judged) : judged;
    this.#setReason(outcome, verdict.because);
    const wantsNext = verdict.do === 'next' || (verdict.do === 'again' && verdict.orNext !== undefined);
    const next = wantsNext ? this.#firstTryFrom(this.#nextTarget()) : undefined;
    if (next !== undefined) {
      if (verdict.do === 'again') this.#setReason(outcome, verdict.orNext);
      discard(outcome);
      return next;
    }
    if (verdict.do === 'again' && this.history.length < maxAttempts) {
      discard(outcome);
      return this.#retry(verdict.afterMs, current);
    }
    const reply = this.#deps.reply(this);
    const checks = outcome.kind === 'answered' ? this.#deps.chain.reply(this.ctx, outcome.attempt, reply) : undefined;
    return checks === undefined ? { reply } : this.#awaitReplyChecks(outcome, current, reply, checks);
  }

  async #retry(afterMs: number, { leaf, tries }: Try): Promise<Decided> {
    await this.#pause(afterMs);
    return this.isCancelled ? undefined : { leaf, tries: tries + 1, isRepeat: false };
  }

  /** Waits for the `reply` plugins. If one refuses the response, the refusal becomes the outcome and is judged again. */
  async #awaitReplyChecks(outcome: Outcome, current: Try, reply: Reply, checks: Promise<GatewayError | undefined>): Promise<Decided> {
    const refusal = await checks;
    if (refusal === undefined) return { reply };
    discard(outcome);
    const tap = outcome.kind === 'answered' ? outcome.reply.tap : undefined;
    const refused: Outcome = { kind: 'refused', attempt: outcome.attempt, times: outcome.times, error: refusal, tap };
    this.history[this.history.indexOf(outcome)] = refused;
    this.last = refused;
    return this.#decide(refused, current);
  }

  #earlierOutcomes(outcome: Outcome): readonly Outcome[] {
    return this.history.length === 1 ? noOutcomes : this.history.filter((each) => each !== outcome);
  }

  /** Returns the next target of the plan, or undefined when no further attempt is allowed. */
  #nextTarget(): Leaf | undefined {
    return this.history.length < maxAttempts ? this.ctx.plan.after(this.history) : undefined;
  }

  /**
   * True when the request is sent again because the upstream never read it: its kept-alive connection was already closed,
   * which happens to every idle connection when a provider restarts. At most once per target, whatever the retry policy
   * says. The repeat counts as an attempt.
   */
  #shouldRepeat(outcome: Outcome): boolean {
    const isRepeat =
      outcome.kind === 'unreachable' &&
      outcome.isUnread === true &&
      !isSpent(this.ctx.received) &&
      this.history.length < maxAttempts &&
      !this.history.some(({ attempt }) => attempt.isRepeat === true && attempt.target === outcome.attempt.target);
    if (isRepeat) this.#setReason(outcome, 'the keep-alive connection was closed');
    return isRepeat;
  }

  /** Performs one attempt. Several may be in progress at once; the caller adds the outcomes to the history. */
  attempt(current: Try): Promise<Outcome> {
    const { isolation } = this.#deps;
    const index = this.#begin();
    const ended = this.#performOnce(current, index);
    return isolation === undefined
      ? ended
      : ended.then((outcome) => isolation.settle(this.ctx, outcome, (query) => this.#page(current, index, query)));
  }

  /** Fetches a further page of the requested list, as part of the same attempt. */
  async #page(current: Try, index: number, query: string): Promise<Outcome> {
    const clientQuery = this.ctx.query;
    this.ctx.query = query;
    try {
      return await this.#performOnce(current, index);
    } finally {
      this.ctx.query = clientQuery;
    }
  }

  #begin(): number {
    this.#started += 1;
    return this.#started - 1;
  }

  async #performOnce(current: Try, index: number): Promise<Outcome> {
    const preparing = this.prepare(current, index);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    if (!this.isCancelled && !('kind' in prepared)) {
      const intercepting = this.#deps.chain.send(this.ctx, prepared);
      prepared.interception = intercepting instanceof Promise ? await intercepting : intercepting;
    }
    if (this.isCancelled)
      return { kind: 'cancelled', attempt: 'kind' in prepared ? prepared.attempt : prepared, times: timesNotSent(this.#now()) };
    if ('kind' in prepared) return prepared;
    const outcome = this.#masked(await this.#send(prepared));
    const last = prepared.translation?.then === undefined ? outcome : await followUp(outcome, this.#stepDeps());
    return convertOutcome(last, this.#deps.dialect, this.ctx.warnings);
  }

  /** Masks an error body before any code reads it. Later code truncates it, and a truncated secret would no longer match. */
  #masked(outcome: Outcome): Outcome {
    if (outcome.kind !== 'answered' || outcome.reply.status < 400 || outcome.reply.body.length === 0) return outcome;
    const body = this.#deps.mask(outcome.reply.body);
    return body === outcome.reply.body ? outcome : { ...outcome, reply: { ...outcome.reply, body } };
  }

  #send(attempt: Attempt): Promise<Outcome> {
    const sending = this.#deps.send(attempt, this.ctx.arrivedAt);
    this.#sendings.push(sending);
    return sending.outcome;
  }

  #stepDeps(): StepDeps {
    const { warnings, facts } = this.ctx;
    return {
      send: (attempt) => this.#send(attempt),
      isCancelled: () => this.isCancelled,
      warn: (text) => void warnings.push(text),
      key: facts.caller.key,
    };
  }

  /** Returns an attempt that is ready to be sent, or a `refused` outcome when a plugin refuses it. A promise if a plugin is async. */
  prepare(current: Try, index = this.#begin()): Prepared | Promise<Prepared> {
    const attempt = this.#draft(current, index);
    const at = this.#now();
    const refused = (thrown: unknown): Prepared => {
      const error = fromUnknown(thrown);
      if (error.code === 'internal') throw error;
      return { kind: 'refused', attempt, times: timesNotSent(at), error };
    };
    const ready = (): Prepared => {
      this.#deps.isolation?.admit(this.ctx, attempt);
      return attempt;
    };
    try {
      const { chain, isolation } = this.#deps;
      const admitting = isolation?.admitFiles(this.ctx, attempt);
      const preparing = admitting === undefined ? chain.prepare(this.ctx, attempt) : admitting.then(() => chain.prepare(this.ctx, attempt));
      return preparing === undefined ? ready() : preparing.then(ready).catch(refused);
    } catch (thrown) {
      return refused(thrown);
    }
  }

  /** Milliseconds since the request arrived. */
  #now(): number {
    return this.#deps.monotonic() - this.ctx.arrivedAt;
  }

  #refused(leaf: Leaf, error: GatewayError): Outcome {
    return { kind: 'refused', attempt: this.#draft(firstTry(leaf)), times: timesNotSent(this.#now()), error };
  }

  #draft({ leaf, tries, isRepeat }: Try, index = this.#begin()): Attempt {
    const binding = leaf.provider ?? this.ctx.facts.choice?.binding;
    if (binding === undefined) {
      throw new GatewayError('no_target', { message: `Target "${leaf.path}" names no provider, and neither does the request.` });
    }
    return {
      index,
      tries,
      isRepeat,
      target: leaf,
      binding,
      model: '',
      timeouts: timeoutsOf(this.ctx.snapshot.server.timeouts, binding, leaf),
      trust: binding.trust,
      lane: 'express',
      call: undefined,
      translation: undefined,
      upstream: undefined,
      credential: undefined,
      forwarded: undefined,
      interception: undefined,
      echoes: 0,
    };
  }

  async #pause(ms: number): Promise<void> {
    const at = this.#now();
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        cancel();
        this.#pauses?.delete(wake);
        resolve();
      };
      const cancel = this.#deps.schedule(ms, wake);
      (this.#pauses ??= new Set()).add(wake);
    });
    this.waits.push({ at, totalMs: this.#now() - at });
  }
}

const noOutcomes: readonly Outcome[] = Object.freeze([]);

/** True when the body was already streamed upstream without a copy, so that it cannot be sent again. */
const isSpent = (body: RequestBody): boolean => (body.kind === 'form' || body.kind === 'passing') && body.isSpent;

const asAnswer = (judged: Verdict): Verdict =>
  judged.do === 'answer' ? judged : { do: 'answer', because: `${judged.because}, and the body cannot be sent again` };

/** Discards a response that is not used, and aborts its stream if it has one. */
function discard(outcome: Outcome): void {
  if (outcome.kind === 'answered') outcome.reply.flow?.abort();
}

function timeoutsOf(server: Timeouts, binding: ProviderBinding, leaf: Leaf): Timeouts {
  return { ...server, ...binding.timeouts, ...leaf.timeouts };
}
