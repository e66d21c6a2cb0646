import { GatewayError } from '../../core/error.ts';
import { textOf } from './json.ts';

/** A 400 about something in the body that has no form in the provider's request. */
export function cannotCarry(param: string, message: string, hint?: string): GatewayError {
  return new GatewayError('unsupported_parameter', { message, param, hint });
}

/** The same about a part of a message. @param kind such as "Content parts"; @param receiver such as "service" */
export function unknownPart(kind: string, type: unknown, receiver: string, hint: string): GatewayError {
  const word = textOf(type);
  if (word === undefined) return cannotCarry('messages[].content[].type', `${kind} need a type.`, hint);
  return cannotCarry(`messages[].content[].${word}`, `${kind} of type "${word}" cannot be sent to this ${receiver}.`, hint);
}
