import type { Routed } from '#core/context.ts';
import { BoundedCache } from '#core/memory/bounded-cache.ts';
import { type Attempt, type Outcome, statusOf } from '#core/plan.ts';
import type { SkipReason, PluginHost } from '#core/plugin.ts';
import type { Leaf } from '#core/snapshot.ts';
import { stateOf } from '#core/objects/route-state.ts';
import { Circuit, type CircuitMessage, type Turn } from './circuit.ts';

/** Circuits that are remembered: those of configs that come with requests have no other end. */
const mostCircuits = 10_000;

/** The circuits of one process. */
class Known {
  readonly #kept = new BoundedCache<Circuit>(mostCircuits);
  readonly #tell: (word: CircuitMessage) => void;

  constructor(tell: (word: CircuitMessage) => void) {
    this.#tell = tell;
  }

  of(id: string): Circuit {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    const made = new Circuit(id, this.#tell);
    this.#kept.set(id, made, 1);
    return made;
  }
}

/** Leaves targets out that keep failing (`strategy.cb_config`). What was counted outlives a reload, and all workers know it. */
export class Circuits {
  readonly #known: Known;
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#known = host.shared(
      'circuits',
      (tell) => new Known(tell),
      (known, word) => known.of((word as CircuitMessage).id).hear(word as CircuitMessage, host.now()),
    );
  }

  /** Why a target is left out. An object that is named by id is where it is. */
  skip(ctx: Routed, { circuit: policy }: Leaf): SkipReason | undefined {
    if (policy === undefined || stateOf(ctx) === 'names') return undefined;
    const circuit = this.#known.of(policy.id);
    const now = this.#host.now();
    const wait = circuit.wait(policy, now);
    if (wait > 0) return { because: `circuit open, next attempt in ${Math.ceil(wait / 1000)} s`, unlessAll: true };
    if (ctx.mode === 'live') circuit.try(policy, now);
    return undefined;
  }

  /** Counts what an attempt says of its target, and tells what became of its circuit. */
  note(ctx: Routed, outcome: Outcome): Turn {
    const { attempt } = outcome;
    const { circuit: policy, root, path } = attempt.target;
    if (policy === undefined || ctx.mode === 'dry') return undefined;
    const hasFailed = isFailure(ctx, outcome, policy.fails);
    if (hasFailed === undefined) return undefined;
    const turn = this.#known.of(policy.id).note(policy, hasFailed, { began: ctx.at + outcome.times.at, now: this.#host.now() });
    if (turn === undefined) return undefined;
    const target = { target: root + path.slice('config'.length), provider: attempt.binding.slug };
    if (turn === 'closed') this.#host.log.warn(target, 'circuit closed: the target is used again');
    else this.#host.log.warn({ ...target, cooldown_ms: policy.cooldownMs }, 'circuit opened: the target failed too often and is left out');
    return turn;
  }
}

/** Undefined for what says nothing of the target: nothing was sent to it, or the request itself made the attempt fail. */
function isFailure(ctx: Routed, outcome: Outcome, fails: (status: number) => boolean): boolean | undefined {
  if (isSentElsewhere(ctx, outcome.attempt)) return undefined;
  switch (outcome.kind) {
    case 'answered':
      return fails(statusOf(outcome));
    case 'timeout':
      return outcome.phase === 'request' && isShortened(ctx, outcome.attempt) ? undefined : true;
    case 'unreachable':
      return true;
    case 'faulty':
      return outcome.fault.provider === undefined || (outcome.fault.provider.isOfModel !== true && fails(outcome.status));
    case 'refused':
    case 'skipped':
    case 'cancelled':
      return undefined;
    default:
      return outcome satisfies never;
  }
}

/** To a host that a header of the request names. */
function isSentElsewhere(ctx: Routed, { trust, target }: Attempt): boolean {
  return trust === 'request' && (target.customHost === undefined || (ctx.headers.gateway('customHost') ?? '') !== '');
}

/** By the caller's own `x-gateway-request-timeout`. */
function isShortened({ snapshot }: Routed, { clocks, binding, target }: Attempt): boolean {
  return clocks.request !== (target.clocks.request ?? binding.clocks.request ?? snapshot.server.clocks.request);
}
