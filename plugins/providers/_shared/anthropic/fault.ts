import { parseJson } from '#core/json-scan.ts';
import type { ProviderFault } from '#core/error.ts';
import { isPlain, type Plain } from '#core/merge.ts';
import { textOf } from '../json.ts';
import { faultFrom, openaiFault } from '../openai-fault.ts';

/**
 * Reads an error body: the API's own `{type: 'error', error: {type, message}}`, and the cloud's in front of it,
 * `{error: {code, message, status}}`, which may stand in a list.
 */
export function anthropicFault(status: number, body: string): ProviderFault {
  const object = objectIn(body);
  return object === undefined ? openaiFault(status, body) : faultOf(object, body);
}

/** The fault in a parsed error object. */
export function faultOf(object: Plain, raw = ''): ProviderFault {
  const inner = object['error'];
  if (isPlain(inner) && textOf(inner['status']) !== undefined && inner['type'] === undefined) {
    const { code, message, status, ...extra } = inner;
    return {
      message: textOf(message) ?? String(status),
      type: String(status),
      code: code === undefined || code === null ? null : String(code),
      param: null,
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    };
  }
  const fault = faultFrom(isPlain(inner) ? { error: inner } : object, raw);
  return isPlain(inner) ? fault : { ...fault, type: fault.type === 'error' ? null : (fault.type ?? null) };
}

/** HTTP status that the API gives with a type of error; streams name the type only. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export const statusOfType = (type: string | null | undefined): number => statuses[type ?? ''] ?? 502;

function objectIn(body: string): Plain | undefined {
  try {
    const value: unknown = parseJson(body);
    const one: unknown = Array.isArray(value) ? value[0] : value;
    return isPlain(one) ? one : undefined;
  } catch {
    return undefined;
  }
}
