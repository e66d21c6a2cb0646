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
  override event(event: WireEvent): EventKind {
    const type = eventTypeOf(event);
    if (type.endsWith('.completed') || event.data.trim() === '[DONE]') {
      const at = offsetOfValue(event.data, 'usage');
      if (at >= 0) this.usage = readUsage(objectAt(event.data, at));
      this.complete = true;
      if (this.contentEvents > 0 || type === '') return 'end';
      // Without partial images this is the first event, and it contains the image.
      this.contentEvents = 1;
      return 'content';
    }
    if (type === 'error' || isBareError(event.data)) {
      this.fault ??= faultInBand(parseObject(event.data), event.data);
      return 'fault';
    }
    if (type === '') return 'meta';
    this.contentEvents += 1;
    return 'content';
  }
}
