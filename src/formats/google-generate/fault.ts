import { faultError, type GatewayError, type ProviderFault } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { googleFault, googleFaultInBand } from '../shared/google-status.ts';
import { openaiFault } from '../openai-chat/fault.ts';
import { parsedAnswer } from './response/parse.ts';

/** Reads error bodies of both services: one object, or a list with this object, as streams send it. */
export function geminiFault(status: number, body: string): ProviderFault {
  const object = errorIn(parsedAnswer(body));
  return object === undefined ? openaiFault(status, body) : googleFault(object);
}

/** Returns the error of an event or of a response under status 200; undefined if there is none. */
export function errorIn(value: unknown): JsonObject | undefined {
  const object: unknown = Array.isArray(value) ? (value as unknown[])[0] : value;
  const error = isJsonObject(object) ? object['error'] : undefined;
  if (isJsonObject(error)) return error;
  return typeof error === 'string' && error !== '' ? { message: error } : undefined;
}

/** Converts an error inside a stream for the client. */
export const streamError = (error: JsonObject): GatewayError => faultError(googleFaultInBand(error));
