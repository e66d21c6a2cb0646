import type { ProviderFault } from '../../core/error.ts';
import type { WireEvent } from '../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { EventKind, Tap } from '../../core/tap.ts';
import type { Usage } from '../../core/model/usage.ts';
import { checkedObject, indexFrom, objectAt, objectsIn, offsetOfValue, textOf, isSet } from '../shared/json.ts';
import { faultInBand, faultInChoice, isFlatError, objectIn } from './fault.ts';
import { FinishReasons } from '../shared/response/finish-reasons.ts';
import { readUsage, withTier } from '../shared/usage.ts';

const quote = 0x22;
const openBrace = 0x7b;
const zero = 0x30;
const nullStart = 0x6e;

/**
 * Tap for chat completions and legacy completions, streamed and whole. All events are parsed until the first content. Afterwards
 * an event is only searched for the few keys that matter, since this runs once per event. Complete: `[DONE]`, or a finish reason
 * for every choice seen, because some services end without `[DONE]`.
 */
export class ChatTap implements Tap {
  complete = false;
  id: string | undefined;
  model: string | undefined;
  fault: ProviderFault | undefined;
  contentEvents = 0;
  readonly #finish = new FinishReasons();
  /**
   * The last event text that contained a usage object, and the offset of the object. It is parsed on demand, because some
   * services repeat it in every event.
   */
  #usageText: string | undefined;
  #usageAt = 0;
  #usage: Usage | undefined;
  #tier: unknown;

  event(event: WireEvent): EventKind {
    const data = event.data;
    if (data.length < 12 && data.trim() === '[DONE]') {
      this.complete = true;
      return 'end';
    }
    if (this.contentEvents === 0 || mustBeParsed(data)) return this.#read(event);
    if (this.#storeUsage(data) && data.includes('"choices":[]')) return 'meta';
    this.contentEvents += 1;
    return 'content';
  }

  whole(text: string): ProviderFault | undefined {
    const answer = checkedObject(text);
    if (answer === undefined) return undefined;
    this.complete = true;
    this.id = textOf(answer['id']);
    this.model = textOf(answer['model']);
    this.#tier = answer['service_tier'];
    this.#usage = readUsage(answer['usage']);
    const choices = choicesOf(answer);
    for (const [index, choice] of choices.entries()) this.#readChoice(choice, index);
    const isError = isFlatError(answer) || (isSet(answer['error']) && choices.length === 0);
    this.fault = isError ? faultInBand(answer, '') : firstFault(choices);
    return this.fault;
  }

  get usage(): Usage | undefined {
    if (this.#usageText !== undefined) {
      this.#usage = readUsage(objectAt(this.#usageText, this.#usageAt)) ?? this.#usage;
      this.#usageText = undefined;
    }
    return withTier(this.#usage, this.#tier);
  }

  get finish(): readonly string[] {
    return this.#finish.list();
  }

  #read(event: WireEvent): EventKind {
    const chunk = objectIn(event.data) ?? (event.name === 'error' ? {} : undefined);
    if (chunk === undefined) return 'meta';
    this.#storeUsage(event.data);
    const isMarked = isSet(chunk['error']);
    if (isMarked || event.name === 'error' || isFlatError(chunk)) {
      this.fault ??= { ...faultInBand(chunk, event.data), ...(isMarked ? {} : { isUnmarked: true }) };
      return 'fault';
    }
    const own = chunk['x_groq'];
    if (isJsonObject(own) && isSet(own['error'])) {
      this.fault ??= { ...faultInBand(own, event.data), isUnmarked: true };
      return 'fault';
    }
    const choices = choicesOf(chunk);
    if (choices.length > 0) {
      this.id ??= textOf(chunk['id']);
      this.model ??= textOf(chunk['model']);
      this.#tier ??= chunk['service_tier'];
    }
    let content = false;
    for (const [at, choice] of choices.entries()) content = this.#readChoice(choice, at) || content;
    const fault = firstFault(choices);
    if (fault !== undefined) {
      this.fault = { ...fault, isUnmarked: true };
      // The usage of a response with content may follow.
      return this.contentEvents === 0 ? 'fault' : 'end';
    }
    if (this.#finish.isComplete) this.complete = true;
    if (!content) return 'meta';
    this.contentEvents += 1;
    return 'content';
  }

  /** Records one choice. True if it contains content that a person would see, or a finish reason. */
  #readChoice(choice: JsonObject, at: number): boolean {
    const index = indexFrom(choice['index']) ?? at;
    const reason = textOf(choice['finish_reason']);
    this.#finish.set(index, reason);
    return reason !== undefined || isFilled(choice['text']) || hasContent(choice['delta']);
  }

  #storeUsage(data: string): boolean {
    let at = offsetOfValue(data, 'usage');
    while (at >= 0 && data.charCodeAt(at) !== openBrace) at = offsetOfValue(data, 'usage', at);
    if (at < 0) return false;
    this.#usageText = data;
    this.#usageAt = at;
    return true;
  }
}

/** After the first content: true if the event contains a finish reason, an error, or a further choice, or is not a chunk. */
function mustBeParsed(data: string): boolean {
  if (!data.includes('"choices"')) return true;
  for (let at = offsetOfValue(data, 'finish_reason'); at >= 0; at = offsetOfValue(data, 'finish_reason', at)) {
    if (data.charCodeAt(at) === quote) return true;
  }
  const error = offsetOfValue(data, 'error');
  if (error >= 0 && data.charCodeAt(error) !== nullStart) return true;
  for (let at = offsetOfValue(data, 'index'); at >= 0; at = offsetOfValue(data, 'index', at)) {
    const digit = data.charCodeAt(at);
    if (digit > zero && digit <= 0x39 && !data.startsWith('"tool_calls":[{', at - 23)) return true;
  }
  return false;
}

function firstFault(choices: readonly JsonObject[]): ProviderFault | undefined {
  for (const choice of choices) {
    const fault = faultInChoice(choice);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const choicesOf = (object: JsonObject): readonly JsonObject[] => objectsIn(object['choices']);

function hasContent(delta: unknown): boolean {
  if (!isJsonObject(delta)) return false;
  for (const [key, value] of Object.entries(delta)) if (key !== 'role' && key !== 'name' && isFilled(value)) return true;
  return false;
}

function isFilled(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : isSet(value);
}
