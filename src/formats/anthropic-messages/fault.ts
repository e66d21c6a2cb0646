import type { ProviderFault } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { googleFault, googleFaultInBand, isGoogleStatus } from '../shared/google-status.ts';
import { faultFrom, objectIn, openaiFault } from '../openai-chat/fault.ts';

/**
 * Reads an error body: the API's own `{type: 'error', error: {type, message}}`, or that of a cloud in front of it, `{error:
 * {code, message, status}}`, which may be in a list.
 */
export function anthropicFault(status: number, body: string): ProviderFault {
  const object = objectIn(body);
  return object === undefined ? openaiFault(status, body) : faultOf(object, body);
}

/** Reads the fault from a parsed error object. */
function faultOf(object: JsonObject, raw: string): ProviderFault {
  const inner = object['error'];
  if (isGoogleStatus(inner)) return googleFault(inner);
  const fault = faultFrom(isJsonObject(inner) ? { error: inner } : object, raw);
  return isJsonObject(inner) ? fault : { ...fault, type: fault.type === 'error' ? null : (fault.type ?? null) };
}

/** Reads an error object under status 200, alone or as a stream event, and adds the HTTP status of its type. */
export function faultInBand(object: JsonObject | undefined, raw: string): ProviderFault {
  const inner = object?.['error'];
  if (isGoogleStatus(inner)) return googleFaultInBand(inner);
  const fault = faultOf(object ?? {}, raw);
  return { ...fault, status: statuses.get(fault.type ?? '') };
}

/** HTTP status of each error type of the API. Errors in streams have only the type. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

export const statusOfType = (type: string | null | undefined): number => statuses.get(type ?? '') ?? 502;
