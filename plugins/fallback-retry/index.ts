import type { Routed } from '#core/context.ts';
import type { GatewayError } from '#core/error.ts';
import { type Answered, is2xx, type Outcome, statusOf, type Verdict } from '#core/plan.ts';
import { definePlugin, type SkipReason, type PluginHost, type PluginInstance } from '#core/plugin.ts';
import type { Leaf } from '#core/snapshot.ts';
import { stateOf } from '#core/objects/route-state.ts';
import { Circuits } from './circuits.ts';
import { mayRepeat, wantsNext, wantsRetry } from './retry-rules.ts';
import { requestedDelay, maxTotalDelayMs, maxPreferredDelayMs, delayAfter, totalDelay } from './delays.ts';

/**
 * Decides what follows an attempt: a retry of the same target after a delay, the next target, or the response as it is. The
 * plan decides which target is next. Not called after content was sent. Targets that keep failing are skipped for a time if
 * the config says so.
 */
export default definePlugin({
  name: 'fallback-retry',
  moments: ['skip', 'judge', 'finish'],
  provides: ['retries'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: (_options, host) => new FallbackRetry(host),
});

const answerVerdict: Verdict = Object.freeze({ do: 'answer' });

class FallbackRetry implements PluginInstance {
  readonly #host: PluginHost;
  readonly #circuits: Circuits;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#circuits = new Circuits(host);
  }

  skip(ctx: Routed, target: Leaf): SkipReason | undefined {
    return this.#circuits.skip(ctx, target);
  }

  judge(ctx: Routed, outcome: Outcome, earlier: readonly Outcome[]): Verdict {
    const hasOpened = this.#circuits.recordAttempt(ctx, outcome) === 'opened';
    if (outcome.kind === 'cancelled' || hasStreamStarted(outcome)) return answerVerdict;
    // An error in the request is the same for every target.
    if (outcome.kind === 'refused' && outcome.error.code === 'invalid_header') return answerVerdict;
    const { parent, retry } = outcome.attempt.target;
    if (is2xx(outcome) && parent === undefined && retry.attempts === 0) return answerVerdict;
    const state = stateOf(ctx);
    if (!mayRepeat(outcome, state, ctx.method)) return answerVerdict;
    const wait = wantsRetry(outcome) ? this.#retryDelay(ctx, outcome, earlier) : undefined;
    const because = reasonOf(outcome);
    if (wait !== undefined && wait.fits) {
      const again: Verdict = { do: 'again', afterMs: wait.ms, because };
      const isLong = wait.ms > maxPreferredDelayMs && requestedDelay(outcome, this.#host.now()) !== undefined;
      if (!(hasOpened || isLong) || !wantsNext(outcome, state)) return again;
      const instead = hasOpened ? 'of this one, which is skipped from now on' : `of waiting ${Math.ceil(wait.ms / 1000)} s`;
      return { ...again, orNext: `${because}, so the next target is tried instead ${instead}` };
    }
    const reason = wait === undefined ? because : `${because}, the wait of ${Math.ceil(wait.ms / 1000)} s is too long`;
    return wantsNext(outcome, state)
      ? { do: 'next', because: reason }
      : wait === undefined
        ? answerVerdict
        : { do: 'answer', because: reason };
  }

  finish(ctx: Routed, outcome: Answered, fault: GatewayError | undefined): void {
    this.#circuits.recordStreamEnd(ctx, outcome, fault);
  }

  /** The delay before a retry, and whether it is within the limit of the request. */
  #retryDelay(ctx: Routed, outcome: Outcome, earlier: readonly Outcome[]): { ms: number; fits: boolean } {
    const ms = delayAfter(ctx, outcome, this.#host.now());
    return { ms, fits: ms + totalDelay(ctx, [...earlier, outcome]) <= maxTotalDelayMs };
  }
}

/** True for a response whose stream has begun, which cannot be replaced. */
const hasStreamStarted = (outcome: Outcome): boolean => outcome.kind === 'answered' && outcome.reply.flow !== undefined;

/** Short reason for the record: why another attempt follows. */
function reasonOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'answered':
      return `status ${statusOf(outcome)}`;
    case 'timeout':
      return `timeout (${outcome.phase})`;
    case 'unreachable':
      return 'unreachable';
    case 'faulty':
      return outcome.fault.provider === undefined
        ? `invalid response (${outcome.fault.code})`
        : `error object (status ${outcome.fault.status})`;
    case 'refused':
      return outcome.error.code;
    case 'skipped':
    case 'cancelled':
      return outcome.kind;
    default:
      return outcome satisfies never;
  }
}
