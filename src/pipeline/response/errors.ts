import { type ErrorFacts, GatewayError } from '../../core/error.ts';
import { isSuccess, statusOf } from '../../core/plan.ts';
import { errorOf } from './index.ts';
import type { Execution } from '../execute.ts';

/** @param expose false hides the attempts and providers (`server.expose_routing`) */
export function errorFacts(requestId: string, run: Execution | undefined, expose: boolean): ErrorFacts {
  if (run === undefined || run.history.length === 0 || !expose) return { requestId };
  const attempts = run.attempts.map((outcome) => ({
    target: outcome.attempt.target.path,
    provider: outcome.attempt.binding.slug,
    model: outcome.attempt.model,
    status: outcome.kind === 'answered' ? statusOf(outcome) : null,
    ms: Math.round(outcome.times.totalMs),
    message: isSuccess(outcome) ? 'ok' : errorOf(outcome).message,
  }));
  return { requestId, attempts, provider: run.last?.attempt.binding.slug };
}

/** The error of a request that is not complete when the gateway stops. */
export const stoppedError = (): GatewayError =>
  new GatewayError('draining', { message: 'The gateway was stopped before the response was complete.' });
