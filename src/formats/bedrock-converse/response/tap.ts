import type { ProviderFault } from '../../../core/error.ts';
import type { WireEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Usage } from '../../../core/model/usage.ts';
import type { EventKind, Tap } from '../../../core/tap.ts';
import { parseCheckedExact } from '../../../core/json/scan.ts';
import { parseObject, textOf } from '../../shared/json.ts';
import { faultIn, faultOfEvent, isFault } from '../fault.ts';
import { finishFault } from './finish.ts';
import { converseUsage } from './usage.ts';

/**
 * Tap for Converse responses, streamed and whole. The message ends with `messageStop`, and `metadata` with the usage is the last
 * event. Deltas are not parsed after the first content.
 */
export class ConverseTap implements Tap {
  complete = false;
  fault: ProviderFault | undefined;
  contentEvents = 0;
  answer: unknown;
  usage: Usage | undefined;
  /** In the provider's format. */
  finish: readonly string[] = [];
  readonly model = undefined;
  readonly id = undefined;

  event(event: WireEvent): EventKind {
    switch (event.name) {
      case 'contentBlockDelta':
        return this.#content(this.contentEvents > 0 || !isEmptyDelta(event.data));
      case 'contentBlockStart':
        return this.#content(true);
      case 'messageStop':
        this.complete = true;
        this.#finished(parseObject(event.data) ?? {});
        // If there is a fault, wait for the usage, which follows.
        return this.fault === undefined ? this.#content(true) : 'meta';
      case 'metadata':
        this.usage = converseUsage(parseObject(event.data) ?? {});
        if (this.fault !== undefined) return 'fault';
        return this.complete ? 'end' : 'meta';
      default:
        if (!isFault(event)) return 'meta';
        this.fault ??= faultOfEvent(event);
        return 'fault';
    }
  }

  whole(text: string): ProviderFault | undefined {
    // Numbers in tool calls keep their digits, because the conversion uses what is parsed here.
    const answer = parseObject(text, parseCheckedExact);
    if (answer === undefined) return undefined;
    this.complete = true;
    this.answer = answer;
    if (isJsonObject(answer['output'])) {
      this.usage = converseUsage(answer);
      this.#finished(answer);
    } else this.fault = faultIn(answer);
    return this.fault;
  }

  #finished(holder: JsonObject): void {
    const reason = textOf(holder['stopReason']);
    if (reason !== undefined) this.finish = [reason];
    this.fault ??= finishFault(reason);
  }

  #content(isContent: boolean): EventKind {
    if (!isContent) return 'meta';
    this.contentEvents += 1;
    return 'content';
  }
}

/** Some models begin with an empty delta. */
function isEmptyDelta(data: string): boolean {
  const delta = parseObject(data)?.['delta'];
  return !isJsonObject(delta) || Object.values(delta).every((value) => value === '');
}
