import type { JsonObject } from '../../../core/json/merge.ts';
import { completionEvents } from '../../openai-chat/reader/completion.ts';
import { type ResponseCall, ResponseEvents } from './events.ts';

/**
 * Converts a whole chat completion to a response, by the events of its stream. @throws GatewayError `upstream_invalid`, or the error
 * that the completion ends with
 */
export function wholeResponse(completion: unknown, call: ResponseCall): JsonObject {
  const events = new ResponseEvents(call);
  for (const event of completionEvents(completion)) {
    if (event.type === 'error') throw event.error;
    events.push(event);
  }
  events.end();
  return events.response();
}
