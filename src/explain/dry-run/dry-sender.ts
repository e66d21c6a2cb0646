import type { HeaderPairs } from '../../core/http/headers.ts';
import type { Attempt, Outcome, Send } from '../../core/plan.ts';
import type { GatewayError } from '../../core/error.ts';
import type { Trust } from '../../core/snapshot.ts';

/** Assumed result of a target, instead of a real response. */
export type AssumedResult = number | 'timeout' | 'reset';

/** An attempt as it would have been sent. */
export interface DryAttempt {
  readonly attempt: Attempt;
  /** Credential headers, with references instead of secrets. */
  readonly signed: HeaderPairs;
}

export interface DrySenderDeps {
  /** Assumed results by provider slug. */
  readonly assume: Readonly<Record<string, AssumedResult>>;
  /** Called with each attempt. */
  onSent(sent: DryAttempt): void;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
}

/** Sends nothing. An attempt ends with its assumed result; without one, no further target is visited. */
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

/** Outcome of an attempt for an assumed result. */
function outcomeOf(attempt: Attempt, assumed: AssumedResult | undefined): Outcome {
  const times = { at: 0, connectMs: undefined, firstByteMs: undefined, totalMs: 0 };
  if (assumed === undefined || (typeof assumed === 'number' && assumed < 300)) return { kind: 'cancelled', attempt, times };
  if (assumed === 'timeout') return { kind: 'timeout', attempt, times, phase: 'total', afterMs: attempt.timeouts.total, sent: true };
  if (assumed === 'reset')
    return { kind: 'unreachable', attempt, times, cause: new Error('assumed: the connection was reset'), sent: true };
  const body = Buffer.from(JSON.stringify({ error: { message: `assumed: status ${assumed}`, type: 'assumed', code: null, param: null } }));
  const reply = { status: assumed, headers: { 'content-type': 'application/json' }, body, flow: undefined, tap: undefined };
  return { kind: 'answered', attempt, times, reply };
}
