import type { HeaderPairs } from '../core/headers.ts';
import type { Pass, PassResult } from '../core/pass.ts';
import type { Attempt, Outcome } from '../core/plan.ts';
import { GatewayError } from '../core/error.ts';
import type { Execution } from './execute.ts';

export interface PassingDeps {
  readonly pass: Pass;
  monotonic(): number;
  /** Our headers for an answer with this status, known when the provider's head is there. */
  headers(run: Execution): HeaderPairs;
  /** Writes the record; resolves when the end may leave. */
  finish(result: PassResult): Promise<void>;
}

/**
 * A request whose body only passes through: it can be sent once, so the walk goes on only while no byte of the body
 * left and nothing was answered (decisions D21). Undefined when the client has its answer; else the outcome to report.
 */
export async function passThrough(run: Execution, deps: PassingDeps): Promise<Outcome | undefined> {
  let leaf = run.ctx.plan.first;
  for (;;) {
    const prepared = await run.prepare(leaf, 0);
    const step = 'kind' in prepared ? { outcome: prepared, final: false } : await send(run, prepared, deps);
    if (run.last !== step.outcome) run.push(step.outcome);
    if (step.final) return undefined;
    const next = run.ctx.plan.after(run.history);
    if (next === undefined) return step.outcome;
    leaf = next;
  }
}

async function send(run: Execution, attempt: Attempt, deps: PassingDeps): Promise<{ outcome: Outcome; final: boolean }> {
  const { upstream } = attempt;
  if (upstream === undefined) throw new GatewayError('internal', { message: 'No plugin prepared the request.', hint: 'The chain needs "transform".' });
  const from = deps.monotonic();
  const signed = await attempt.credential?.headers(upstream);
  let outcome: Outcome | undefined;
  const note = (result: PassResult): Outcome => {
    const totalMs = deps.monotonic() - from;
    return outcomeOf(attempt, result, { at: from - run.ctx.arrivedAt, connectMs: undefined, firstByteMs: undefined, totalMs });
  };
  const result = await deps.pass({
    address: upstream,
    trust: attempt.trust,
    headers: [...upstream.headers, ...(signed ?? [])],
    clocks: { connect: attempt.clocks.connect, idle: attempt.clocks.idle },
    onHead: (status) => {
      outcome = note({ kind: 'whole', status, headSent: true, bodySent: true, bytesIn: 0, bytesOut: 0 });
      run.push(outcome);
      return deps.headers(run);
    },
    onEnd: (end) => {
      if (!end.headSent) return Promise.resolve();
      return deps.finish(end);
    },
  });
  if (result.headSent || result.kind === 'client_gone') return { outcome: outcome ?? note(result), final: result.headSent };
  const failed = note(result);
  // A body that has begun to leave can't be sent to another target.
  return { outcome: failed, final: false };
}

function outcomeOf(attempt: Attempt, result: PassResult, times: Outcome['times']): Outcome {
  const error = result.error ?? new GatewayError('upstream_unreachable', { message: 'The provider could not be reached.', source: 'provider' });
  switch (result.kind) {
    case 'whole':
    case 'interrupted':
      return { kind: 'answered', attempt, times, reply: { status: result.status ?? 502, headers: {}, body: Buffer.alloc(0), flow: undefined, tap: undefined } };
    case 'client_gone':
      return { kind: 'cancelled', attempt, times };
    case 'timeout':
      return { kind: 'timeout', attempt, times, phase: 'connect', afterMs: attempt.clocks.connect, sent: result.bodySent };
    case 'unreachable':
      return { kind: 'unreachable', attempt, times, cause: error, sent: result.bodySent };
    case 'refused':
      return { kind: 'refused', attempt, times, error };
    default:
      return result.kind satisfies never;
  }
}
