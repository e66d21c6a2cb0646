import type { Received } from '#core/context.ts';
import { parseDecimal } from '#core/cost/decimal.ts';
import { type Endpoint, traitsOf } from '#core/endpoint.ts';
import { periodStart } from '#core/limits/budget-period.ts';
import type { CallerLimits, WindowLimit } from '#core/limits/caller-limits.ts';
import { definePlugin, type PluginHost, type PluginInstance } from '#core/plugin.ts';
import type { Draft } from '#core/records/record.ts';
import type { ApiKey, Snapshot } from '#core/snapshot.ts';
import type { UseMessage } from './caller-use.ts';
import { Callers } from './callers.ts';
import { budgetExhausted, tooManyRequests, tooManyTokens } from './refusals.ts';

/**
 * Rejects requests of a key that has used up its rate, tokens or budget (`limits`). Requests are counted when they arrive,
 * tokens and costs when they are known. The workers of a gateway count together. `limits.concurrency` is applied where
 * requests in flight are counted, outside the plugins.
 */
export default definePlugin({
  name: 'limits',
  moments: ['admit', 'settle'],
  provides: ['limits'],
  neededFor: countsCallers,
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: (_options, host) => new Limits(host),
});

/** True if a key has one of its limits. */
function countsCallers({ apiKeys, jwt }: Snapshot): boolean {
  const isCounted = ({ limits }: ApiKey): boolean => (limits?.rate ?? limits?.tokens ?? limits?.budget) !== undefined;
  return (jwt !== undefined && isCounted(jwt.rules)) || apiKeys.values().some(isCounted);
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
    if (key?.limits === undefined || ctx.mode === 'dry') return undefined;
    if (mayCost(ctx)) this.#checkCosts(ctx, key, key.limits);
    const { rate } = key.limits;
    if (rate === undefined) return undefined;
    const wait = this.#host.countRequest(key.owner, rate, ctx.at);
    return wait instanceof Promise ? wait.then((ms) => checkWait(key, rate, ms)) : checkWait(key, rate, wait);
  }

  settle(ctx: Received, { record: { usage, cost } }: Draft): void {
    const key = ctx.facts.caller?.key;
    if (key?.limits === undefined || ctx.mode === 'dry') return;
    const { tokens, budget } = key.limits;
    const count = usage.prompt + usage.completion;
    if (tokens !== undefined && count > 0) this.#callers.of(key.owner).addTokens(tokens, count, this.#host.now());
    const pico = budget === undefined || cost.usd === null ? undefined : parseDecimal(cost.usd);
    if (budget === undefined || pico === undefined || pico === 0n) return;
    this.#callers.of(key.owner).addCost(budget, pico, periodStart(budget.period, ctx.at));
  }

  #checkCosts(ctx: Received, { name, owner }: ApiKey, { tokens, budget }: CallerLimits): void {
    if (tokens === undefined && budget === undefined) return;
    const use = this.#callers.of(owner);
    if (tokens !== undefined) {
      const wait = use.tokens(tokens.windowMs).wait(tokens.max - 1, ctx.at);
      if (wait > 0) throw tooManyTokens(name, tokens, wait);
    }
    if (budget === undefined) return;
    const since = periodStart(budget.period, ctx.at);
    const spent = use.spent(budget.period).merge(this.#host.spent(name, since), since);
    if (spent >= budget.pico) throw budgetExhausted(name, budget, spent, ctx.at);
  }
}

/** @param waitMs until a request is accepted; 0 if this one is */
function checkWait({ name }: ApiKey, rate: WindowLimit, waitMs: number): undefined {
  if (waitMs > 0) throw tooManyRequests(name, rate, waitMs);
}

const freeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
const freeEndpoints: ReadonlySet<Endpoint> = new Set(['feedback', 'feedback/{id}', 'prompts/{id}/render']);

/** False for requests that are never billed, such as those for the result of a batch. A caller without budget may send them. */
function mayCost({ endpoint, method }: Received): boolean {
  if (endpoint === 'realtime') return true;
  return !freeMethods.has(method) && !freeEndpoints.has(endpoint) && traitsOf(endpoint).state !== 'names';
}
