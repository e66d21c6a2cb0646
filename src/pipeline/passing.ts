import { isAuthFault, refusedCredential } from './answer/index.ts';
import { GatewayError } from '../core/error.ts';
import type { HeaderPairs } from '../core/http/headers.ts';
import { withheldFrom } from '../core/model/request-settings.ts';
import type { Pass, PassResult } from '../core/pass.ts';
import type { Attempt, Outcome, Times } from '../core/plan.ts';
import { secretsOf } from '../core/secrets/redactor.ts';
import { type Execution, firstOf } from './execute.ts';

export interface PassingDeps {
  readonly pass: Pass;
  monotonic(): number;
  /** Told when an answer repeats the credential of its attempt, each time. */
  onEcho(attempt: Attempt): void;
  /** Our headers for an answer with this status, known when the provider's head is there. */
  headers(run: Execution): HeaderPairs;
  /** Writes the record; resolves when the end may leave. */
  finish(result: PassResult): Promise<void>;
}

/** One attempt at passing a request on. `final`: the client has its answer, or its body is used up. */
interface Step {
  readonly outcome: Outcome;
  readonly final: 'answered' | 'spent' | undefined;
}

/**
 * A request whose body only passes through: it can be sent once, so the walk goes on only while no byte of the body
 * left and nothing was answered. Undefined when the client has its answer; else the outcome to report.
 */
export async function passThrough(run: Execution, deps: PassingDeps): Promise<Outcome | undefined> {
  let now = firstOf(run.ctx.plan.first);
  for (;;) {
    const prepared = await run.prepare(now);
    const step: Step = 'kind' in prepared ? { outcome: prepared, final: undefined } : await send(run, prepared, deps);
    if (run.last !== step.outcome) run.push(step.outcome);
    if (step.final === 'answered') return undefined;
    if (step.final === undefined && !run.isCancelled && run.repeats(step.outcome)) {
      now = { ...now, isRepeat: true };
      continue;
    }
    const next = step.final === 'spent' || run.isCancelled ? undefined : run.ctx.plan.after(run.history);
    if (next === undefined) return step.outcome;
    now = firstOf(next);
  }
}

async function send(run: Execution, attempt: Attempt, deps: PassingDeps): Promise<Step> {
  const { upstream } = attempt;
  if (upstream === undefined)
    throw new GatewayError('internal', { message: 'No plugin prepared the upstream request.', hint: 'The chain needs "transform".' });
  const from = deps.monotonic();
  const timesOf = (result: Pick<PassResult, 'connectMs' | 'firstByteMs'>): Times => ({
    at: from - run.ctx.arrivedAt,
    connectMs: result.connectMs,
    firstByteMs: result.firstByteMs,
    totalMs: deps.monotonic() - from,
  });
  const signed = await attempt.credential?.headers(upstream);
  let answered: Outcome | undefined;
  const result = await deps.pass({
    address: upstream,
    trust: attempt.trust,
    isFresh: attempt.isRepeat === true,
    headers: [...upstream.headers, ...(signed ?? [])],
    secrets: secretsOf(attempt, signed),
    onEcho: () => {
      attempt.echoes += 1;
      deps.onEcho(attempt);
    },
    withheld: withheldFrom(attempt.binding.provider, attempt.credential?.owner),
    clocks: { connect: attempt.clocks.connect, idle: attempt.clocks.idle },
    onHead: (status, theirs) => {
      // The body can't be sent again; the next request must not be refused with the same token.
      if (status === 401 && signed !== undefined) attempt.credential?.evict?.(signed);
      if (isAuthFault(attempt, status)) return refusedCredential(attempt, status, undefined);
      const times = timesOf({ connectMs: undefined, firstByteMs: deps.monotonic() - from });
      answered = { kind: 'answered', attempt, times, reply: { ...noReply, status, headers: retryWord(theirs) } };
      run.push(answered);
      return deps.headers(run);
    },
    onEnd: (end) => deps.finish(end),
  });
  // A WebSocket that is refused has no head of its own.
  if (result.kind === 'refused' && result.status === 401 && signed !== undefined) attempt.credential?.evict?.(signed);
  if (answered !== undefined && result.headSent) return { outcome: answered, final: 'answered' };
  return { outcome: outcomeOf(attempt, result, timesOf(result)), final: result.bodySent ? 'spent' : undefined };
}

/** The relay passes the provider's headers on itself; only what it says about retries decides about ours. */
function retryWord(theirs: HeaderPairs): Readonly<Record<string, string>> {
  const at = theirs.indexOf('x-should-retry');
  return at % 2 === 0 ? { 'x-should-retry': theirs[at + 1] ?? '' } : {};
}

const noReply = { headers: {}, body: Buffer.alloc(0), flow: undefined, tap: undefined } as const;

function outcomeOf(attempt: Attempt, result: PassResult, times: Times): Outcome {
  const error =
    result.error ?? new GatewayError('upstream_unreachable', { message: 'The provider could not be reached.', source: 'provider' });
  switch (result.kind) {
    case 'whole':
    case 'interrupted':
      return { kind: 'faulty', attempt, times, fault: error, status: result.status ?? 502 };
    case 'client_gone':
      return { kind: 'cancelled', attempt, times };
    case 'timeout': {
      const isConnect = result.connectMs === undefined;
      const { connect, idle } = attempt.clocks;
      return {
        kind: 'timeout',
        attempt,
        times,
        phase: isConnect ? 'connect' : 'idle',
        afterMs: isConnect ? connect : idle,
        sent: result.bodySent,
      };
    }
    case 'unreachable':
      return result.isUnread === true && !result.bodySent
        ? { kind: 'unreachable', attempt, times, cause: error, sent: false, isUnread: true }
        : { kind: 'unreachable', attempt, times, cause: error, sent: result.bodySent };
    case 'refused':
      return { kind: 'refused', attempt, times, error: refusalOf(attempt, error) };
    default:
      return result.kind satisfies never;
  }
}

/** A WebSocket that the provider refuses: with its status and words, unless it was the operator's credential. */
const refusalOf = (attempt: Attempt, error: GatewayError): GatewayError =>
  error.code === 'provider_error' && isAuthFault(attempt, error.status) ? refusedCredential(attempt, error.status, error.provider) : error;
