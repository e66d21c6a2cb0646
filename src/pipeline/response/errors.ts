import { connectionFault, isPermanentFault, gatewayFaultHint } from '../../core/http/connection-fault.ts';
import { canonicalPrefix, requestHeaders } from '../../core/http/headers.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { type ErrorFacts, faultError, GatewayError, isRetryable, type ProviderFault } from '../../core/error.ts';
import { type Attempt, isSuccess, type Outcome, statusOf, type TimeoutPhase } from '../../core/plan.ts';
import { faultText } from './convert.ts';
import type { Execution } from '../execute.ts';
import type { FaultFacts } from './headers.ts';
import { withProvider } from './named-provider.ts';

/**
 * The gateway does not know the error format of a route that it does not interpret: those errors pass unchanged. Of a
 * WebSocket, it knows it.
 */
export const isUninterpreted = ({ call }: Attempt): boolean =>
  call !== undefined && call.endpoint !== 'realtime' && traitsOf(call.endpoint).body === 'passing';

/** The error of one outcome, as the client would receive it if there were no other attempt. */
export function errorOf(outcome: Outcome): GatewayError {
  const { attempt } = outcome;
  const { slug } = attempt.binding;
  switch (outcome.kind) {
    case 'answered': {
      const { status, body, headers } = outcome.reply;
      if (isUninterpreted(attempt) && isAuthFault(attempt, status)) return refusedCredential(attempt, status, undefined);
      return providerError(attempt, status, attempt.binding.provider.fault(status, body.toString('utf8'), headers));
    }
    case 'timeout':
      return new GatewayError('timeout', {
        message: `Provider "${slug}" ${timeoutText(outcome)} within ${outcome.afterMs} ms.`,
        hint: `To wait longer, raise ${timeoutSetting(outcome)}.`,
        source: 'provider',
      });
    case 'unreachable':
      return unreachableError(outcome);
    case 'faulty':
      return outcome.fault.provider === undefined
        ? withProvider(attempt, outcome.fault)
        : providerError(attempt, outcome.fault.status, outcome.fault.provider);
    case 'refused':
      return withSetting(attempt, outcome.error);
    case 'skipped':
      return new GatewayError('target_skipped', {
        message: `Provider "${slug}" was skipped (${outcome.because}).`,
        hint: 'Try again later.',
      });
    case 'cancelled':
      return new GatewayError('internal', { message: 'Cancelled: the client disconnected, or the request had already ended.' });
    default:
      return outcome satisfies never;
  }
}

/** The setting that limits the time, or the header, which can only shorten it. */
function timeoutSetting({ phase, attempt: { target, timeouts } }: Outcome & { kind: 'timeout' }): string {
  if (phase !== 'request') return `timeouts.${phase.replace('-', '_')}`;
  return timeouts.request === target.timeouts.request ? 'request_timeout' : `${canonicalPrefix}${requestHeaders.requestTimeout[0]}`;
}

function unreachableError(outcome: Outcome & { kind: 'unreachable' }): GatewayError {
  const { attempt, cause } = outcome;
  const gatewayHint = gatewayFaultHint(cause);
  const isCut = isCutUpload(outcome);
  const event = isCut ? 'closed the connection during the upload' : outcome.sent ? 'sent no valid response' : 'could not be reached';
  return new GatewayError('upstream_unreachable', {
    message: `Provider "${attempt.binding.slug}" ${event}: ${connectionFault(cause)} (${hostOf(outcome)}).`,
    hint: gatewayHint ?? (isPermanentFault(cause) ? certificateHint : isCut ? refusedHint : hostHint),
    source: gatewayHint === undefined ? 'provider' : 'gateway',
    ...(isPermanentFault(cause) ? { retry: false } : {}),
    cause,
  });
}

const hostHint = 'Check that the host is right and reachable from the gateway.';

const refusedHint = 'The provider may have refused the upload: send a small one to see its error.';

const certificateHint =
  'Check the address and the certificate of the provider. NODE_EXTRA_CA_CERTS names a file with further certificate authorities.';

/** The message of a provider's error that is passed on unchanged. */
export function forwardedErrorText(outcome: Outcome | undefined, status: number): string {
  return outcome?.kind === 'answered' ? errorOf(outcome).message : `status ${status}`;
}

