import { Buffer } from 'node:buffer';
import type { Endpoint } from '../../src/core/endpoint.ts';
import type { Tap } from '../../src/core/tap.ts';
import type { Usage } from '../../src/core/model/usage.ts';
import { describe, expect, it } from 'vitest';
import openai from '../../plugins/providers/openai/index.ts';
import { SseScanner } from '../../src/transport/outbound/framing/sse.ts';
import { begin, callOf } from './call.ts';
import { haveRecordings, type Recording, recordings } from './recordings.ts';
import { skipping } from '../support/skipping.ts';

/** Providers whose recordings use the format that is forwarded unchanged. */
const speakers = [
  'openai',
  'azure-openai',
  'groq',
  'mistral',
  'openrouter',
  'deepseek',
  'databricks',
  'huggingface',
  'cerebras',
  'xai',
  'workers-ai',
];

const endpointOf: Readonly<Record<string, Endpoint>> = {
  'chat.completions': 'chat/completions',
  completions: 'completions',
  embeddings: 'embeddings',
  responses: 'responses',
  images: 'images/generations',
};

interface TapReading {
  readonly usage: Usage | undefined;
  readonly finish: readonly string[];
  readonly model: string | undefined;
  readonly id: string | undefined;
}

type Json = Record<string, unknown>;

const exchanges = recordings(speakers).filter(({ api, response }) => endpointOf[api] !== undefined && response.body !== undefined);
const successful = exchanges.filter(({ response }) => response.status === 200);
const faulty = successful.filter(({ features }) => features.includes('error_in_stream'));
/** An error object with status 200, as some services send it. */
const errorUnder200 = successful.filter(({ stream, response }) => !stream && /^\s*\{\s*"error"\s*:\s*\{/.test(response.body ?? ''));
const wholeRecordings = successful.filter((exchange) => !exchange.stream && !errorUnder200.includes(exchange));
const streams = successful.filter((exchange) => exchange.stream && !faulty.includes(exchange));

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))(
  'tap of recorded responses',
  () => {
    it('has enough recordings of each kind', () => {
      expect(wholeRecordings.length).toBeGreaterThan(400);
      expect(streams.length).toBeGreaterThan(200);
      expect(faulty.length).toBeGreaterThan(1);
    });

    it.each(speakers)('reads whole responses of %s like an independent reader', (provider) => {
      for (const exchange of wholeRecordings.filter((one) => one.provider === provider)) {
        const tap = tapOf(exchange);
        expect(tap.whole(exchange.response.body ?? ''), exchange.id).toBeUndefined();
        expect(tap.complete, exchange.id).toBe(true);
        expect(seenBy(tap), exchange.id).toEqual(readWhole(exchange));
      }
    });

    it.each(speakers)('reads streams of %s like an independent reader', (provider) => {
      for (const exchange of streams.filter((one) => one.provider === provider)) {
        const { tap, kinds } = replayTap(exchange);
        expect(tap.fault, exchange.id).toBeUndefined();
        expect(tap.complete, exchange.id).toBe(true);
        expect(seenBy(tap), exchange.id).toEqual(readStream(exchange));
        expect(kinds, exchange.id).toContain('content');
        expect(kinds.indexOf('content'), exchange.id).toBe(firstContent(exchange));
      }
    });

    it('is incomplete if the stream is cut before its end', () => {
      for (const exchange of streams) {
        const body = exchange.response.body ?? '';
        const end = Math.min(
          ...['"finish_reason":"', '"finish_reason": "', 'event: response.completed', 'event: response.incomplete'].map((mark) =>
            at(body, mark),
          ),
        );
        const { tap } = replayTap({
          ...exchange,
          response: { ...exchange.response, body: body.slice(0, body.lastIndexOf('\n\n', end) + 2) },
        });
        expect(tap.complete, exchange.id).toBe(false);
      }
    });

    it('reports an error object with status 200 as a fault', () => {
      expect(errorUnder200.length).toBeGreaterThan(0);
      for (const exchange of errorUnder200) {
        const { error } = JSON.parse(exchange.response.body ?? '') as { error: { message: string } };
        expect(tapOf(exchange).whole(exchange.response.body ?? '')?.message, exchange.id).toBe(error.message);
      }
    });

    it.each(faulty.map((exchange) => [exchange.id, exchange] as const))('%s: reports the error in the stream', (_id, exchange) => {
      const { tap, kinds } = replayTap(exchange);
      const error = events(exchange).find((event) => event['error'] !== undefined)?.['error'] as { message: string };
      expect(kinds).toContain('fault');
      expect(tap.fault?.message).toBe(error.message);
    });

    it.each(exchanges.filter(({ response }) => response.status >= 400).map((exchange) => [exchange.id, exchange] as const))(
      '%s: reads the error and its message',
      (_id, exchange) => {
        const body = JSON.parse(exchange.response.body ?? '') as {
          error?: { message?: string } | string;
          message?: string;
          detail?: string;
        };
        const error = typeof body.error === 'object' ? body.error.message : body.error;
        const fault = openai.fault(exchange.response.status, exchange.response.body ?? '');
        expect(fault.message).toBe(error ?? body.message ?? body.detail);
      },
    );
  },
);

