import { faultError, type GatewayError, type ProviderFault } from '../../core/error.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';
import { googleFault, googleFaultInBand } from '../shared/google-status.ts';
import { openaiFault } from '../openai-chat/fault.ts';
import { parsedAnswer } from './answer/parse.ts';

/** Error bodies of both services: one object, or the same in a list, as streams send it. */
export function geminiFault(status: number, body: string): ProviderFault {
  const object = errorIn(parsedAnswer(body));
  return object === undefined ? openaiFault(status, body) : googleFault(object);
}

/** The error of an event or an answer under 200; undefined where there is none. */
export function errorIn(value: unknown): Plain | undefined {
  const object: unknown = Array.isArray(value) ? (value as unknown[])[0] : value;
  const error = isPlain(object) ? object['error'] : undefined;
  if (isPlain(error)) return error;
  return typeof error === 'string' && error !== '' ? { message: error } : undefined;
}

/** An error in the middle of a stream, as it goes to the client. */
export const streamError = (error: Plain): GatewayError => faultError(googleFaultInBand(error));
