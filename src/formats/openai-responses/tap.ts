import type { ProviderFault } from '../../core/error.ts';
import type { WireEvent } from '../../core/events.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { Call } from '../../core/provider.ts';
import type { EventKind, Tap } from '../../core/tap.ts';
import type { Usage } from '../../core/model/usage.ts';
import { hasError, checkedObject, parseObject, textOf } from '../shared/json.ts';
import { faultInBand } from '../openai-chat/fault.ts';
import { readUsage, withTier } from '../shared/usage.ts';

/** Events that open something empty: they carry nothing a person would see. */
const openings: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.output_item.added',
  'response.content_part.added',
  'response.reasoning_summary_part.added',
  'keepalive',
]);

/** Events that end a stream of the responses API, with the whole response in them; there is no `[DONE]`. */
const terminals: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

/** Tells whether usage is reported for the first time. */
type Reports = Pick<Call, 'isFirstReport'>;

/**
 * The responses API, streamed and whole. Only the first event and the terminal one are
 * parsed. A response that failed before anything was seen is a fault, so that the chain can move on; later it is an end.
 */
export class ResponsesTap implements Tap {
  complete = false;
  id: string | undefined;
  model: string | undefined;
  fault: ProviderFault | undefined;
  usage: Usage | undefined;
  finish: readonly string[] = [];
  readonly #reports: Reports;
  /** The response was made by an earlier request, which has counted its tokens where it waited for them. */
  readonly #isStored: boolean;
  #isBackground = false;
  #contentEvents = 0;

  constructor(reports: Reports = {}, isStored = false) {
    this.#reports = reports;
    this.#isStored = isStored;
  }

  /** What is read later is not estimated where it breaks off: it is reported to whoever reads it to its end. */
  get contentEvents(): number {
    return this.#isStored || this.#isBackground ? 0 : this.#contentEvents;
  }

  event(event: WireEvent): EventKind {
    const type = event.name === '' ? typeOf(event.data) : event.name;
    if (terminals.has(type)) return this.#terminal(event.data);
    if (type === 'error') {
      this.fault ??= faultInBand(parseObject(event.data), event.data);
      return 'fault';
    }
    if (openings.has(type)) return this.id === undefined ? this.#opened(event.data) : 'meta';
    if (type === '') return this.#unnamed(event.data);
    this.#contentEvents += 1;
    return 'content';
  }

  /** A whole response. `status: failed` is the format's own way to say so and passes; a bare error object is a fault. */
  whole(text: string): ProviderFault | undefined {
    const answer = checkedObject(text);
    if (answer === undefined) return undefined;
    this.complete = true;
    if (answer['object'] === 'response') this.#read(answer);
    else if (hasError(answer)) this.fault = faultInBand(answer, '');
    else this.#read(answer);
    return this.fault;
  }

  /** Work in the background has begun when it has an id: by it the client finds the rest, and nobody else begins it again. */
  #opened(data: string): EventKind {
    const response = parseObject(data)?.['response'];
    if (!isPlain(response)) return 'meta';
    this.id = textOf(response['id']);
    this.model = textOf(response['model']);
    this.#isBackground = response['background'] === true;
    if (!this.#isBackground) return 'meta';
    this.#contentEvents += 1;
    return 'content';
  }

  /** Services of the format end with the mark of the chat, or break off with its error object. */
  #unnamed(data: string): EventKind {
    if (data.trim() === '[DONE]') {
      this.complete = true;
      return 'end';
    }
    const object = parseObject(data);
    if (object === undefined || !hasError(object)) return 'meta';
    this.fault ??= faultInBand(object, data);
    return 'fault';
  }

  #terminal(data: string): EventKind {
    const response = parseObject(data)?.['response'];
    if (isPlain(response)) this.#read(response);
    this.complete = true;
    if (this.#contentEvents > 0) return 'end';
    if (isPlain(response) && response['status'] === 'failed') {
      this.fault = faultInBand(response, '');
      return 'fault';
    }
    // Nothing came before it: the event itself is the whole answer, and what commits the attempt.
    this.#contentEvents = 1;
    return 'content';
  }

  #read(response: Plain): void {
    this.id = textOf(response['id']) ?? this.id;
    this.model = textOf(response['model']) ?? this.model;
    this.finish = finishOf(response);
    const isBackground = response['background'] === true;
    if (this.#isStored && !isBackground) return;
    const usage = withTier(withSearches(readUsage(response['usage']), response['output']), response['service_tier']);
    if (usage === undefined || (isBackground && this.id !== undefined && this.#reports.isFirstReport?.(this.id) === false)) return;
    this.usage = usage;
  }
}

/** Searches of the service's own tools are paid by the call. */
function withSearches(usage: Usage | undefined, output: unknown): Usage | undefined {
  if (usage === undefined || !Array.isArray(output)) return usage;
  let web = 0;
  let files = 0;
  for (const item of output as unknown[]) {
    if (!isPlain(item)) continue;
    if (item['type'] === 'web_search_call') web += 1;
    if (item['type'] === 'file_search_call') files += 1;
  }
  if (web + files === 0) return usage;
  const details = { ...usage.details, ...(web === 0 ? {} : { web_searches: web }), ...(files === 0 ? {} : { file_searches: files }) };
  return { ...usage, details };
}

/** `completed`, or why it is not complete (`max_output_tokens`, `content_filter`). Objects of other routes have none. */
function finishOf(response: Plain): readonly string[] {
  const details = response['incomplete_details'];
  const reason = (isPlain(details) ? textOf(details['reason']) : undefined) ?? textOf(response['status']);
  return reason === undefined ? [] : [reason];
}

/** The `type` member, which is first on the wire; for framings that lost the event's name. */
function typeOf(data: string): string {
  const quick = /^\{\s*"type"\s*:\s*"([^"\\]*)"/.exec(data)?.[1];
  return quick ?? textOf(parseObject(data)?.['type']) ?? '';
}
