import { parseJson } from '../core/json-scan.ts';
import { connectionFault } from '../core/connection-fault.ts';
import type { Dialect } from '../core/dialect.ts';
import { traitsOf } from '../core/endpoint.ts';
import { type ErrorFacts, GatewayError, type ProviderFault } from '../core/error.ts';
import { type Outcome, type Reply, statusOf, type TimeoutPhase, type UpstreamReply } from '../core/plan.ts';
import { faultText } from './convert.ts';
import { type Execution, isSuccess } from './execute.ts';

/** What the last outcome means for the client: an answer to pass on, or an error. */
export type Final = { readonly kind: 'pass'; readonly reply: UpstreamReply } | { readonly kind: 'error'; readonly error: GatewayError };

/** Decides between passing an answer on and an error of our own. */
export function finalOf(run: Execution, outcome: Outcome): Final {
  if (outcome.kind === 'answered' && isSuccess(outcome)) return { kind: 'pass', reply: outcome.reply };
  const targets = new Set(run.history.map((each) => each.attempt.target));
  if (targets.size > 1) return { kind: 'error', error: allFailed(run, outcome, targets.size) };
  if (outcome.kind === 'answered' && outcome.attempt.lane !== 'full' && !isAuthFault(outcome) && isErrorObject(outcome))
    return { kind: 'pass', reply: outcome.reply };
  return { kind: 'error', error: errorOf(outcome) };
}

/** The error of one outcome, as the client would see it if it were the only one. */
export function errorOf(outcome: Outcome): GatewayError {
  const slug = outcome.attempt.binding.slug;
  switch (outcome.kind) {
    case 'answered': {
      const { status, body } = outcome.reply;
      const fault = shortened(outcome.attempt.binding.provider.fault(status, body.toString('utf8')));
      if (isAuthFault(outcome)) {
        return new GatewayError('provider_auth_failed', {
          message: `Provider "${slug}" refused the gateway's credential (${status}): ${fault.message}`,
          hint: fault.hint ?? `Check the credential of providers.${slug}.`,
          source: 'provider',
        });
      }
      const message = faultText(outcome.attempt, fault);
      return new GatewayError('provider_error', { message, status, source: 'provider', hint: fault.hint, provider: fault });
    }
    case 'timeout':
      return new GatewayError('timeout', {
        message: `Provider "${slug}" ${timeoutText(outcome)} within ${outcome.afterMs} ms.`,
        hint: `Setting: ${outcome.phase === 'request' ? 'request_timeout' : `timeouts.${outcome.phase.replace('-', '_')}`}`,
        source: 'provider',
      });
    case 'unreachable':
      return new GatewayError('upstream_unreachable', {
        message: `Provider "${slug}" ${isCutUpload(outcome) ? 'broke off in the middle of the upload' : 'could not be reached'}: ${connectionFault(outcome.cause)} (${hostOf(outcome)}).`,
        source: 'provider',
        cause: outcome.cause,
      });
    case 'faulty':
      return outcome.fault;
    case 'refused':
      return outcome.error;
    case 'cancelled':
      return new GatewayError('internal', { message: 'Given up: the request was over first.' });
    default:
      return outcome satisfies never;
  }
}

/** Characters of a provider's own words: they stand in an error several times. */
const wordsLimit = 4096;

const shortened = (fault: ProviderFault): ProviderFault =>
  fault.message.length <= wordsLimit ? fault : { ...fault, message: `${fault.message.slice(0, wordsLimit).toWellFormed()}…` };

const timeoutTexts = {
  connect: 'did not accept a connection',
  'first-byte': 'did not begin its stream',
  idle: 'went silent and sent no event',
  total: 'did not finish',
  request: 'did not answer',
} as const;

const wholeTexts: Partial<Readonly<Record<TimeoutPhase, string>>> = {
  'first-byte': 'did not begin its response',
  idle: 'went silent in the middle of its response',
};

/** Files have no events: of those every byte counts. */
function timeoutText({ phase, attempt }: Outcome & { kind: 'timeout' }): string {
  const isFile = attempt.call !== undefined && traitsOf(attempt.call.endpoint).file !== undefined;
  if (phase === 'idle' && isFile) return 'moved no byte';
  return attempt.call?.stream === true ? timeoutTexts[phase] : (wholeTexts[phase] ?? timeoutTexts[phase]);
}

function isCutUpload({ sent, attempt }: Outcome & { kind: 'unreachable' }): boolean {
  const kind = attempt.upstream?.body.kind;
  return sent && (kind === 'form' || kind === 'file');
}

/** The operator's credential was refused: not the caller's fault. */
function isAuthFault(outcome: Outcome & { kind: 'answered' }): boolean {
  const { status } = outcome.reply;
  return (status === 401 || status === 403) && outcome.attempt.credential?.owner === 'catalog';
}

function allFailed(run: Execution, last: Outcome, targets: number): GatewayError {
  const error = errorOf(last);
  const config = run.ctx.facts.config?.name;
  const status = last.kind === 'timeout' ? 408 : last.kind === 'answered' ? error.status : last.kind === 'refused' ? error.status : 502;
  const of = config === undefined || config === '-' ? '' : ` of config "${config}"`;
  return new GatewayError('all_targets_failed', {
    message: `All ${targets} targets${of} failed. Last: ${last.attempt.binding.slug} ${summary(last, error)}`,
    status,
    source: error.source,
    hint: `Look for ${run.ctx.id} in the gateway's log.`,
    cause: error,
  });
}

function summary(outcome: Outcome, error: GatewayError): string {
  return outcome.kind === 'answered' ? `answered ${statusOf(outcome)} (${JSON.stringify(error.message)}).` : `– ${error.message}`;
}

/**
 * An error body that client libraries understand as it is. Of files, batches and jobs the kind has to be in it, too:
 * there some services write errors of another form.
 */
function isErrorObject({ reply: { body }, attempt: { call } }: Outcome & { kind: 'answered' }): boolean {
  if (body[0] !== 0x7b) return false;
  try {
    const { error } = parseJson(body.toString('utf8')) as { error?: { message?: unknown; type?: unknown } | null };
    const isKept = call !== undefined && traitsOf(call.endpoint).state !== undefined;
    return typeof error?.message === 'string' && (!isKept || typeof error.type === 'string');
  } catch {
    return false;
  }
}

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
