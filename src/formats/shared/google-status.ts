import type { ProviderFault } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { isErrorStatus } from '../../core/http/status.ts';
import { textOf } from './json.ts';

/** OpenAI error type and HTTP status for each code of google.rpc.Code. */
const errorsByStatus: Readonly<Record<string, { readonly type: string; readonly status: number; readonly isPermanent?: true }>> = {
  INVALID_ARGUMENT: { type: 'invalid_request_error', status: 400 },
  FAILED_PRECONDITION: { type: 'invalid_request_error', status: 400 },
  OUT_OF_RANGE: { type: 'invalid_request_error', status: 400 },
  UNAUTHENTICATED: { type: 'authentication_error', status: 401 },
  PERMISSION_DENIED: { type: 'permission_error', status: 403 },
  NOT_FOUND: { type: 'invalid_request_error', status: 404 },
  ABORTED: { type: 'invalid_request_error', status: 409 },
  ALREADY_EXISTS: { type: 'invalid_request_error', status: 409, isPermanent: true },
  RESOURCE_EXHAUSTED: { type: 'rate_limit_error', status: 429 },
  CANCELLED: { type: 'api_error', status: 499 },
  INTERNAL: { type: 'api_error', status: 500 },
  UNKNOWN: { type: 'api_error', status: 500 },
  DATA_LOSS: { type: 'api_error', status: 500 },
  UNIMPLEMENTED: { type: 'invalid_request_error', status: 501 },
  UNAVAILABLE: { type: 'api_error', status: 503 },
  DEADLINE_EXCEEDED: { type: 'api_error', status: 504 },
};

const rowOf = (status: unknown): (typeof errorsByStatus)[string] | undefined =>
  typeof status === 'string' && Object.hasOwn(errorsByStatus, status) ? errorsByStatus[status] : undefined;

/** Hints for messages whose real cause differs from what they say. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /aiplatform\.endpoints\.predict/i,
    'Grant the role "Vertex AI User" (roles/aiplatform.user) to the account that signs the request; a wrong project or endpoint id is reported the same way.',
  ],
  [
    /was not found or your project does not have access/i,
    'Check the model name and whether the region serves it; many models are served in global only.',
  ],
  [
    /multiple tools are supported only when they are all search tools|tool use with function calling is unsupported/i,
    'This model accepts either search tools or your own functions: send one kind, or use a Gemini 3 model.',
  ],
  [/API key not valid|API_KEY_INVALID/, 'Check the api_key of the provider; create keys at aistudio.google.com.'],
  [
    /missing a `?thought_signature/i,
    'Send each tool call back with the thought_signature that it came with (x-gateway-strict-compliance: false).',
  ],
  [
    /(?:invalid|corrupted) thought signature/i,
    'A signature is valid only at the service that created it: remove it after a change of provider.',
  ],
];

/**
 * True for an error object of Google's APIs (google.rpc.Status as JSON), which has a `status`. Errors of third-party services
 * behind Google's APIs have a `type` instead.
 */
export const isGoogleStatus = (error: unknown): error is JsonObject =>
  isJsonObject(error) && textOf(error['status']) !== undefined && error['type'] === undefined;

/** Jobs, files and caches can be missing too. */
const modelOrEndpoint = /\bmodels?\b|\bendpoints?\b/i;

/** @param error the inner error object */
export function googleFault(error: JsonObject): ProviderFault {
  const { code, message, status, details } = error;
  const statusName = textOf(status);
  const text = textOf(message) ?? statusName ?? 'The provider sent no error message.';
  const row = rowOf(status);
  const hint = hints.find(([pattern]) => pattern.test(text))?.[1];
  return {
    message: text,
    code:
      statusName === 'NOT_FOUND' && modelOrEndpoint.test(text)
        ? 'model_not_found'
        : (statusName ?? (typeof code === 'number' ? code : null)),
    type: row?.type ?? null,
    param: null,
    ...(hint === undefined ? {} : { hint }),
    ...(row?.isPermanent === undefined ? {} : { isPermanent: row.isPermanent }),
    ...(Array.isArray(details) ? { extra: { details }, ...retryDelayIn(details as unknown[]) } : {}),
  };
}

/** Reads an error inside a response of status 200, and adds the HTTP status that belongs to it. */
export function googleFaultInBand(error: JsonObject): ProviderFault {
  const { code, status } = error;
  return { ...googleFault(error), status: isErrorStatus(code) ? code : rowOf(status)?.status };
}

/** Reads `retryDelay` of google.rpc.RetryInfo: seconds with an optional fraction and the letter s. */
function retryDelayIn(details: readonly unknown[]): { readonly retryAfterMs?: number } {
  for (const detail of details) {
    const delay = isJsonObject(detail) ? detail['retryDelay'] : undefined;
    const seconds = typeof delay === 'string' ? /^(\d{1,6}(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return { retryAfterMs: Math.ceil(Number(seconds) * 1000) };
  }
  return {};
}
