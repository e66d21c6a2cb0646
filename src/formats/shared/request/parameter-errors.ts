import { GatewayError } from '../../../core/error.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
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

/**
 * True if a request offers a tool of this name that is not one of the client's own functions. A service that lacks the tool
 * cannot be forced to use it.
 */
export const isNonFunctionTool = (tools: unknown, name: unknown): boolean =>
  Array.isArray(tools) &&
  tools.some((tool: unknown) => {
    if (!isJsonObject(tool) || isJsonObject(tool['function'])) return false;
    const definition = isJsonObject(tool['custom']) ? tool['custom'] : tool;
    return definition['name'] !== undefined && definition['name'] === name;
  });

/** The reason why `tool_choice` is dropped in this case. */
export const missingToolReason = 'this service does not have the tool that it names';
