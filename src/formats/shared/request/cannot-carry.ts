import { GatewayError } from '../../../core/error.ts';
import { isPlain } from '../../../core/json/merge.ts';
import { textOf } from '../json.ts';

/** Error 400 for something in the body that the provider's request format cannot express. */
export function cannotCarry(param: string, message: string, hint?: string): GatewayError {
  return new GatewayError('unsupported_parameter', { message, param, hint });
}

/** Like `cannotCarry`, for a part of a message. @param kind such as "Content parts"; @param receiver such as "service" */
export function unknownPart(kind: string, type: unknown, receiver: string, hint: string): GatewayError {
  const word = textOf(type);
  if (word === undefined) return cannotCarry('messages[].content[].type', `${kind} need a type.`, hint);
  return cannotCarry(`messages[].content[].${word}`, `${kind} of type "${word}" cannot be sent to this ${receiver}.`, hint);
}

/**
 * True if a request offers a tool of this name that is not one of the client's own functions. A service that lacks the tool
 * cannot be forced to use it.
 */
export const isOtherTool = (tools: unknown, name: unknown): boolean =>
  Array.isArray(tools) &&
  tools.some((tool: unknown) => {
    if (!isPlain(tool) || isPlain(tool['function'])) return false;
    const named = isPlain(tool['custom']) ? tool['custom'] : tool;
    return named['name'] !== undefined && named['name'] === name;
  });

/** The reason why `tool_choice` is dropped in this case. */
export const lacksTool = 'this service does not have the tool that it names';
