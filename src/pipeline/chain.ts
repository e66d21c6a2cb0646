import type { Facts } from '../core/context.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { GatewayError } from '../core/error.ts';
import { isJsonObject } from '../core/json/merge.ts';
import { isFinalStatus } from '../core/http/status.ts';
import type { Answered, Attempt, CacheStatus, Interception, Outcome, Plan, Reply, Verdict } from '../core/plan.ts';
import { type Moment, moments, type SkipReason, type Plugin, type PluginInstance, type Screened } from '../core/plugin.ts';
import type { Draft, LogRecord } from '../core/records/record.ts';
import type { Leaf } from '../core/snapshot.ts';
import type { RequestContext } from './request.ts';

/** A plugin after its set-up, with its declarations. */
export interface NamedInstance {
  readonly name: string;
  readonly endpoints?: Plugin['endpoints'] | undefined;
  readonly provides?: Plugin['provides'] | undefined;
  readonly instance: PluginInstance;
}

/** The chains of one snapshot: a plugin that declares routes is only in the chains of these routes. */
export class Chains {
  /** Callers need a key or token. */
  readonly requiresKeys: boolean;
  readonly #common: Chain;
  readonly #byRoute = new Map<Endpoint, Chain>();

  constructor(plugins: readonly NamedInstance[], monotonic: () => number) {
    this.requiresKeys = plugins.some(({ provides }) => provides?.includes('authentication') === true);
    const chainFor = (route: Endpoint | undefined): Chain =>
      new Chain(
        plugins.filter(({ endpoints }) => endpoints === undefined || (route !== undefined && endpoints.includes(route))),
        monotonic,
      );
    this.#common = chainFor(undefined);
    for (const route of plugins.flatMap(({ endpoints }) => endpoints ?? []))
      if (!this.#byRoute.has(route)) this.#byRoute.set(route, chainFor(route));
  }

  /** @param route as the client called it */
  chainFor(route: Endpoint): Chain {
    return this.#byRoute.get(route) ?? this.#common;
  }
}

type PlanOrAnswer = Plan | { readonly answer: Reply };

type Step<M extends Moment> = { readonly name: string; readonly run: NonNullable<PluginInstance[M]> };

/** Plugins sorted by moment, once: the list of a moment contains only the plugins that implement it. */
export class Chain {
  readonly #steps: { readonly [M in Moment]: readonly Step<M>[] };
  readonly #monotonic: () => number;

  constructor(plugins: readonly NamedInstance[], monotonic: () => number) {
    this.#monotonic = monotonic;
    const steps: { [M in Moment]: Step<M>[] } = {
      admit: [],
      plan: [],
      skip: [],
      screen: [],
      prepare: [],
      send: [],
      judge: [],
      reply: [],
      finish: [],
      settle: [],
      record: [],
    };
    for (const moment of moments) collect(moment, plugins, steps);
    this.#steps = steps;
  }

  /**
   * Facts of every plugin, written once each. Returns a promise only if a plugin returned one: usually the caller is known in
   * the same tick. Throws, or rejects with, the error of the plugin that refuses.
   */
  admit(ctx: RequestContext): Promise<void> | undefined {
    return this.#admitFrom(0, ctx);
  }

  #admitFrom(first: number, ctx: RequestContext): Promise<void> | undefined {
    const steps = this.#steps.admit;
    for (let at = first; at < steps.length; at += 1) {
      const { name, run } = steps[at] as Step<'admit'>;
      const from = this.#monotonic();
      const result = run(ctx);
      if (result instanceof Promise) {
        return result.then((facts) => {
          this.#admitted(ctx, name, facts, from);
          return this.#admitFrom(at + 1, ctx);
        });
      }
      this.#admitted(ctx, name, result, from);
    }
    ctx.isAdmitted = true;
    return undefined;
  }

