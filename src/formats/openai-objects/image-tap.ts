import type { WireEvent } from '../../core/events.ts';
import type { EventKind } from '../../core/tap.ts';
import { eventTypeOf } from '../shared/response/event-type.ts';
import { JsonTap } from '../shared/response/json-tap.ts';
import { isBareError, objectAt, parseObject, offsetOfValue } from '../shared/json.ts';
import { faultInBand } from '../openai-chat/fault.ts';
import { readUsage } from '../shared/usage.ts';

/**
 * Tap for image generation, streamed (`image_generation.partial_image`, `image_generation.completed`) and whole. An event may
 * contain megabytes of base64, so only its usage is parsed.
 */
export class ImageTap extends JsonTap {
  /** Not in `contentEvents`: no usage can be estimated from them. */
  #hasContent = false;

  override event(event: WireEvent): EventKind {
    const type = eventTypeOf(event);
    if (event.data.trim() === '[DONE]') {
      this.complete = true;
      return 'end';
    }
    if (type.endsWith('.completed')) return this.#completed(event.data);
    if (type === 'error' || isBareError(event.data)) {
      this.fault ??= faultInBand(parseObject(event.data), event.data);
      return 'fault';
    }
    if (type === '') return 'meta';
    this.#hasContent = true;
    return 'content';
  }

  /**
   * An image is complete. The last of several has the usage: it ends the stream, unless it is the first event with content. Without
   * usage, the transport ends the stream.
   */
  #completed(data: string): EventKind {
    const at = offsetOfValue(data, 'usage');
    if (at >= 0) this.usage = readUsage(objectAt(data, at));
    this.complete = true;
    if (at >= 0 && this.#hasContent) return 'end';
    this.#hasContent = true;
    return 'content';
  }
}