const at = (text: string, mark: string): number => (text.includes(mark) ? text.indexOf(mark) : text.length);

function tapOf({ api }: Recording): Tap {
  const endpoint = endpointOf[api] ?? 'chat/completions';
  return begin(openai, callOf({ endpoint })).tap;
}

function replayTap(exchange: Recording): { readonly tap: Tap; readonly kinds: readonly string[] } {
  const tap = tapOf(exchange);
  const scanner = new SseScanner();
  const scanned = [...scanner.push(Buffer.from(exchange.response.body ?? '')).events, ...scanner.end().events];
  return { tap, kinds: scanned.map((event) => tap.event(event)) };
}

/** Units that matter only for prices have separate tests. */
const seenBy = ({ usage, finish, model, id }: Tap): TapReading => {
  if (usage === undefined) return { usage, finish, model, id };
  const { details: _details, ...counts } = usage;
  return { usage: counts, finish, model, id };
};

// ---- the independent reader: it parses everything, without optimization ------------------------------

function events({ response }: Recording): readonly Json[] {
  return (response.body ?? '')
    .split(/\r?\n\r?\n/)
    .map((block) =>
      block
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5))
        .join('\n')
        .trim(),
    )
    .filter((data) => data !== '')
    .map((data) => (data === '[DONE]' ? {} : (JSON.parse(data) as Json)));
}

const choices = (object: Json): readonly Json[] => (object['choices'] ?? []) as Json[];

function readWhole(exchange: Recording): TapReading {
  const body = JSON.parse(exchange.response.body ?? '') as Json;
  const finish = exchange.api === 'responses' ? [statusOf(body)] : choices(body).map((choice) => String(choice['finish_reason']));
  return {
    usage: plainUsage(body['usage']),
    finish,
    model: body['model'] as string | undefined,
    id: body['id'] as string | undefined,
  };
}

function readStream(exchange: Recording): TapReading {
  const list = events(exchange);
  if (exchange.api === 'responses') {
    const last = list.findLast((event) => ['response.completed', 'response.incomplete'].includes(String(event['type'])))?.[
      'response'
    ] as Json;
    return { usage: plainUsage(last['usage']), finish: [statusOf(last)], model: String(last['model']), id: String(last['id']) };
  }
  const finish = new Map<unknown, string>();
  for (const event of list)
    for (const choice of choices(event))
      if (typeof choice['finish_reason'] === 'string') finish.set(choice['index'], choice['finish_reason']);
  const usage = list
    .map((event) => event['usage'] ?? (event['x_groq'] as Json | undefined)?.['usage'])
    .findLast((one) => one !== undefined && one !== null);
  const withChoices = list.filter((event) => choices(event).length > 0);
  const first = (key: string): string | undefined =>
    withChoices.map((event) => event[key] as string).find((value) => value !== '' && value !== undefined);
  return { usage: plainUsage(usage), finish: [...finish.values()], model: first('model'), id: first('id') };
}

/** Index of the first event with content; roles, filters, opening events and empty texts have none. */
function firstContent(exchange: Recording): number {
  if (exchange.api === 'responses') {
    return events(exchange).findIndex(
      (event) =>
        !/^response\.(?:created|queued|in_progress|output_item\.added|content_part\.added|reasoning_summary_part\.added)$/.test(
          String(event['type']),
        ),
    );
  }
  const isPresent = (value: unknown): boolean => value !== null && value !== undefined && value !== '' && JSON.stringify(value) !== '[]';
  return events(exchange).findIndex((event) =>
    choices(event).some((choice) => {
      const { role: _role, name: _name, ...delta } = (choice['delta'] ?? { text: choice['text'] }) as Json;
      return isPresent(choice['finish_reason']) || Object.values(delta).some(isPresent);
    }),
  );
}

const statusOf = (response: Json): string => String((response['incomplete_details'] as Json | null)?.['reason'] ?? response['status']);

function plainUsage(value: unknown): Usage | undefined {
  if (value === undefined || value === null) return undefined;
  const usage = value as Json;
  const input = (usage['prompt_tokens_details'] ?? usage['input_tokens_details'] ?? {}) as Json;
  const output = (usage['completion_tokens_details'] ?? usage['output_tokens_details'] ?? {}) as Json;
  const all: Record<string, unknown> = {
    prompt: usage['prompt_tokens'] ?? usage['input_tokens'],
    completion: usage['completion_tokens'] ?? usage['output_tokens'] ?? 0,
    cached: input['cached_tokens'] ?? usage['prompt_cache_hit_tokens'],
    cacheWrite: input['cache_write_tokens'],
    reasoning: output['reasoning_tokens'],
    audioIn: input['audio_tokens'],
    audioOut: output['audio_tokens'],
  };
  return Object.fromEntries(Object.entries(all).filter(([, count]) => typeof count === 'number')) as unknown as Usage;
}
