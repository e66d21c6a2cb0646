import type { RequestBody } from '../core/json/body.ts';
import type { Dialect } from '../core/dialect.ts';
import { fromUnknown, GatewayError } from '../core/error.ts';
import { type Attempt, type Outcome, type Reply, type Send, type Sending, statusOf, type Times, type Verdict } from '../core/plan.ts';
import type { Clocks, Leaf, ProviderBinding } from '../core/snapshot.ts';
import type { Chain } from './chain.ts';
import { convertOutcome } from './answer/convert.ts';
import type { Isolation } from './isolation/index.ts';
import type { RequestContext } from './request.ts';
import { followUp, type StepDeps } from './steps.ts';

export interface ExecuteDeps {
  readonly chain: Chain;
  readonly send: Send;
  /** What the client speaks. */
  readonly dialect: Dialect;
  /** Undefined where no provider keeps the objects of keys apart. */
  readonly isolation: Isolation | undefined;
  monotonic(): number;
  /** Hides every secret of the configuration. */
  mask(bytes: Buffer): Buffer;
  /** The reply to an outcome that is answered: made before the `reply` plugins look at it. */
  reply(run: Execution, outcome: Outcome): Reply;
}

/** The whole allowance for attempts of one request, whatever the tree and its retries say. */
const maxAttempts = 64;

/**
 * The attempt loop of one request: prepare, send, judge, and again or on. The only place that starts attempts, so the
 * only one that knows when nothing may be tried any more: a committed answer is never followed by another attempt.
 */
export class Execution {
  readonly ctx: RequestContext;
  readonly history: Outcome[] = [];
  /** Why each outcome was left, by its place in `history`. */
  readonly reasons: (string | undefined)[] = [];
  /** Milliseconds spent between attempts on purpose. */
  waitedMs = 0;
  isCancelled = false;
  /** The attempt to come sends again what nobody has read. */
  #isRepeat = false;
  readonly #deps: ExecuteDeps;
  #sending: Sending | undefined;
  #wake: (() => void) | undefined;

  constructor(ctx: RequestContext, deps: ExecuteDeps) {
    this.ctx = ctx;
    this.#deps = deps;
  }

  /** The client is gone: whatever is in progress ends at once. */
  cancel(): void {
    this.isCancelled = true;
    this.#sending?.cancel();
    this.#wake?.();
  }

  /** Notes how an attempt ended. */
  push(outcome: Outcome): void {
    this.history.push(outcome);
    this.reasons.push(undefined);
  }

  get last(): Outcome | undefined {
    return this.history.at(-1);
  }

  /** Runs to an answer. Undefined when the client left first. @throws GatewayError when a `screen` plugin refuses */
  async run(): Promise<Reply | undefined> {
    let leaf: Leaf | undefined = this.ctx.plan.first;
    let tries = 0;
    while (!this.isCancelled) {
      const isFirst = tries === 0 && !this.#isRepeat;
      const screened = isFirst ? await this.#deps.chain.screen(this.ctx, leaf) : undefined;
      if (screened !== undefined && 'answer' in screened) return screened.answer;
      const outcome = screened === undefined ? await this.#attempt(leaf, tries) : this.#refused(leaf, tries, screened.refuse);
      this.push(outcome);
      // A defect on the way of an attempt is not the provider's: no other one is tried.
      if (outcome.kind === 'refused' && outcome.error.code === 'internal') throw outcome.error;
      const step = await this.#decide(leaf);
      if (step.reply !== undefined || step.leaf === undefined) return step.reply;
      if (!this.#isRepeat) tries = step.leaf === leaf ? tries + 1 : 0;
      leaf = step.leaf;
    }
    return undefined;
  }

  /** What follows from the last outcome: a reply, or the leaf to try. Neither when the client left. */
  async #decide(leaf: Leaf): Promise<{ reply?: Reply; leaf?: Leaf }> {
    for (;;) {
      const outcome = this.history.at(-1) as Outcome;
      if (outcome.kind === 'cancelled' || this.isCancelled) return {};
      if (this.repeats(outcome)) return { leaf };
      const judged = this.#deps.chain.judge(this.ctx, outcome, this.history.slice(0, -1));
      const verdict = isSpent(this.ctx.received) ? answerIt(judged) : judged;
      this.reasons[this.history.length - 1] = verdict.because;
      const next = verdict.do === 'answer' || (verdict.do === 'again' && verdict.orNext === undefined) ? undefined : this.#next();
      if (next !== undefined) {
        if (verdict.do === 'again') this.reasons[this.history.length - 1] = verdict.orNext;
        drop(outcome);
        return { leaf: next };
      }
      if (verdict.do === 'again' && this.history.length < maxAttempts) {
        drop(outcome);
        await this.#pause(verdict.afterMs);
        return this.isCancelled ? {} : { leaf };
      }
      const reply = this.#deps.reply(this, outcome);
      const refusal = outcome.kind === 'answered' ? await this.#deps.chain.reply(this.ctx, outcome.attempt, reply) : undefined;
      if (refusal === undefined) return { reply };
      drop(outcome);
      this.history[this.history.length - 1] = { kind: 'refused', attempt: outcome.attempt, times: outcome.times, error: refusal };
    }
  }