  #admitted(ctx: RequestContext, name: string, facts: Partial<Facts> | undefined, from: number): void {
    if (facts !== undefined) mergeFacts(ctx.facts, facts);
    this.#recordStep(ctx, name, 'admit', from);
  }

  /** The last plan, or the first answer; a promise only where a plugin gave one. @throws GatewayError `no_target` */
  plan(ctx: RequestContext): PlanOrAnswer | Promise<PlanOrAnswer> {
    return this.#planFrom(0, ctx, undefined);
  }

  #planFrom(first: number, ctx: RequestContext, before: Plan | undefined): PlanOrAnswer | Promise<PlanOrAnswer> {
    const steps = this.#steps.plan;
    let plan = before;
    for (let at = first; at < steps.length; at += 1) {
      const { name, run } = steps[at] as Step<'plan'>;
      const from = this.#monotonic();
      const result = run(ctx, plan);
      if (result instanceof Promise) {
        return result.then((returned) => {
          const planned = this.#planned(ctx, name, returned, from);
          return planned !== undefined && 'answer' in planned ? planned : this.#planFrom(at + 1, ctx, planned ?? plan);
        });
      }
      const planned = this.#planned(ctx, name, result, from);
      if (planned === undefined) continue;
      if ('answer' in planned) return planned;
      plan = planned;
    }
    if (plan !== undefined) return plan;
    throw new GatewayError('no_target', {
      message: 'No plugin in the chain made a plan.',
      hint: 'The chain needs a plugin that chooses the target.',
    });
  }

  /** The result of a plugin's `plan`; if it returns another request, that replaces the current one. */
  #planned(ctx: RequestContext, name: string, returned: Awaited<ReturnType<Step<'plan'>['run']>>, from: number): PlanOrAnswer | undefined {
    this.#recordStep(ctx, name, 'plan', from);
    if (returned === undefined || !('request' in returned)) return returned;
    ctx.replaceRequest(returned.request);
    return undefined;
  }

  /** Why the target is skipped. The record names only plugins that skip a target, because the others have no effect. */
  skip(ctx: RequestContext, target: Leaf): ReasonToSkip | undefined {
    let firstAvoidable: ReasonToSkip | undefined;
    for (const { name, run } of this.#steps.skip) {
      const from = this.#monotonic();
      const returned: unknown = run(ctx, target);
      if (returned === undefined) continue;
      this.#recordStep(ctx, name, 'skip', from);
      const reason = reasonToSkip(name, returned);
      if (!reason.unlessAll) return reason;
      if (firstAvoidable === undefined || reason.wouldFail) firstAvoidable = reason;
    }
    return firstAvoidable;
  }

  /** The first response or rejection ends it; a changed request is passed to the next plugin. Most chains have no such plugin. */
  screen(ctx: RequestContext, target: Leaf): Promise<Exclude<Screened, { request: unknown }> | undefined> | undefined {
    return this.#steps.screen.length === 0 ? undefined : this.#screen(ctx, target);
  }

  async #screen(ctx: RequestContext, target: Leaf): Promise<Exclude<Screened, { request: unknown }> | undefined> {
    for (const { name, run } of this.#steps.screen) {
      const from = this.#monotonic();
      const result = run(ctx, target);
      const screened = result instanceof Promise ? await result : result;
      this.#recordStep(ctx, name, 'screen', from);
      if (screened === undefined) continue;
      if (!('request' in screened)) return screened;
      ctx.body = screened.request;
    }
    return undefined;
  }

  /** A promise only where a plugin gave one. Throws, or rejects with, the error of the plugin that refuses. */
  prepare(ctx: RequestContext, attempt: Attempt): Promise<void> | undefined {
    return this.#prepareFrom(0, ctx, attempt);
  }

  #prepareFrom(first: number, ctx: RequestContext, attempt: Attempt): Promise<void> | undefined {
    const steps = this.#steps.prepare;
    for (let at = first; at < steps.length; at += 1) {
      const { name, run } = steps[at] as Step<'prepare'>;
      const from = this.#monotonic();
      const result = run(ctx, attempt);
      if (result instanceof Promise) {
        return result.then(() => {
          this.#recordStep(ctx, name, 'prepare', from);
          return this.#prepareFrom(at + 1, ctx, attempt);
        });
      }
      this.#recordStep(ctx, name, 'prepare', from);
    }
    return undefined;
  }

  /** The first result that is not undefined. The record names only the plugin that returned it, because the others have no effect. */
  send(ctx: RequestContext, attempt: Attempt): Interception | undefined | Promise<Interception | undefined> {
    return this.#sendFrom(0, ctx, attempt);
  }

  #sendFrom(first: number, ctx: RequestContext, attempt: Attempt): Interception | undefined | Promise<Interception | undefined> {
    const steps = this.#steps.send;
    for (let at = first; at < steps.length; at += 1) {
      const { name, run } = steps[at] as Step<'send'>;
      const from = this.#monotonic();
      const result = run(ctx, attempt);
      if (result === undefined) continue;
      if (!(result instanceof Promise)) return this.#intercepted(ctx, name, result, from);
      return result.then((returned) =>
        returned === undefined ? this.#sendFrom(at + 1, ctx, attempt) : this.#intercepted(ctx, name, returned, from),
      );
    }
    return undefined;
  }

  #intercepted(ctx: RequestContext, name: string, returned: Interception, from: number): Interception {
    this.#recordStep(ctx, name, 'send', from);
    return checkedInterception(name, returned);
  }

  /** The last result wins; without one, the outcome is the response. */
  judge(ctx: RequestContext, outcome: Outcome, earlier: readonly Outcome[]): Verdict {
    let verdict: Verdict = { do: 'answer' };
    for (const { name, run } of this.#steps.judge) {
      const from = this.#monotonic();
      const returned: unknown = run(ctx, outcome, earlier);
      if (returned instanceof Promise) throw asyncResultError(name, 'judge', returned);
      verdict = (returned as Verdict | undefined) ?? verdict;
      this.#recordStep(ctx, name, 'judge', from);
    }
    return verdict;
  }

  reply(ctx: RequestContext, attempt: Attempt, reply: Reply): Promise<GatewayError | undefined> | undefined {
    return this.#steps.reply.length === 0 ? undefined : this.#reply(ctx, attempt, reply);
  }

  async #reply(ctx: RequestContext, attempt: Attempt, reply: Reply): Promise<GatewayError | undefined> {
    for (const { name, run } of this.#steps.reply) {
      const from = this.#monotonic();
      const result = run(ctx, attempt, reply);
      const replied = result instanceof Promise ? await result : result;
      this.#recordStep(ctx, name, 'reply', from);
      if (replied !== undefined) return replied.refuse;
    }
    return undefined;
  }

  /** Not in the record, because it changes neither the response nor the record. */
  finish(ctx: RequestContext, outcome: Answered, fault: GatewayError | undefined, onDefect: OnDefect): void {
    for (const { name, run } of this.#steps.finish) guarded('finish', name, () => run(ctx, outcome, fault), onDefect);
  }

  get settles(): boolean {
    return this.#steps.settle.length > 0;
  }

  settle(ctx: RequestContext, draft: Draft, onDefect: OnDefect): void {
    for (const { name, run } of this.#steps.settle) {
      const from = this.#monotonic();
      guarded('settle', name, () => run(ctx, draft), onDefect);
      this.#recordStep(ctx, name, 'settle', from);
    }
  }

  record(record: LogRecord, onDefect: OnDefect): void {
    for (const { name, run } of this.#steps.record) guarded('record', name, () => run(record), onDefect);
  }

  #recordStep(ctx: RequestContext, name: string, moment: Moment, from: number): void {
    ctx.plugins.push({ name, moment, ms: Math.round((this.#monotonic() - from) * 1000) / 1000 });
  }
}

type OnDefect = (error: Error) => void;

/** The next plugin runs whatever the result. */
function guarded(moment: Moment, plugin: string, run: () => unknown, onDefect: OnDefect): void {
  const failed = (cause: unknown): void => onDefect(new Error(`plugin "${plugin}" threw in ${moment}`, { cause }));
  try {
    const result = run();
    if (result instanceof Promise) result.catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}

function collect<M extends Moment>(moment: M, plugins: readonly NamedInstance[], steps: { [K in Moment]: Step<K>[] }): void {
  const list: Step<M>[] = steps[moment];
  for (const { name, instance } of plugins) {
    const run = instance[moment];
    if (run !== undefined) list.push({ name, run: run.bind(instance) as NonNullable<PluginInstance[M]> });
  }
}

function mergeFacts(facts: Facts, more: Partial<Facts>): void {
  if (more.caller !== undefined) facts.caller = more.caller;
  if (more.virtualKey !== undefined) facts.virtualKey = more.virtualKey;
  if (more.choice !== undefined) facts.choice = more.choice;
  if (more.config !== undefined) facts.config = more.config;
  if (more.ext !== undefined) Object.assign(facts.ext, more.ext);
}

/** Why a target is skipped, and the plugin that skips it; for the others, see `SkipReason`. */
export interface ReasonToSkip {
  readonly because: string;
  readonly unlessAll: boolean;
  readonly wouldFail: boolean;
}

/** @param returned not undefined */
function reasonToSkip(plugin: string, returned: unknown): ReasonToSkip {
  if (returned instanceof Promise) throw asyncResultError(plugin, 'skip', returned);
  if (typeof returned === 'string') return { because: `${plugin}: ${returned}`, unlessAll: false, wouldFail: false };
  const { because, unlessAll, wouldFail } = (returned ?? {}) as Partial<SkipReason>;
  if (typeof because !== 'string') throw new Error(`plugin "${plugin}" returned no text from skip`);
  return { because: `${plugin}: ${because}`, unlessAll: unlessAll === true, wouldFail: wouldFail === true };
}

/** An invalid response would look like a fault of the provider. @throws Error */
function checkedInterception(plugin: string, returned: Interception): Interception {
  const { status, answer, keeper } = returned;
  const isAnswer = answer === undefined || (isFinalStatus(answer.status) && Array.isArray(answer.pieces) && isJsonObject(answer.headers));
  const isKeeper = keeper === undefined || (typeof keeper.maxBytes === 'number' && typeof keeper.keep === 'function');
  if (isAnswer && isKeeper && cacheStatuses.has(status)) return returned;
  throw new Error(`plugin "${plugin}" returned from send what is no interception`);
}

const cacheStatuses: ReadonlySet<unknown> = new Set(['HIT', 'MISS', 'REFRESH'] satisfies CacheStatus[]);

/** The decision must be synchronous. A promise that was returned instead must not end the process with an unhandled rejection. */
function asyncResultError(plugin: string, moment: Moment, promise: Promise<unknown>): Error {
  promise.catch(() => {});
  return new Error(`plugin "${plugin}" returned a promise from ${moment}, which must be synchronous`);
}
