import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { completionEvents } from '../../openai-chat/reader/completion.ts';
import { inputOf } from './call-input.ts';
import { type ApiEvent, MessageEvents, type ResponseNames } from './events.ts';

/** Serializes an event of the messages API. */
export const textOf = (event: ApiEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/**
 * Converts a whole chat completion to a message, by joining the events of its stream. @throws GatewayError `upstream_invalid`, or
 * the error that the completion ends with
 */
export function wholeMessage(completion: unknown, call: ResponseNames): JsonObject {
  const events = new MessageEvents(call);
  const written = completionEvents(completion).flatMap((event) => {
    if (event.type === 'error') throw event.error;
    return [...events.push(event)];
  });
  return joined([...written, ...events.end()]);
}

/** Joins events as client libraries do. */
function joined(events: readonly ApiEvent[]): JsonObject {
  let message: JsonObject = {};
  const content: Record<string, unknown>[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    const at = event['index'] as number;
    if (event.type === 'message_start' && isJsonObject(event['message'])) message = event['message'];
    if (event.type === 'content_block_start') content[at] = { ...(event['content_block'] as JsonObject) };
    if (event.type === 'content_block_delta')
      addDelta(content[at] ?? {}, event['delta'] as JsonObject, (text) => inputs.set(at, (inputs.get(at) ?? '') + text));
    if (event.type === 'message_delta') {
      const { type: _type, delta, ...rest } = event;
      message = { ...message, ...(delta as JsonObject), ...rest };
    }
  }
  for (const [at, text] of inputs) (content[at] ?? {})['input'] = inputOf(text);
  return { ...message, content };
}

function addDelta(block: Record<string, unknown>, delta: JsonObject, input: (text: string) => void): void {
  switch (delta['type']) {
    case 'text_delta':
      block['text'] = String(block['text']) + String(delta['text']);
      return;
    case 'thinking_delta':
      block['thinking'] = String(block['thinking']) + String(delta['thinking']);
      return;
    case 'signature_delta':
      block['signature'] = delta['signature'];
      return;
    case 'citations_delta':
      citationsOf(block).push(delta['citation']);
      return;
    default:
      input(String(delta['partial_json']));
  }
}

/** Starts a new list instead of adding to an empty one, because the list of the event is shared. */
function citationsOf(block: Record<string, unknown>): unknown[] {
  const known = block['citations'];
  const list = Array.isArray(known) && known.length > 0 ? (known as unknown[]) : [];
  block['citations'] = list;
  return list;
}
