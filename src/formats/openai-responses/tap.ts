import type { ProviderFault } from '../../core/error.ts';
import type { WireEvent } from '../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Call } from '../../core/provider.ts';
import type { EventKind, Tap } from '../../core/tap.ts';
import type { Usage } from '../../core/model/usage.ts';
import { hasError, checkedObject, parseObject, textOf, listOf } from '../shared/json.ts';
import { faultInBand, isFlatError } from '../openai-chat/fault.ts';
import { eventTypeOf } from '../shared/response/event-type.ts';
import { readUsage, tokenCount, withTier } from '../shared/usage.ts';

/** Events that open an empty object. They have no content that a person would see. */
const openings: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.output_item.added',
  'response.content_part.added',
  'response.reasoning_summary_part.added',
  'keepalive',
]);

/** Events that end a stream of the responses API. Each contains the whole response. The format has no `[DONE]`. */
const terminals: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

/** The API's event, and another name for it that some services use. */
const errors: ReadonlySet<string> = new Set(['error', 'response.error']);

/** Checks whether the usage of a response is reported for the first time. */
type Reports = Pick<Call, 'isFirstReport'>;

/**
 * Tap for the responses API, streamed and whole. Only the first event and the terminal event are parsed. A stream in which a new
 * response fails is a fault; before any content the next target can be tried. When the response is read later, it is a normal end.
 */
export class ResponsesTap implements Tap {
  complete = false;
  eventCount = 0;
  id: string | undefined;
  model: string | undefined;
  fault: ProviderFault | undefined;
  usage: Usage | undefined;
  finish: readonly string[] = [];
  readonly #reports: Reports;
  /** True if an earlier request created the response. That request already counted its tokens, if it waited for them. */
  readonly #isStored: boolean;
  #isBackground = false;
  #contentEvents = 0;

  constructor(reports: Reports = {}, isStored = false) {
    this.#reports = reports;
    this.#isStored = isStored;
  }

  /**
   * 0 for stored and background responses: an interrupted stream of them is not estimated, because the usage is reported to the
   * client that reads the response to its end.
   */
  get contentEvents(): number {
    return this.#isStored || this.#isBackground ? 0 : this.#contentEvents;
  }

  event(event: WireEvent): EventKind {
    const kind = this.#kindOf(event);
    if (kind !== 'fault') this.eventCount += 1;
    return kind;
  }