/** Makes an error from one that the provider reported, with a status or as an event of a stream. */
export function providerError(attempt: Attempt, status: number, reported: ProviderFault): GatewayError {
  const fault = shortened(reported);
  if (isAuthFault(attempt, status)) return refusedCredential(attempt, status, fault);
  return faultError(fault, { message: faultText(attempt, fault), status });
}

/** Names the setting that the operator has to correct in the message, because many clients print only the message. */
function refusedCredential({ binding, credential }: Attempt, status: number, fault: ProviderFault | undefined): GatewayError {
  const setting = credential?.setting ?? `providers.${binding.slug}`;
  return new GatewayError('provider_auth_failed', {
    message: `Provider "${binding.slug}" rejected the credential of ${setting} with status ${status}${fault === undefined ? '.' : `: ${fault.message}`}`,
    hint: fault?.hint ?? `Correct ${setting} in the gateway's configuration, then run "gateway providers test ${binding.slug}".`,
    source: 'provider',
  });
}

/** Adds the setting to an error of a credential exchange, whose code does not know where the credential is configured. */
function withSetting({ binding, credential }: Attempt, error: GatewayError): GatewayError {
  const setting = credential?.setting;
  if (error.code !== 'provider_auth_failed' || error.source === 'provider' || setting === undefined) return error;
  const { hint, param, status, retry, cause } = error;
  const message = `Provider "${binding.slug}": ${error.message} Setting: ${setting}.`;
  return new GatewayError(error.code, { message, hint, param, status, retry, cause });
}

/** Maximum characters of a provider's message. The message can be repeated several times in an error. */
const maxMessageLength = 4096;

const shortened = (fault: ProviderFault): ProviderFault =>
  fault.message.length <= maxMessageLength ? fault : { ...fault, message: `${fault.message.slice(0, maxMessageLength).toWellFormed()}…` };

const timeoutTexts = {
  connect: 'did not accept a connection',
  'first-byte': 'did not begin its stream',
  idle: 'sent no event',
  total: 'did not finish',
  request: 'did not respond',
} as const;

const wholeTexts: Partial<Readonly<Record<TimeoutPhase, string>>> = {
  'first-byte': 'did not begin its response',
  idle: 'sent no further part of its response',
};

/** Responses that are files or are not interpreted have no events: any bytes count as activity. */
function timeoutText({ phase, attempt }: Outcome & { kind: 'timeout' }): string {
  const traits = attempt.call === undefined ? undefined : traitsOf(attempt.call.endpoint);
  if (phase === 'idle' && (traits?.file !== undefined || traits?.body === 'passing')) return 'transferred no data';
  return attempt.call?.stream === true ? timeoutTexts[phase] : (wholeTexts[phase] ?? timeoutTexts[phase]);
}

function isCutUpload({ sent, attempt }: Outcome & { kind: 'unreachable' }): boolean {
  const body = attempt.upstream?.body;
  if (!sent || body === undefined || body.kind === 'json' || body.kind === 'none' || body.kind === 'socket') return false;
  return body.kind !== 'passing' || body.length !== 0;
}

/** True when the provider refused the operator's credential, which is not the caller's fault. */
export const isAuthFault = ({ credential }: Attempt, status: number): boolean =>
  (status === 401 || status === 403) && credential?.owner === 'catalog';

/**
 * What the headers report about an error of the gateway, or about a provider's error that passes unchanged. The body of
 * the latter is parsed only if its status does not decide whether a retry can succeed.
 */
export function faultFacts(error: GatewayError | undefined, status: number, last: Outcome | undefined): FaultFacts {
  if (error !== undefined) {
    const { source, code, retry } = error;
    return { source, isGatewayBody: true, code, retry, retryAfterMs: retryAfterOf(error), allow: allowOf(error) };
  }
  const isRead = last?.kind === 'answered' && last.reply.body.length > 0 && isRetryable(status);
  const fault = isRead ? last.attempt.binding.provider.fault(status, last.reply.body.toString('utf8'), last.reply.headers) : undefined;
  return { source: 'provider', isGatewayBody: false, retry: isRetryable(status, fault), retryAfterMs: fault?.retryAfterMs };
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
