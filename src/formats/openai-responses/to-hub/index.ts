import { GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { HubRequest } from '../../through-hub/chat.ts';
import { Drops } from '../../shared/request/drops.ts';
import { chatMessages } from './items.ts';
import { ownNames } from './names.ts';
import { echoedFields, hubFields } from './params.ts';
import { statelessError } from './stateless.ts';
import { toolFields } from './tools.ts';

/** The request half of the responses API for clients. */
export const responsesRequests = Object.freeze({ toHub, ownNames, counted });

/**
 * Converts a request of the responses API to a chat completions body (OpenAI, API reference: Responses, "Create a model response").
 *
 * @throws GatewayError `invalid_type`, `unsupported_parameter`, `unsupported_endpoint`
 */
export function toHub(body: JsonObject): HubRequest {
  checkTypes(body);
  checkState(body);
  const drops = new Drops();
  const { instructions, input } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input as readonly JsonObject[]);
  const hub = {
    ...hubFields(body, drops),
    messages: [
      ...(typeof instructions === 'string' && instructions !== '' ? [{ role: 'system', content: instructions }] : []),
      ...chatMessages(items, drops),
    ],
    ...toolFields(body, drops),
    // Without it services of the chat format send no usage in streams.
    ...(body['stream'] === true ? { stream_options: { include_usage: true } } : {}),
  };
  return { body: hub, dropped: drops.list, echo: echoedFields(body) };
}

/** OpenAI, API reference: Responses, "Get input token counts". */
function counted(input_tokens: number): JsonObject {
  return { object: 'response.input_tokens', input_tokens };
}

/** Types of members that the conversion walks through. A value of another type would be dropped silently. */
const types: readonly (readonly [field: string, isOf: (value: unknown) => boolean, words: string])[] = [
  ['input', (value) => typeof value === 'string' || isObjects(value), 'a string or a list of objects'],
  ['instructions', (value) => typeof value === 'string', 'a string'],
  ['tools', isObjects, 'a list of objects'],
  ['tool_choice', (value) => typeof value === 'string' || isJsonObject(value), 'a string or an object'],
  ['reasoning', isJsonObject, 'an object'],
  ['text', isJsonObject, 'an object'],
  ['include', Array.isArray, 'a list'],
];

function isObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isJsonObject);
}

/** @throws GatewayError `invalid_type` */
function checkTypes(body: JsonObject): void {
  for (const [param, isOf, words] of types) {
    const value = body[param];
    if ((value === undefined || value === null) && param !== 'input') continue;
    if (isOf(value)) continue;
    throw new GatewayError('invalid_type', { message: `"${param}" is not ${words}.`, param, hint: `Send ${words} in "${param}".` });
  }
}

/** Members that need a service which stores responses, and what clients can do instead. */
const stateful: readonly (readonly [param: string, needs: string, hint: string])[] = [
  ['previous_response_id', 'This provider stores no responses', 'Send the whole conversation in "input".'],
  ['conversation', 'This provider stores no conversations', 'Send the whole conversation in "input".'],
  ['background', 'This provider runs no responses in the background', 'Send "background": false.'],
  ['prompt', 'Only OpenAI has the prompts of its dashboard', 'Send the text in "instructions", or use a prompt of the gateway.'],
];

/** @throws GatewayError `unsupported_endpoint` */
function checkState(body: JsonObject): void {
  for (const [param, needs, hint] of stateful) {
    const value = body[param];
    if (value !== undefined && value !== null && value !== false) throw statelessError(param, needs, hint);
  }
}
