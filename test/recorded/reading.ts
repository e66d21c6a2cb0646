import { createParser } from 'eventsource-parser';
import type { UsageRecord } from '../../src/core/records/record.ts';
import type { Recorded } from './exchanges.ts';

/**
 * An independent parser of recorded responses: simple, and it parses everything. It returns what the record of the
 * request must contain.
 */
export interface Reading {
  readonly model: string | null;
  readonly finish: readonly string[];
  /** Undefined if the provider reported none. */
  readonly usage: UsageRecord | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** The events of a stream, read by the library's parser. */
export function eventsOf(text: string): readonly { readonly event: string | undefined; readonly data: string }[] {
  const events: { event: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  parser.feed(text);
  return events;
}

export function readingOf(exchange: Recorded): Reading {
  const body = exchange.response.body ?? '';
  return exchange.stream ? ofStream(exchange.api, body) : ofWhole(exchange.api, JSON.parse(body) as Json);
}

function ofWhole(api: string, body: Json): Reading {
  const isResponse = api.startsWith('responses') && body['object'] === 'response';
  return {
    model: textOr(body['model'], null),
    finish: isResponse ? [statusOf(body)] : choicesOf(body).map((choice) => String(choice['finish_reason'])),
    // The request that created a stored response has counted its usage.
    usage: api === 'responses.retrieve' && body['background'] !== true ? undefined : usageOf(body['usage']),
  };
}

function ofStream(api: string, text: string): Reading {
  const objects = eventsOf(text)
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as Json);
  if (api === 'responses') {
    const last = objects.findLast(({ type }) => ['response.completed', 'response.incomplete', 'response.failed'].includes(String(type)));
    const response = (last?.['response'] ?? {}) as Json;
    return { model: textOr(response['model'], null), finish: [statusOf(response)], usage: usageOf(response['usage']) };
  }
  const finish = new Map<unknown, string>();
  for (const choice of objects.flatMap(choicesOf)) {
    if (typeof choice['finish_reason'] === 'string') finish.set(choice['index'], choice['finish_reason']);
  }
  return {
    model: textOr(objects.find((one) => choicesOf(one).length > 0 && one['model'] !== '')?.['model'], null),
    finish: [...finish].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, reason]) => reason),
    usage: usageOf(objects.map(usageIn).findLast((usage) => usage !== null && usage !== undefined)),
  };
}

const choicesOf = (object: Json): readonly Json[] => (object['choices'] ?? []) as readonly Json[];
const textOr = (value: unknown, otherwise: string | null): string | null => (typeof value === 'string' ? value : otherwise);
const statusOf = (response: Json): string => String((response['incomplete_details'] as Json | null)?.['reason'] ?? response['status']);

/** Groq reports usage beside its own id. */
const usageIn = (object: Json): unknown => object['usage'] ?? (object['x_groq'] as Json | undefined)?.['usage'];

function usageOf(value: unknown): UsageRecord | undefined {
  if (value === undefined || value === null) return undefined;
  const usage = value as Readonly<Record<string, number>>;
  const input = (value as Json)['prompt_tokens_details'] ?? (value as Json)['input_tokens_details'];
  const output = (value as Json)['completion_tokens_details'] ?? (value as Json)['output_tokens_details'];
  const detail = (of: unknown, name: string): number => ((of ?? {}) as Readonly<Record<string, number | null>>)[name] ?? 0;
  const prompt = usage['prompt_tokens'] ?? usage['input_tokens'] ?? 0;
  const completion = usage['completion_tokens'] ?? usage['output_tokens'] ?? 0;
  // Gemini's chat route has no details, and includes thinking tokens in the total.
  const thoughts = input === undefined && output === undefined ? Math.max(0, (usage['total_tokens'] ?? 0) - prompt - completion) : 0;
  return {
    prompt,
    completion: completion + thoughts,
    // The name of this field at DeepSeek.
    cached: detail(input, 'cached_tokens') || (usage['prompt_cache_hit_tokens'] ?? 0),
    cache_write: detail(input, 'cache_write_tokens'),
    reasoning: detail(output, 'reasoning_tokens') + thoughts,
    audio_in: detail(input, 'audio_tokens'),
    audio_out: detail(output, 'audio_tokens'),
    source: 'reported',
  };
}
