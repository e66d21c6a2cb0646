import { GatewayError } from '../../../core/error.ts';
import { isPlain } from '../../../core/json/merge.ts';
import { textOf } from '../json.ts';

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

/**
 * Whether a request offers a tool of this name that is no function of the client's own: a service that lacks the tool
 * cannot be made to use it.
 */
export const isOtherTool = (tools: unknown, name: unknown): boolean =>
  Array.isArray(tools) &&
  tools.some((tool: unknown) => {
    if (!isPlain(tool) || isPlain(tool['function'])) return false;
    const named = isPlain(tool['custom']) ? tool['custom'] : tool;
    return named['name'] !== undefined && named['name'] === name;
  });

/** Why `tool_choice` is left out then. */
export const lacksTool = 'this service does not have the tool that it names';
