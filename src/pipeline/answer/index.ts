import { parseJson } from '../../core/json/scan.ts';
import { connectionFault, isPermanentFault } from '../../core/http/connection-fault.ts';
import type { Dialect } from '../../core/dialect.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { type ErrorFacts, faultError, GatewayError, mayPass, type ProviderFault } from '../../core/error.ts';
import type { Plain } from '../../core/json/merge.ts';
import { type Attempt, type Outcome, type Reply, statusOf, type TimeoutPhase, type UpstreamReply } from '../../core/plan.ts';
import { faultText } from './convert.ts';
import { type Execution, isSuccess } from '../execute.ts';
import type { FaultFacts } from './headers.ts';

/** What the last outcome means for the client: an answer to pass on, or an error. */
export type Final = { readonly kind: 'pass'; readonly reply: UpstreamReply } | { readonly kind: 'error'; readonly error: GatewayError };

/** Decides between passing an answer on and an error of our own. */
export function finalOf(run: Execution, outcome: Outcome, dialect: Dialect): Final {
  if (outcome.kind === 'answered' && isSuccess(outcome)) return { kind: 'pass', reply: outcome.reply };
  const targets = new Set(run.history.map((each) => each.attempt.target));
  if (targets.size > 1) return { kind: 'error', error: allFailed(run, outcome, targets.size) };
  if (outcome.kind === 'answered' && outcome.attempt.lane !== 'full' && !isAuthFault(outcome.attempt, outcome.reply.status)) {
    if (isUnread(outcome.attempt) || isErrorObject(outcome, dialect)) return { kind: 'pass', reply: outcome.reply };
  }
  return { kind: 'error', error: errorOf(outcome) };
}

/** Of a route that is not modelled nobody knows how its errors look: they pass as they are. */
const isUnread = ({ call }: Attempt): boolean => call !== undefined && traitsOf(call.endpoint).body === 'passing';

/** The error of one outcome, as the client would see it if it were the only one. */
export function errorOf(outcome: Outcome): GatewayError {
  const { attempt } = outcome;
  const { slug } = attempt.binding;
  switch (outcome.kind) {
    case 'answered': {
      const { status, body, headers } = outcome.reply;
      if (isUnread(attempt) && isAuthFault(attempt, status)) return refusedCredential(attempt, status, undefined);
      return providerError(attempt, status, attempt.binding.provider.fault(status, body.toString('utf8'), headers));
    }
    case 'timeout':
      return new GatewayError('timeout', {
        message: `Provider "${slug}" ${timeoutText(outcome)} within ${outcome.afterMs} ms.`,
        hint: `Setting: ${outcome.phase === 'request' ? 'request_timeout' : `timeouts.${outcome.phase.replace('-', '_')}`}`,
        source: 'provider',
      });
    case 'unreachable':
      return new GatewayError('upstream_unreachable', {
        message: `Provider "${slug}" ${isCutUpload(outcome) ? 'closed the connection during the upload' : 'could not be reached'}: ${connectionFault(outcome.cause)} (${hostOf(outcome)}).`,
        hint: 'Check that the host is right and reachable from the gateway.',
        source: 'provider',
        ...(isPermanentFault(outcome.cause) ? { retry: false } : {}),
        cause: outcome.cause,
      });
    case 'faulty':
      return outcome.fault.provider === undefined ? outcome.fault : providerError(attempt, outcome.status, outcome.fault.provider);
    case 'refused':
      // A WebSocket that the provider refuses: with its status and words, unless it was the operator's credential.
      if (outcome.error.code === 'provider_error' && isAuthFault(attempt, outcome.error.status))
        return refusedCredential(attempt, outcome.error.status, outcome.error.provider);
      return withSetting(attempt, outcome.error);
    case 'skipped':
      return new GatewayError('target_skipped', {
        message: `Provider "${slug}" was left out (${outcome.because}).`,
        hint: 'Try again later.',
      });
    case 'cancelled':
      return new GatewayError('internal', { message: 'Cancelled: the client disconnected, or the request had already ended.' });
    default:
      return outcome satisfies never;
  }
}

