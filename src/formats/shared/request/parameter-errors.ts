import { GatewayError } from '../../../core/error.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { textOf } from '../json.ts';

/** Error 400 for something in the body that the provider's request format cannot express. */
export function unsupportedParameter(param: string, message: string, hint?: string): GatewayError {
  return new GatewayError('unsupported_parameter', { message, param, hint });
}

/** Runs a conversion, and renames the parameter of its error to that of the client's request. */
export function withParams<T>(rename: (param: string) => string, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.param === undefined) throw error;
    const { code, message, status, retry, param, hint, source, known, provider, waitS } = error;
    throw new GatewayError(code, { message, status, retry, param: rename(param), hint, source, known, provider, waitS, cause: error });
  }
}

/** Error 400 for a missing member of the body. */
export const missingParameter = (param: string): GatewayError =>
  new GatewayError('missing_required_parameter', { message: `Missing required parameter: '${param}'.`, param });

/** Like `unsupportedParameter`, for a part of a message. @param kind such as "Content parts"; @param receiver such as "service" */
export function unsupportedPart(kind: string, type: unknown, receiver: string, hint: string): GatewayError {
  const typeName = textOf(type);
  if (typeName === undefined) return unsupportedParameter('messages[].content[].type', `${kind} must have a "type".`, hint);
  return unsupportedParameter(
    `messages[].content[].${typeName}`,
    `${kind} of type "${typeName}" cannot be sent to this ${receiver}.`,
    hint,
  );
}

/** The text of a part; undefined if it has none. @throws GatewayError for a text of another type, which would be lost */
export function textOfPart({ text }: JsonObject): string | undefined {
  if (typeof text === 'string') return text;
  if (text === undefined || text === null) return undefined;
  throw unsupportedParameter(
    'messages[].content[].text',
    `The text is ${Array.isArray(text) ? 'a list' : `of type ${typeof text}`}.`,
    'Send a string.',
  );
}
