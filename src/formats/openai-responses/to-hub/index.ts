import type { JsonObject } from '../../../core/json/merge.ts';
import type { HubRequest } from '../../through-hub/chat.ts';
import { Drops } from '../../shared/request/drops.ts';
import { checkFieldTypes, type FieldTypes } from '../../shared/request/field-types.ts';
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
  checkFieldTypes(body, types, 'input');
  checkState(body);
  const drops = new Drops('not known to other services');
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

const types: FieldTypes = new Map([
  ['input', ['string', 'objects']],
  ['instructions', ['string']],
  ['tools', ['objects']],
  ['tool_choice', ['string', 'object']],
  ['reasoning', ['object']],
  ['text', ['object']],
  ['include', ['list']],
]);

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
