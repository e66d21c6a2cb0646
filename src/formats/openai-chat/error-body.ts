import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { ErrorFacts, GatewayError } from '../../core/error.ts';

/** `{error: {message, …}}`. An API that says with a word in `status` what is wrong (google.rpc.Status) says it in no `type`. */
export function isOpenaiError({ error }: Plain): boolean {
  return (
    isPlain(error) && typeof error['message'] === 'string' && (typeof error['status'] !== 'string' || typeof error['type'] === 'string')
  );
}

/** The error object of the OpenAI APIs, with ours under `gateway`. Their libraries print `message`, `type`, `code`, `param`. */
function openaiError(error: GatewayError, facts: ErrorFacts): Record<string, unknown> {
  const fault = error.provider;
  const code = error.code === 'provider_error' ? (fault?.code ?? null) : error.code;
  return {
    ...fault?.extra,
    message: error.message,
    type: fault?.type ?? (error.code === 'provider_error' ? typeOfStatus(error.status) : error.type),
    code: typeof code === 'number' ? String(code) : code,
    param: error.param ?? fault?.param ?? null,
    gateway: {
      request_id: facts.requestId,
      source: error.source,
      ...(facts.attempts === undefined ? {} : { attempts: facts.attempts }),
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    },
  };
}

/** The body of an error answer. `status` and `message` at the top are what the compatible product's libraries read. */
export function openaiErrorBody(error: GatewayError, facts: ErrorFacts): Buffer {
  return Buffer.from(
    JSON.stringify({
      error: openaiError(error, facts),
      status: 'failure',
      message: error.message,
      ...(facts.provider === undefined ? {} : { provider: facts.provider }),
    }),
    'utf8',
  );
}

/** The last event of a stream that could not be finished. Client libraries raise on a top-level `error`. */
export function openaiErrorEvent(error: GatewayError, facts: ErrorFacts): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ error: openaiError(error, facts) })}\n\n`, 'utf8');
}

/** The `type` that the OpenAI APIs use for a status. */
function typeOfStatus(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
