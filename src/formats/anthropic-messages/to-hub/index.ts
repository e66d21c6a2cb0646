import type { JsonObject } from '../../../core/json/merge.ts';
import type { HubRequest } from '../../through-hub/chat.ts';
import { Drops } from '../../shared/request/drops.ts';
import { checkFieldTypes, type FieldTypes } from '../../shared/request/field-types.ts';
import { cacheOf } from './cache.ts';
import { chatMessages } from './messages.ts';
import { ownNames } from './names.ts';
import { hubFields } from './params.ts';
import { toolFields } from './tools.ts';
import { objectsIn } from '../../shared/json.ts';

/** The request half of the messages API for clients. */
export const messagesRequests = Object.freeze({ toHub, ownNames, counted: (input_tokens: number): JsonObject => ({ input_tokens }) });

/**
 * Converts a request of the messages API to a chat completions body. This is the inverse of the conversion of chat requests for
 * services of this format (request/), for everything that both formats can express.
 *
 * @throws GatewayError `invalid_type`, `unsupported_parameter`
 */
export function toHub(body: JsonObject): HubRequest {
  checkFieldTypes(body, types, 'messages');
  const drops = new Drops('not known to other services');
  const hub = {
    ...hubFields(body, drops),
    messages: [...systemMessages(body['system'], drops), ...chatMessages(body['messages'] as readonly JsonObject[], drops)],
    ...toolFields(body, drops),
    // Without it services of the chat format send no usage in streams.
    ...(body['stream'] === true ? { stream_options: { include_usage: true } } : {}),
  };
  return { body: hub, dropped: drops.list };
}

function systemMessages(system: unknown, drops: Drops): readonly JsonObject[] {
  if (typeof system === 'string') return system === '' ? [] : [{ role: 'system', content: system }];
  const blocks = objectsIn(system);
  for (const block of blocks) drops.addUnread(block, systemMembers, 'system[].');
  return blocks.length === 0
    ? []
    : [{ role: 'system', content: blocks.map(({ type, text, ...block }) => ({ type, text, ...cacheOf(block) })) }];
}

const systemMembers: ReadonlySet<string> = new Set(['type', 'text', 'citations', 'cache_control']);

const types: FieldTypes = new Map([
  ['messages', ['objects']],
  ['system', ['string', 'objects']],
  ['tools', ['objects']],
  ['tool_choice', ['object']],
  ['stop_sequences', ['list']],
  ['metadata', ['object']],
  ['output_config', ['object']],
  ['thinking', ['object']],
]);
