import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { ErrorFacts, GatewayError } from '../../core/error.ts';

/** True for `{error: {message, …}}`. An error with a text in `status` but no `type` is a google.rpc.Status, and not of this format. */
export function isOpenaiError({ error }: JsonObject): boolean {
  return (
    isJsonObject(error) &&
    typeof error['message'] === 'string' &&
    (typeof error['status'] !== 'string' || typeof error['type'] === 'string')
  );
}

/**
 * Builds the error object of the OpenAI APIs, with the gateway's members under `gateway`. OpenAI's libraries print `message`,
 * `type`, `code` and `param`.
 */
export function openaiError(error: GatewayError, facts: ErrorFacts): Record<string, unknown> {
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

/** Builds the body of an error response. Libraries of a compatible product read the top-level `status` and `message`. */
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

/** Builds the last event of a stream that failed. Client libraries raise on a top-level `error`. */
export function openaiErrorEvent(error: GatewayError, facts: ErrorFacts): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ error: openaiError(error, facts) })}\n\n`, 'utf8');
}

/** Returns the `type` that the OpenAI APIs use for a status. */
function typeOfStatus(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
