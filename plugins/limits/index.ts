import type { Received, Routed } from '#core/context.ts';
import { parseDecimal } from '#core/cost/decimal.ts';
import { type Endpoint, traitsOf } from '#core/endpoint.ts';
import { periodStart } from '#core/limits/budget-period.ts';
import type { CallerLimits, WindowLimit } from '#core/limits/caller-limits.ts';
import type { GatewayError } from '#core/error.ts';
import { spenderName } from '#core/limits/spender-name.ts';
import type { Attempt } from '#core/plan.ts';
import { definePlugin, type PluginHost, type PluginInstance, type SkipReason } from '#core/plugin.ts';
import type { Draft, LogRecord } from '#core/records/record.ts';
import type { ApiKey, Leaf, ProviderBinding, Snapshot } from '#core/snapshot.ts';
import type { UseMessage } from './caller-use.ts';
import { Callers } from './callers.ts';
import { budgetExhausted, type Spender, tooManyRequests, tooManyTokens } from './refusals.ts';

/**
 * Rejects requests of a key that has used up its rate, tokens or budget (`limits`), and does not use a virtual key that has.
 * Requests are counted when they arrive, or when an attempt uses the virtual key; tokens and costs when they are known. The
 * workers of a gateway count together. `limits.concurrency` is applied where requests in flight are counted, outside the
 * plugins.
 */
export default definePlugin({
  name: 'limits',
  moments: ['admit', 'skip', 'prepare', 'settle'],
  provides: ['limits'],
  // Limits that a written chain forgets would be no limits.
  implied: 'last',
  neededFor: hasLimits,
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: (_options, host) => new Limits(host),
});

/** True if a key or a virtual key has one of its limits. */
function hasLimits({ apiKeys, jwt, providers }: Snapshot): boolean {
  const isCounted = ({ limits }: ApiKey | ProviderBinding): boolean => (limits?.rate ?? limits?.tokens ?? limits?.budget) !== undefined;
  return (jwt !== undefined && isCounted(jwt.rules)) || apiKeys.values().some(isCounted) || providers.values().some(isCounted);
}

const callerOf = ({ owner, name }: ApiKey): Spender => ({ id: owner, name, kind: 'Key', written: name });

function spenderOf(virtualKey: string): Spender {
  const name = spenderName(virtualKey);
  return { id: name, name, kind: 'Virtual key', written: virtualKey };
}

class Limits implements PluginInstance {
  readonly #host: PluginHost;
  readonly #callers: Callers;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#callers = host.shared(
      'callers',
      (send) => new Callers(send),
      (callers, messages) => callers.receive(messages as readonly UseMessage[], host.now()),
      (callers) => callers.known(),
    );
  }

  admit(ctx: Received): Promise<undefined> | undefined {
    const key = ctx.facts.caller?.key;
    return key?.limits === undefined || ctx.mode === 'dry' ? undefined : this.#admit(ctx, callerOf(key), key.limits);
  }

  /** A virtual key that is used up is left out while there is another target. */
  skip(ctx: Routed, { provider }: Leaf): SkipReason | undefined {
    if (provider?.limits === undefined || provider.virtualKey === undefined || ctx.mode === 'dry' || !mayCost(ctx)) return undefined;
    const error = this.#exhausted(ctx, spenderOf(provider.virtualKey), provider.limits);
    return error === undefined ? undefined : { because: error.code, unlessAll: true, wouldFail: true };
  }

  prepare(ctx: Routed, { binding: { limits, virtualKey } }: Attempt): Promise<undefined> | undefined {
    if (limits === undefined || virtualKey === undefined || ctx.mode === 'dry') return undefined;
    return this.#admit(ctx, spenderOf(virtualKey), limits);
  }

  settle(ctx: Received, { record }: Draft): void {
    if (ctx.mode === 'dry') return;
    const key = ctx.facts.caller?.key;
    if (key?.limits !== undefined) this.#add(ctx, key.owner, key.limits, record);
    const virtualKey = record.virtual_key;
    const limits = virtualKey === null ? undefined : ctx.snapshot.providers.get(virtualKey)?.limits;
    if (virtualKey !== null && limits !== undefined) this.#add(ctx, spenderName(virtualKey), limits, record);
  }

  /** Counts a request. @throws GatewayError `rate_limited`, `budget_exhausted` */
  #admit(ctx: Received, spender: Spender, limits: CallerLimits): Promise<undefined> | undefined {
    const error = mayCost(ctx) ? this.#exhausted(ctx, spender, limits) : undefined;
    if (error !== undefined) throw error;
    const { rate } = limits;
    if (rate === undefined) return undefined;
    const wait = this.#host.countRequest(spender.id, rate);
    return wait instanceof Promise ? wait.then((ms) => checkWait(spender, rate, ms)) : checkWait(spender, rate, wait);
  }

  /** The error if the tokens or the budget are used up. */
  #exhausted({ at }: Received, spender: Spender, { tokens, budget }: CallerLimits): GatewayError | undefined {
    if (tokens === undefined && budget === undefined) return undefined;
    const use = this.#callers.of(spender.id);
    const wait = tokens === undefined ? 0 : use.tokens(tokens.windowMs).wait(tokens.max - 1, this.#host.now());
    if (tokens !== undefined && wait > 0) return tooManyTokens(spender, tokens, wait);
    if (budget === undefined) return undefined;
    const since = periodStart(budget.period, at);
    const spent = use.spent(budget.period).merge(this.#host.spent(spender.name, since), since);
    return spent < budget.pico ? undefined : budgetExhausted(spender, budget, spent, at);
  }

  #add({ at }: Received, id: string, { tokens, budget }: CallerLimits, { usage, cost }: LogRecord): void {
    const count = usage.prompt + usage.completion;
    if (tokens !== undefined && count > 0) this.#callers.of(id).addTokens(tokens, count, this.#host.now());
    const pico = budget === undefined || cost.usd === null ? undefined : parseDecimal(cost.usd);
    if (budget === undefined || pico === undefined || pico === 0n) return;
    this.#callers.of(id).addCost(budget, pico, periodStart(budget.period, at));
  }
}

/** @param waitMs until a request is accepted; 0 if this one is */
function checkWait(spender: Spender, rate: WindowLimit, waitMs: number): undefined {
  if (waitMs > 0) throw tooManyRequests(spender, rate, waitMs);
}

const freeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
const freeEndpoints: ReadonlySet<Endpoint> = new Set(['feedback', 'feedback/{id}', 'prompts/{id}/render']);

/** False for requests that are never billed, such as those for the result of a batch. A caller without budget may send them. */
function mayCost({ endpoint, method }: Received): boolean {
  if (endpoint === 'realtime') return true;
  return !freeMethods.has(method) && !freeEndpoints.has(endpoint) && traitsOf(endpoint).state !== 'names';
}
