import { parseJson } from '../../core/json/scan.ts';
import type { Dialect } from '../../core/dialect.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { type ErrorFacts, GatewayError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import { type Answered, isSuccess, type Outcome, type Reply, statusOf, type UpstreamReply } from '../../core/plan.ts';
import { shortList } from '../../core/text/wording.ts';
import { errorOf, isAuthFault, isUninterpreted } from './errors.ts';
import type { Execution } from '../execute.ts';

/** The final result for the client: a response to pass on, or an error. */
export type Final = { readonly kind: 'pass'; readonly reply: UpstreamReply } | { readonly kind: 'error'; readonly error: GatewayError };

/** Decides whether the last response is passed on or replaced by a gateway error. */
export function finalOf(run: Execution, dialect: Dialect): Final {
  const outcome = run.last;
  if (outcome === undefined) throw new Error('a reply without an attempt');
  if (outcome.kind === 'answered' && isSuccess(outcome)) return { kind: 'pass', reply: outcome.reply };
  const targets = new Set(run.history.map((each) => each.attempt.target));
  if (targets.size > 1) return { kind: 'error', error: allFailed(run, outcome, targets.size) };
  if (outcome.kind === 'answered' && outcome.attempt.lane !== 'full' && !isAuthFault(outcome.attempt, outcome.reply.status)) {
    if (isUninterpreted(outcome.attempt) || isErrorObject(outcome, dialect)) return { kind: 'pass', reply: outcome.reply };
  }
  return { kind: 'error', error: errorOf(outcome) };
}

function allFailed(run: Execution, ended: Outcome, targets: number): GatewayError {
  // Prefer a target that was asked: a skipped one gives no reason for the failure.
  const last = run.history.findLast((each) => !hasNoResult(each)) ?? ended;
  const error = errorOf(last);
  const config = run.ctx.facts.config?.name;
  const { status } = error;
  const of = config === undefined || config === '-' ? '' : ` of config "${config}"`;
  return new GatewayError('all_targets_failed', {
    message: `All ${targets} targets${of} failed. Last: ${last.attempt.binding.slug} ${summary(last, error)}${skippedText(run, last)}`,
    status,
    source: error.source,
    hint: `Operators can see all attempts with "gateway logs show ${run.ctx.id}".`,
    cause: error,
  });
}

/** The targets that a plugin skipped, except the last one. */
function skippedText({ attempts }: Execution, last: Outcome): string {
  const out = attempts.flatMap((each) =>
    each.kind === 'skipped' && each !== last ? [`${each.attempt.binding.slug} (${each.because})`] : [],
  );
  return out.length === 0 ? '' : ` Skipped: ${shortList(out, 8)}.`;
}

const hasNoResult = (outcome: Outcome): boolean =>
  outcome.kind === 'skipped' || (outcome.kind === 'refused' && outcome.error.code === 'unsupported_endpoint');

function summary(outcome: Outcome, error: GatewayError): string {
  return outcome.kind === 'answered' ? `returned ${statusOf(outcome)} (${JSON.stringify(error.message)}).` : `– ${error.message}`;
}

/**
 * True for an error body that the client's libraries understand unchanged. On routes for files, batches and jobs the
 * error must also have a `type`, because some services use another error format there.
 */
function isErrorObject({ reply: { body }, attempt: { call } }: Answered, dialect: Dialect): boolean {
  if (body[0] !== 0x7b) return false;
  try {
    const value = parseJson(body.toString('utf8')) as JsonObject;
    const hasState = call !== undefined && traitsOf(call.endpoint).state !== undefined;
    return dialect.isError(value) && (!hasState || typeof (value['error'] as JsonObject)['type'] === 'string');
  } catch {
    return false;
  }
}

/** Makes the reply for a final result. `headers.ts` adds the headers. */
export function replyOf(final: Final, mask: (bytes: Buffer) => Buffer, dialect: Dialect, facts: ErrorFacts): Reply {
  if (final.kind === 'error')
    return { status: final.error.status, headers: [], body: mask(dialect.errorBody(final.error, facts)), flow: undefined };
  const { status, flow } = final.reply;
  const body = final.reply.converted?.body ?? final.reply.body;
  if (flow !== undefined) return { status, headers: [], body: undefined, flow };
  return { status, headers: [], body: status < 400 ? body : mask(body), flow: undefined };
}
