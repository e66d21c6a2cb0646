import type { Routed } from '#core/context.ts';
import { BoundedCache } from '#core/memory/bounded-cache.ts';
import type { GatewayError, ProviderFault } from '#core/error.ts';
import { type Answered, type Attempt, isIntercepted, type Outcome, statusOf } from '#core/plan.ts';
import type { SkipReason, PluginHost } from '#core/plugin.ts';
import type { CircuitPolicy, Leaf } from '#core/snapshot.ts';
import { stateOf } from '#core/objects/route-state.ts';
import { Circuit, type CircuitMessage, type CircuitChange } from './circuit.ts';

/** Maximum circuits in memory. Those of configs sent by requests have no other limit. */
const maxCircuits = 10_000;

/** The circuits of one process. */
class SharedCircuits {
  readonly #circuits = new BoundedCache<Circuit>(maxCircuits);
  readonly #send: (message: CircuitMessage) => void;

  constructor(send: (message: CircuitMessage) => void) {
    this.#send = send;
  }

  of(id: string): Circuit {
    const known = this.#circuits.get(id);
    if (known !== undefined) return known;
    const made = new Circuit(id, this.#send);
    this.#circuits.set(id, made, 1);
    return made;
  }

  /** The states of the open circuits. */
  *open(): Iterable<CircuitMessage> {
    for (const circuit of this.#circuits.values()) if (circuit.isOpen) yield circuit.state;
  }
}

/** Skips targets that keep failing (`strategy.cb_config`). The counts survive a reload and are shared by all workers. */
export class Circuits {
  readonly #shared: SharedCircuits;
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#shared = host.shared(
      'circuits',
      (send) => new SharedCircuits(send),
      (circuits, message) => circuits.of((message as CircuitMessage).id).receive(message as CircuitMessage, host.now()),
      (circuits) => circuits.open(),
    );
  }

  /** Why a target is skipped. Requests for an object by id are never moved to another target. */
  skip(ctx: Routed, { circuit: policy }: Leaf): SkipReason | undefined {
    if (policy === undefined || stateOf(ctx) === 'names') return undefined;
    const circuit = this.#shared.of(policy.id);
    const now = this.#host.now();
    const wait = circuit.wait(policy, now);
    if (wait > 0) return { because: `circuit open, next attempt in ${Math.ceil(wait / 1000)} s`, unlessAll: true };
    if (ctx.mode === 'live') circuit.reserveTrial(policy, now);
    return undefined;
  }

  /**
   * Counts the result of an attempt for its target, and returns the change of its circuit. A streamed response is counted at
   * its end, but it closes an open circuit when it begins, because its end may be far.
   */
  recordAttempt(ctx: Routed, outcome: Outcome): CircuitChange {
    const { circuit: policy } = outcome.attempt.target;
    if (policy === undefined || ctx.mode === 'dry') return undefined;
    if (isStream(outcome) && !this.#shared.of(policy.id).isOpen) return undefined;
    return this.#recordResult(ctx, outcome, policy, isFailure(ctx, outcome, policy.fails));
  }

  /** The same for a streamed response that has ended. */
  recordStreamEnd(ctx: Routed, outcome: Answered, fault: GatewayError | undefined): void {
    const { circuit: policy } = outcome.attempt.target;
    if (policy === undefined || !isStream(outcome)) return;
    const { fails } = policy;
    this.#recordResult(
      ctx,
      outcome,
      policy,
      fault === undefined ? isFailure(ctx, outcome, fails) : isStreamFailure(ctx, outcome, fault, fails),
    );
  }

  #recordResult(ctx: Routed, { attempt, times }: Outcome, policy: CircuitPolicy, hasFailed: boolean | undefined): CircuitChange {
    if (hasFailed === undefined) return undefined;
    const circuit = this.#shared.of(policy.id);
    const wasOpen = circuit.isOpen;
    const change = circuit.recordResult(policy, hasFailed, { began: ctx.at + times.at, now: this.#host.now() });
    // A failure of an open circuit is not logged: if all targets are down, each request causes one.
    if (change === undefined || (change === 'opened' && wasOpen)) return change;
    const { root, path } = attempt.target;
    const target = { target: root + path.slice('config'.length), provider: attempt.binding.slug };
    if (change === 'closed') this.#host.log.warn(target, 'circuit closed: the target is used again');
    else this.#host.log.warn({ ...target, cooldown_ms: policy.cooldownMs }, 'circuit opened: the target failed too often and is skipped');
    return change;
  }
}

/** Undefined if the outcome does not depend on the target: nothing was sent, or the request itself caused the failure. */
function isFailure(ctx: Routed, outcome: Outcome, fails: (status: number) => boolean): boolean | undefined {
  if (isIntercepted(outcome) || isSentToRequestedHost(ctx, outcome.attempt)) return undefined;
  if (concernsCallersAccount(outcome.attempt, statusOf(outcome))) return undefined;
  switch (outcome.kind) {
    case 'answered':
      return fails(statusOf(outcome));
    case 'timeout':
      return outcome.phase === 'request' && hasCallersTimeout(ctx, outcome.attempt) ? undefined : true;
    case 'unreachable':
      return true;
    case 'faulty':
      return isProviderFailure(outcome.fault.provider, outcome.fault.status, fails);
    case 'refused':
    case 'skipped':
    case 'cancelled':
      return undefined;
    default:
      return outcome satisfies never;
  }
}

/** The same for an error that broke a streamed response. */
function isStreamFailure(ctx: Routed, { attempt }: Answered, fault: GatewayError, fails: (status: number) => boolean): boolean | undefined {
  if (isSentToRequestedHost(ctx, attempt) || concernsCallersAccount(attempt, fault.status) || fault.source !== 'provider') return undefined;
  return isProviderFailure(fault.provider, fault.status, fails);
}

/** An error of the provider counts by its status; any other failure always counts. */
const isProviderFailure = (fault: ProviderFault | undefined, status: number, fails: (status: number) => boolean): boolean =>
  fault === undefined || (fault.isOfModel !== true && fails(status));

/** False for an established WebSocket, whose duration depends on both sides. */
const isStream = (outcome: Outcome): boolean =>
  outcome.kind === 'answered' && outcome.reply.flow !== undefined && outcome.reply.flow.socket === undefined;

/** True for an attempt to a host from a header of the request. */
function isSentToRequestedHost(ctx: Routed, { trust, target }: Attempt): boolean {
  return trust === 'request' && (target.customHost === undefined || (ctx.headers.gateway('customHost') ?? '') !== '');
}

/** Statuses that concern an account. With the caller's own account, they do not concern the target of all callers. */
const accountStatuses: ReadonlySet<number> = new Set([401, 402, 403, 429]);

const concernsCallersAccount = ({ call }: Attempt, status: number): boolean =>
  accountStatuses.has(status) && (call?.credential === 'caller' || call?.credential === 'forwarded');

/** True for a timeout caused by the caller's `x-gateway-request-timeout`. */
function hasCallersTimeout({ snapshot }: Routed, { timeouts, binding, target }: Attempt): boolean {
  return timeouts.request !== (target.timeouts.request ?? binding.timeouts.request ?? snapshot.server.timeouts.request);
}