  /** The next target of the plan, where another attempt is allowed at all. */
  #next(): Leaf | undefined {
    return this.history.length < maxAttempts ? this.ctx.plan.after(this.history) : undefined;
  }

  /**
   * Does the request go out once more because nobody has read it? Its kept connection was closed already, which happens
   * to each of them when a provider starts again. Once for each target, whatever its policy says, and as an attempt.
   */
  repeats(outcome: Outcome): boolean {
    this.#isRepeat =
      outcome.kind === 'unreachable' &&
      outcome.isUnread === true &&
      !isSpent(this.ctx.received) &&
      this.history.length < maxAttempts &&
      !this.history.some(({ attempt }) => attempt.isRepeat === true && attempt.target === outcome.attempt.target);
    if (this.#isRepeat) this.reasons[this.history.length - 1] = 'the kept connection was closed';
    return this.#isRepeat;
  }

  async #attempt(leaf: Leaf, tries: number): Promise<Outcome> {
    const { isolation } = this.#deps;
    const outcome = await this.#once(leaf, tries);
    return isolation === undefined ? outcome : isolation.settle(this.ctx, outcome, (query) => this.#page(leaf, tries, query));
  }

  /** A further page of the list that was asked for: part of the same attempt. */
  async #page(leaf: Leaf, tries: number, query: string): Promise<Outcome> {
    const asked = this.ctx.query;
    this.ctx.query = query;
    try {
      return await this.#once(leaf, tries);
    } finally {
      this.ctx.query = asked;
    }
  }

  async #once(leaf: Leaf, tries: number): Promise<Outcome> {
    const prepared = await this.prepare(leaf, tries);
    if ('kind' in prepared) return prepared;
    if (this.isCancelled) return { kind: 'cancelled', attempt: prepared, times: notSent(this.#now()) };
    const outcome = this.#masked(await this.#send(prepared));
    const last = prepared.translation?.then === undefined ? outcome : await followUp(outcome, this.#stepDeps());
    return convertOutcome(last, this.#deps.dialect, this.ctx.warnings);
  }

  /** An error is masked before anybody reads it: later parts of it are cut off, and half a secret is no longer found. */
  #masked(outcome: Outcome): Outcome {
    if (outcome.kind !== 'answered' || outcome.reply.status < 400 || outcome.reply.body.length === 0) return outcome;
    const body = this.#deps.mask(outcome.reply.body);
    return body === outcome.reply.body ? outcome : { ...outcome, reply: { ...outcome.reply, body } };
  }

  #send(attempt: Attempt): Promise<Outcome> {
    this.#sending = this.#deps.send(attempt, this.ctx.arrivedAt);
    return this.#sending.outcome;
  }

  #stepDeps(): StepDeps {
    const { warnings, facts } = this.ctx;
    return {
      send: (attempt) => this.#send(attempt),
      isOver: () => this.isCancelled,
      warn: (text) => void warnings.push(text),
      key: facts.caller.key,
    };
  }

  /** An attempt that is ready to be sent, or the outcome that a plugin's refusal makes of it. */
  async prepare(leaf: Leaf, tries: number): Promise<Attempt | Outcome> {
    const attempt = this.#draft(leaf, tries);
    const at = this.#now();
    try {
      this.#deps.isolation?.admitFiles(this.ctx, attempt);
      await this.#deps.chain.prepare(this.ctx, attempt);
      this.#deps.isolation?.admit(this.ctx, attempt);
      return attempt;
    } catch (thrown) {
      const error = fromUnknown(thrown);
      if (error.code === 'internal') throw error;
      return { kind: 'refused', attempt, times: notSent(at), error };
    }
  }

  /** Milliseconds since the request arrived. */
  #now(): number {
    return this.#deps.monotonic() - this.ctx.arrivedAt;
  }

  #refused(leaf: Leaf, tries: number, error: GatewayError): Outcome {
    return { kind: 'refused', attempt: this.#draft(leaf, tries), times: notSent(this.#now()), error };
  }

  #draft(leaf: Leaf, tries: number): Attempt {
    const binding = leaf.provider ?? this.ctx.facts.choice?.binding;
    if (binding === undefined) {
      throw new GatewayError('no_target', { message: `Target "${leaf.path}" names no provider, and neither does the request.` });
    }
    return {
      index: this.history.length,
      tries,
      isRepeat: this.#isRepeat,
      target: leaf,
      binding,
      model: '',
      clocks: clocksOf(this.ctx.snapshot.server.clocks, binding, leaf),
      trust: binding.trust,
      lane: 'express',
      call: undefined,
      translation: undefined,
      upstream: undefined,
      credential: undefined,
      forwarded: undefined,
      echoes: 0,
    };
  }

  async #pause(ms: number): Promise<void> {
    const from = this.#deps.monotonic();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
    this.waitedMs += this.#deps.monotonic() - from;
  }
}

/** Bytes that nobody holds went out: it can't be sent a second time, whoever wants that. */
const isSpent = (body: RequestBody): boolean => (body.kind === 'form' || body.kind === 'passing') && body.isSpent;

const answerIt = (judged: Verdict): Verdict =>
  judged.do === 'answer' ? judged : { do: 'answer', because: `${judged.because}, and the body cannot be sent again` };

function notSent(at: number): Times {
  return { at, connectMs: undefined, firstByteMs: undefined, totalMs: 0 };
}

/** An answer that is not used: its stream is ended, if it had one. */
function drop(outcome: Outcome): void {
  if (outcome.kind === 'answered') outcome.reply.flow?.abort();
}

function clocksOf(server: Clocks, binding: ProviderBinding, leaf: Leaf): Clocks {
  return { ...server, ...binding.clocks, ...leaf.clocks };
}

/** True for an outcome that the client gets as a success. */
export function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && statusOf(outcome) < 400;
}