  #kindOf(event: WireEvent): EventKind {
    const type = eventTypeOf(event);
    if (terminals.has(type)) return this.#terminal(event.data);
    if (errors.has(type)) {
      this.fault ??= faultInBand(parseObject(event.data), event.data);
      return 'fault';
    }
    if (openings.has(type)) return this.id === undefined ? this.#readStart(event.data) : 'meta';
    if (!type.startsWith('response.')) return this.#unnamed(event.data);
    this.#contentEvents += 1;
    return 'content';
  }

  /** Reads a whole response. `status: failed` is the format's own failure report and is passed on; a bare error object is a fault. */
  whole(text: string): ProviderFault | undefined {
    const answer = checkedObject(text);
    if (answer === undefined) return undefined;
    this.complete = true;
    if (answer['object'] !== 'response' && hasError(answer)) this.fault = faultInBand(answer, '');
    else this.#read(answer);
    return this.fault;
  }

  /**
   * A background response counts as started once it has an id: the client reads the rest by this id, and another target must not
   * start the work again.
   */
  #readStart(data: string): EventKind {
    const response = parseObject(data)?.['response'];
    if (!isJsonObject(response)) return 'meta';
    this.id = textOf(response['id']);
    this.model = textOf(response['model']);
    this.#isBackground = response['background'] === true;
    if (!this.#isBackground) return 'meta';
    this.#contentEvents += 1;
    return 'content';
  }

  /** Some services of this format end a stream with `[DONE]` of the chat format, or with one of its error objects. */
  #unnamed(data: string): EventKind {
    if (data.trim() === '[DONE]') {
      this.complete = true;
      return 'end';
    }
    const object = parseObject(data);
    if (object === undefined) return 'meta';
    const isUnmarked = isFlatError(object);
    if (!isUnmarked && !hasError(object)) return 'meta';
    this.fault ??= { ...faultInBand(object, data), ...(isUnmarked ? { isUnmarked } : {}) };
    return 'fault';
  }

  #terminal(data: string): EventKind {
    const response = parseObject(data)?.['response'];
    if (isJsonObject(response)) this.#read(response);
    this.complete = true;
    if (!this.#isStored && isJsonObject(response) && response['status'] === 'failed') {
      this.fault = faultInBand(response, '');
      return 'fault';
    }
    if (this.#contentEvents > 0) return 'end';
    // No content came before: this event is the whole response, and it commits the attempt.
    this.#contentEvents = 1;
    return 'content';
  }

  #read(response: JsonObject): void {
    this.id = textOf(response['id']) ?? this.id;
    this.model = textOf(response['model']) ?? this.model;
    this.finish = finishOf(response);
    const isBackground = response['background'] === true;
    if (this.#isStored && !isBackground) return;
    const usage = withTier(withToolCalls(readUsage(response['usage']), response), response['service_tier']);
    if (usage === undefined || (isBackground && this.id !== undefined && this.#reports.isFirstReport?.(this.id) === false)) return;
    this.usage = usage;
  }
}

/**
 * Adds what the service's built-in tools did: searches, which are charged per call, containers, which are charged per session,
 * and images, which another model generated.
 */
function withToolCalls(usage: Usage | undefined, { output, tool_usage: toolUsage }: JsonObject): Usage | undefined {
  if (usage === undefined) return usage;
  let web = 0;
  let files = 0;
  let images = 0;
  const containers = new Set<string>();
  for (const item of listOf(output)) {
    if (!isJsonObject(item)) continue;
    if (item['type'] === 'web_search_call' && isSearch(item['action'])) web += 1;
    if (item['type'] === 'file_search_call') files += 1;
    if (item['type'] === 'image_generation_call') images += 1;
    const container = containerOf(item);
    if (container !== undefined) containers.add(container);
  }
  const imageTokens = imageTokensOf(toolUsage);
  // A call that failed used no tokens. Of a response that was too large to hold, only the tokens are known.
  if (imageTokens !== undefined) images = imageTokens === 0 ? 0 : Math.max(1, images);
  if (web + files + images + containers.size === 0) return usage;
  const details = {
    ...usage.details,
    ...(web === 0 ? {} : { web_searches: web }),
    ...(files === 0 ? {} : { file_searches: files }),
    ...(images === 0 ? {} : { tool_images: images }),
    ...(containers.size === 0 ? {} : { containers: containers.size }),
  };
  return { ...usage, details };
}

/** The id of the container in which a call ran code; empty if the service does not report it. A local shell has none. */
function containerOf(item: JsonObject): string | undefined {
  if (item['type'] === 'code_interpreter_call') return textOf(item['container_id']) ?? '';
  const environment = item['type'] === 'shell_call' ? item['environment'] : undefined;
  return isJsonObject(environment) ? textOf(environment['container_id']) : undefined;
}

/** The tokens of image generation, which are not part of the usage; undefined if the service does not report them. */
function imageTokensOf(toolUsage: unknown): number | undefined {
  const images = isJsonObject(toolUsage) ? toolUsage['image_gen'] : undefined;
  return isJsonObject(images) ? tokenCount(images['total_tokens']) : undefined;
}

/** Opening a page and searching in a page are not charged as searches (OpenAI docs, "Web search", output and citations). */
const isSearch = (action: unknown): boolean => !isJsonObject(action) || (textOf(action['type']) ?? 'search') === 'search';

/** `completed`, or the reason why the response is incomplete (`max_output_tokens`, `content_filter`). Objects of other routes have none. */
function finishOf(response: JsonObject): readonly string[] {
  const details = response['incomplete_details'];
  const reason = (isJsonObject(details) ? textOf(details['reason']) : undefined) ?? textOf(response['status']);
  return reason === undefined ? [] : [reason];
}
