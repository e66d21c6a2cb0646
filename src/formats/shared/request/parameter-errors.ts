import { GatewayError } from '../../../core/error.ts';
import { textOf } from '../json.ts';

/** Error 400 for something in the body that the provider's request format cannot express. */
export function unsupportedParameter(param: string, message: string, hint?: string): GatewayError {
  return new GatewayError('unsupported_parameter', { message, param, hint });
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
