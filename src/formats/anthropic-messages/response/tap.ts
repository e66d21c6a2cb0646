import type { ProviderFault } from '../../../core/error.ts';
import type { WireEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { EventKind, Tap } from '../../../core/tap.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { eventTypeOf } from '../../shared/response/event-type.ts';
import { hasError, parseObject, textOf, offsetOfValue } from '../../shared/json.ts';
import { objectIn as errorObjectIn } from '../../openai-chat/fault.ts';
import { parseCheckedExact } from '../../../core/json/scan.ts';
import { faultInBand } from '../fault.ts';
import { UsageCounts } from '../usage.ts';

/**
 * Tap for messages responses, streamed and whole. `message_stop` is the end mark. `ping`, `message_start` and unknown events have
 * no content that a person would see. Deltas are not parsed after the first content, since this runs once per event.
 */
export class MessagesTap implements Tap {
  complete = false;
  id: string | undefined;
  model: string | undefined;
  fault: ProviderFault | undefined;
  contentEvents = 0;
  answer: unknown;
  #finish: string | undefined;
  readonly #counts = new UsageCounts();

  event(event: WireEvent): EventKind {
    switch (eventTypeOf(event, eventNames)) {
      case 'content_block_delta':
        return this.#content(this.contentEvents > 0 || !isEmptyDelta(event.data));
      case 'content_block_start':
        return this.#content(!isEmptyBlock(event.data));
      case 'message_start':
        this.#message(parseObject(event.data)?.['message']);
        return 'meta';
      case 'message_delta':
        return this.#delta(parseObject(event.data) ?? {});
      case 'message_stop':
        this.complete = true;
        return 'end';
      case 'error':
        return this.#fault(event, parseObject(event.data));
      default:
        return this.#untypedEvent(event);
    }
  }

  /** A service in front of the API reports errors in its own form: an object without a type, or a list with such an object. */
  #untypedEvent(event: WireEvent): EventKind {
    const error = offsetOfValue(event.data, 'error') < 0 ? undefined : bareError(event.data);
    return error === undefined ? 'meta' : this.#fault(event, error);
  }

  /** Client libraries select events by name, so they ignore an error in an event with another name. */
  #fault({ name, data }: WireEvent, error: JsonObject | undefined): EventKind {
    this.fault ??= { ...faultInBand(error, data), ...(name === 'error' ? {} : { isUnmarked: true }) };
    return 'fault';
  }

  whole(text: string): ProviderFault | undefined {
    // Numbers in tool calls keep their digits, because the conversion uses what is parsed here.
    const answer = parseObject(text, parseCheckedExact);
    if (answer === undefined) return undefined;
    this.complete = true;
    this.answer = answer;
    if (hasError(answer) && !Array.isArray(answer['content'])) this.fault = faultInBand(answer, text);
    else this.#message(answer);
    return this.fault;
  }

  get usage(): Usage | undefined {
    return this.#counts.usage;
  }

  /** In the provider's format. */
  get finish(): readonly string[] {
    return this.#finish === undefined ? [] : [this.#finish];
  }

  #message(message: unknown): void {
    if (!isJsonObject(message)) return;
    this.id = textOf(message['id']);
    this.model = textOf(message['model']);
    this.#finish = textOf(message['stop_reason']);
    this.#counts.add(message['usage']);
  }

  /** A response that ends without any text is valid, so its stop reason counts as content. */
  #delta({ delta, usage }: JsonObject): EventKind {
    this.#counts.add(usage);
    if (!isJsonObject(delta) || typeof delta['stop_reason'] !== 'string') return 'meta';
    this.#finish = delta['stop_reason'];
    return this.#content(true);
  }

  #content(isContent: boolean): EventKind {
    if (!isContent) return 'meta';
    this.contentEvents += 1;
    return 'content';
  }
}

/** Names of the format's own events. Some services send other names, or none. */
export const eventNames: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
]);

/** Returns an object with an error but without the event type of the format. */
export function bareError(data: string): JsonObject | undefined {
  const object = errorObjectIn(data);
  return object !== undefined && object['type'] === undefined && hasError(object) ? object : undefined;
}

function isEmptyDelta(data: string): boolean {
  const delta = parseObject(data)?.['delta'];
  return !isJsonObject(delta) || Object.entries(delta).every(([key, value]) => key === 'type' || value === '' || value === null);
}

/** Text and thinking blocks begin empty. Any other block has content from its start. */
function isEmptyBlock(data: string): boolean {
  const block = parseObject(data)?.['content_block'];
  if (!isJsonObject(block)) return true;
  const { type } = block;
  return type === 'text' || type === 'thinking' ? !textOf(block['text']) && !textOf(block['thinking']) : false;
}
