import type { HeaderPairs } from '../../core/http/headers.ts';
import type { Attempt, Outcome, Send } from '../../core/plan.ts';
import type { GatewayError } from '../../core/error.ts';
import type { Trust } from '../../core/snapshot.ts';

/** What a target is taken to say in place of a response. */
export type Assumed = number | 'timeout' | 'reset';

/** An attempt as it would have been sent. */
export interface Sent {
  readonly attempt: Attempt;
  /** References in place of credentials. */
  readonly signed: HeaderPairs;
}

export interface DrySenderDeps {
  /** By slug of the provider. */
  readonly assume: Readonly<Record<string, Assumed>>;
  /** Told of each attempt. */
  onSent(sent: Sent): void;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
}

/** Carries nothing out: an attempt ends as it is assumed to, and without an assumption the walk ends with it. */
export function createDrySender({ assume, onSent, checkEgress }: DrySenderDeps): Send {
  const decide = async (attempt: Attempt): Promise<Outcome> => {
    const { upstream, translation, credential } = attempt;
    const times = { at: 0, connectMs: undefined, firstByteMs: undefined, totalMs: 0 };
    if (upstream === undefined) return { kind: 'cancelled', attempt, times };
    const refusal = translation?.local === undefined ? checkEgress(upstream.origin, attempt.trust) : undefined;
    if (refusal !== undefined) return { kind: 'refused', attempt, times, error: refusal };
    const signed = (await credential?.headers(upstream)) ?? [];
    onSent({ attempt, signed });
    const { slug } = attempt.binding;
    return outcomeOf(attempt, Object.hasOwn(assume, slug) ? assume[slug] : undefined);
  };
  return (attempt) => ({ outcome: decide(attempt), cancel: () => undefined });
}

/** How an attempt is taken to end. */
function outcomeOf(attempt: Attempt, assumed: Assumed | undefined): Outcome {
  const times = { at: 0, connectMs: undefined, firstByteMs: undefined, totalMs: 0 };
  if (assumed === undefined || (typeof assumed === 'number' && assumed < 300)) return { kind: 'cancelled', attempt, times };
  if (assumed === 'timeout') return { kind: 'timeout', attempt, times, phase: 'total', afterMs: attempt.clocks.total, sent: true };
  if (assumed === 'reset')
    return { kind: 'unreachable', attempt, times, cause: new Error('assumed: the connection was reset'), sent: true };
  const body = Buffer.from(JSON.stringify({ error: { message: `assumed: status ${assumed}`, type: 'assumed', code: null, param: null } }));
  const reply = { status: assumed, headers: { 'content-type': 'application/json' }, body, flow: undefined, tap: undefined };
  return { kind: 'answered', attempt, times, reply };
}