/** What the error of a provider says that passes as it is. */
export function passedError(outcome: Outcome | undefined, status: number): string {
  return outcome?.kind === 'answered' && !isUnread(outcome.attempt) ? errorOf(outcome).message : `status ${status}`;
}

/** An error that the provider reported, with a status or as an event of a stream. */
export function providerError(attempt: Attempt, status: number, said: ProviderFault): GatewayError {
  const fault = shortened(said);
  if (isAuthFault(attempt, status)) return refusedCredential(attempt, status, fault);
  return faultError(fault, { message: faultText(attempt, fault), status });
}

/** Names the setting that the operator has to correct: clients print nothing but the message. */
function refusedCredential({ binding, credential }: Attempt, status: number, fault: ProviderFault | undefined): GatewayError {
  const setting = credential?.setting ?? `providers.${binding.slug}`;
  return new GatewayError('provider_auth_failed', {
    message: `Provider "${binding.slug}" refused the credential of ${setting} with status ${status}${fault === undefined ? '.' : `: ${fault.message}`}`,
    hint: fault?.hint ?? `Correct ${setting} in the gateway's configuration, then run "gateway providers test ${binding.slug}".`,
    source: 'provider',
  });
}

/** Whoever got no token for a credential does not know where it is written. */
function withSetting({ binding, credential }: Attempt, error: GatewayError): GatewayError {
  const setting = credential?.setting;
  if (error.code !== 'provider_auth_failed' || error.source === 'provider' || setting === undefined) return error;
  const { hint, param, status, retry, cause } = error;
  const message = `Provider "${binding.slug}": ${error.message} Setting: ${setting}.`;
  return new GatewayError(error.code, { message, hint, param, status, retry, cause });
}

/** Characters of a provider's own words: they stand in an error several times. */
const wordsLimit = 4096;

const shortened = (fault: ProviderFault): ProviderFault =>
  fault.message.length <= wordsLimit ? fault : { ...fault, message: `${fault.message.slice(0, wordsLimit).toWellFormed()}…` };

const timeoutTexts = {
  connect: 'did not accept a connection',
  'first-byte': 'did not begin its stream',
  idle: 'sent no event',
  total: 'did not finish',
  request: 'did not respond',
} as const;

const wholeTexts: Partial<Readonly<Record<TimeoutPhase, string>>> = {
  'first-byte': 'did not begin its response',
  idle: 'stopped sending in the middle of its response',
};

/** Files have no events: of those every byte counts. */
function timeoutText({ phase, attempt }: Outcome & { kind: 'timeout' }): string {
  const isFile = attempt.call !== undefined && traitsOf(attempt.call.endpoint).file !== undefined;
  if (phase === 'idle' && (isFile || isUnread(attempt))) return 'transferred no data';
  return attempt.call?.stream === true ? timeoutTexts[phase] : (wholeTexts[phase] ?? timeoutTexts[phase]);
}

function isCutUpload({ sent, attempt }: Outcome & { kind: 'unreachable' }): boolean {
  const kind = attempt.upstream?.body.kind;
  return sent && kind !== undefined && kind !== 'json' && kind !== 'none';
}

/** The operator's credential was refused: not the caller's fault. */
const isAuthFault = ({ credential }: Attempt, status: number): boolean =>
  (status === 401 || status === 403) && credential?.owner === 'catalog';

function allFailed(run: Execution, ended: Outcome, targets: number): GatewayError {
  // A target that was passed over says nothing about those that were asked.
  const last = run.history.findLast((each) => !isPassedOver(each)) ?? ended;
  const error = errorOf(last);
  const config = run.ctx.facts.config?.name;
  const { status } = error;
  const of = config === undefined || config === '-' ? '' : ` of config "${config}"`;
  return new GatewayError('all_targets_failed', {
    message: `All ${targets} targets${of} failed. Last: ${last.attempt.binding.slug} ${summary(last, error)}${leftOut(run, last)}`,
    status,
    source: error.source,
    hint: `Look for ${run.ctx.id} in the gateway's log.`,
    cause: error,
  });
}

/** The targets beside the last one that a plugin left out. */
function leftOut({ attempts }: Execution, last: Outcome): string {
  const out = attempts.flatMap((each) =>
    each.kind === 'skipped' && each !== last ? [`${each.attempt.binding.slug} (${each.because})`] : [],
  );
  return out.length === 0 ? '' : ` Left out: ${out.slice(0, 8).join(', ')}.`;
}

const isPassedOver = (outcome: Outcome): boolean =>
  outcome.kind === 'skipped' || (outcome.kind === 'refused' && outcome.error.code === 'unsupported_endpoint');

function summary(outcome: Outcome, error: GatewayError): string {
  return outcome.kind === 'answered' ? `answered ${statusOf(outcome)} (${JSON.stringify(error.message)}).` : `– ${error.message}`;
}

/**
 * An error body that the client's libraries understand as it is. Of files, batches and jobs the kind has to be in it, too:
 * there some services write errors of another form.
 */
function isErrorObject({ reply: { body }, attempt: { call } }: Outcome & { kind: 'answered' }, dialect: Dialect): boolean {
  if (body[0] !== 0x7b) return false;
  try {
    const value = parseJson(body.toString('utf8')) as Plain;
    const isKept = call !== undefined && traitsOf(call.endpoint).state !== undefined;
    return dialect.isError(value) && (!isKept || typeof (value['error'] as Plain)['type'] === 'string');
  } catch {
    return false;
  }
}

/**
 * What the headers say about an error: ours, or one that passes in the provider's own words. Of those a body is read only
 * where the status leaves open whether a retry can succeed.
 */
export function faultFacts(error: GatewayError | undefined, status: number, last: Outcome | undefined): FaultFacts {
  if (error !== undefined) {
    const { source, code, retry } = error;
    return { source, own: true, code, retry, retryAfterMs: retryAfterOf(error), allow: allowOf(error) };
  }
  const isRead = last?.kind === 'answered' && last.reply.body.length > 0 && mayPass(status);
  const fault = isRead ? last.attempt.binding.provider.fault(status, last.reply.body.toString('utf8'), last.reply.headers) : undefined;
  return { source: 'provider', own: false, retry: mayPass(status, fault), retryAfterMs: fault?.retryAfterMs };
}

const retryAfterOf = ({ waitS, provider, cause }: GatewayError): number | undefined =>
  waitS === undefined
    ? (provider?.retryAfterMs ?? (cause instanceof GatewayError ? cause.provider?.retryAfterMs : undefined))
    : waitS * 1000;

const allowOf = ({ allow, cause }: GatewayError): string | undefined => allow ?? (cause instanceof GatewayError ? cause.allow : undefined);

function hostOf(outcome: Outcome): string {
  const origin = outcome.attempt.upstream?.origin ?? '';
  return origin.slice(origin.indexOf('//') + 2);
}

/** Puts a final decision into a reply; headers are added by `headers.ts`. */
export function replyOf(final: Final, mask: (bytes: Buffer) => Buffer, dialect: Dialect, facts: ErrorFacts): Reply {
  if (final.kind === 'error')
    return { status: final.error.status, headers: [], body: mask(dialect.errorBody(final.error, facts)), flow: undefined };
  const { status, flow } = final.reply;
  const body = final.reply.converted?.body ?? final.reply.body;
  if (flow !== undefined) return { status, headers: [], body: undefined, flow };
  return { status, headers: [], body: status < 400 ? body : mask(body), flow: undefined };
}
