import { Buffer } from 'node:buffer';
import type { Provider } from '../../src/core/provider.ts';
import { describe, expect, it } from 'vitest';
import gemini from '../../plugins/providers/gemini/index.ts';
import vertexAi from '../../plugins/providers/vertex-ai/index.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { SseScanner } from '../../src/transport/outbound/framing/sse.ts';
import { chunkProblems, readChatStream } from '../support/chat-chunk.ts';
import { begin, callOf } from './call.ts';
import { type GeminiResponse, responseOf, framesOf, type Json, mergeStream, signaturesOf } from './gemini-oracle.ts';
import { haveRecordings, type Recording, recordings } from './recordings.ts';
import { skipping } from '../support/skipping.ts';

const all = recordings(['vertex-gemini', 'gemini-api']).filter(({ response }) => response.body !== undefined);
const chats = all.filter(({ api }) => api === 'generateContent' || api === 'streamGenerateContent');
const successful = chats.filter(({ response }) => response.status === 200);
const wholeRecordings = successful.filter(({ stream }) => !stream);
const streams = successful.filter(({ stream }) => stream);
const failed = all.filter(({ response }) => response.status >= 400);

/** Recordings that cannot be converted, by id with the reason. There are none. */
const excluded: Readonly<Record<string, string>> = {};

/** Ways to split a stream into chunks. */
const splitters: Readonly<Record<string, (body: Buffer) => readonly Buffer[]>> = {
  'in one piece': (body) => [body],
  'one byte at a time': (body) => Array.from(body, (_, at) => body.subarray(at, at + 1)),
  'inside characters and line ends': (body) => cutAt(body, (byte, next) => byte >= 0xc0 || (byte === 0x0d && next === 0x0a)),
  'behind each line feed': (body) => cutAt(body, (byte) => byte === 0x0a),
};

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))(
  'recorded responses of Gemini',
  () => {
    it('include enough recordings of each kind', () => {
      expect(wholeRecordings.length).toBeGreaterThan(140);
      expect(streams.length).toBeGreaterThan(40);
      expect(failed.length).toBeGreaterThan(5);
      expect(Object.keys(excluded)).toEqual([]);
    });

    it.each(wholeRecordings.map((one) => [one.id, one] as const))('%s: converts the whole response', (_id, exchange) => {
      const raw = JSON.parse(exchange.response.body ?? '') as Json;
      for (const strict of [true, false]) {
        const result = begin(providerOf(exchange), call(exchange, strict)).result?.(exchange.response.body ?? '') as Json;
        expect(result).toMatchObject({ object: 'chat.completion', id: raw['responseId'] ?? 'chatcmpl-req_1', model: raw['modelVersion'] });
        expect(responseOfCompletion(result)).toEqual(comparable(responseOf(raw), strict));
        if (!strict) expect(signaturesIn(result)).toEqual(signaturesOf([raw]));
      }
    });

    it.each(streams.map((one) => [one.id, one] as const))('%s: converts the stream, however it is split into chunks', (_id, exchange) => {
      const frames = framesOf(exchange.response.body ?? '');
      const expected = mergeStream(frames);
      for (const strict of [true, false]) {
        const texts = Object.values(splitters).map((split) => convert(exchange, split(Buffer.from(exchange.response.body ?? '')), strict));
        expect(new Set(texts).size).toBe(1);
        const { chunks, problems, isDone, error } = readChatStream(texts[0] ?? '', strict);
        expect(problems).toEqual([]);
        expect(chunks.flatMap((chunk) => chunkProblems(chunk, strict))).toEqual([]);
        expect([isDone, error]).toEqual([true, undefined]);
        expect(chunks.filter((chunk) => chunk.usage !== undefined)).toHaveLength(1);
        expect(responseOfChunks(chunks as unknown as readonly Json[])).toEqual(comparable(expected, strict));
        if (!strict) expect(signaturesInChunks(chunks as unknown as readonly Json[])).toEqual(signaturesOf(frames));
      }
    });

    it.each(streams.map((one) => [one.id, one] as const))('%s: is incomplete if it is cut before its end', (_id, exchange) => {
      const body = exchange.response.body ?? '';
      const end = body.indexOf('"finishReason"');
      const truncated = body.slice(0, body.lastIndexOf('data:', end));
      const tap = watch(exchange, truncated);
      expect(tap.complete).toBe(false);
      expect(readChatStream(convert(exchange, [Buffer.from(truncated)], true), true).error).toBeDefined();
      const seenWhole = watch(exchange, body);
      const expected = mergeStream(framesOf(body));
      expect(seenWhole.complete).toBe(true);
      expect(seenWhole.finish).toEqual(expected.choices.map(({ finishReason }) => finishReason));
      expect(seenWhole.usage).toMatchObject({ prompt: expected.usage?.prompt, completion: expected.usage?.completion });
    });

    it.each(failed.map((one) => [one.id, one] as const))('%s: reads the error and its message', (_id, exchange) => {
      const { error } = JSON.parse(exchange.response.body ?? '') as { error: { message: string; status: string } };
      for (const text of [exchange.response.body ?? '', `[${exchange.response.body}]`]) {
        const fault = providerOf(exchange).fault(exchange.response.status, text);
        expect(fault.message).toBe(error.message);
        expect(fault.code).toBe(error.status === 'NOT_FOUND' ? 'model_not_found' : error.status);
      }
    });

    const vectors = all.filter(({ api, response }) => (api === 'predict' || api === 'batchEmbedContents') && response.status === 200);
    it.each(vectors.map((one) => [one.id, one] as const))('%s: converts the embeddings', (_id, exchange) => {
      const raw = JSON.parse(exchange.response.body ?? '') as {
        predictions?: { embeddings: { values: number[] } }[];
        embeddings?: { values: number[] }[];
      };
      const values = (raw.predictions?.map((one) => one.embeddings) ?? raw.embeddings ?? []).map((one) => one.values);
      const call = callOf({ endpoint: 'embeddings', model: 'm', settings });
      const result = begin(providerOf(exchange), call).result?.(exchange.response.body ?? '') as { data: { embedding: number[] }[] };
      expect(result.data.map(({ embedding }) => embedding)).toEqual(values);
      expect(values[0]?.length).toBeGreaterThan(100);
    });
  },
);

// ---- conversion -------------------------------------------------------------------------------------

const providerOf = ({ provider }: Recording): Provider => (provider === 'gemini-api' ? gemini : vertexAi);

/** Settings for Vertex AI; the Gemini API needs none. */
const settings: object = { region: 'us-central1', project: 'p1' };

function call(exchange: Recording, strict: boolean) {
  const model = /models\/([^:]+):/.exec(exchange.request.url)?.[1] ?? '';
  return callOf({ model, strict, stream: exchange.stream, includeUsage: true, settings });
}

function convert(exchange: Recording, pieces: readonly Buffer[], strict: boolean): string {
  const scanner = new SseScanner();
  const read = begin(providerOf(exchange), call(exchange, strict)).reader?.();
  const write = openaiDialect.write?.({ strict, includeUsage: true, provider: 'x', model: 'm', id: 'req_1', createdAt: 1 });
  if (read === undefined || write === undefined) throw new Error('nothing converts');
  let text = '';
  const take = (events: ReturnType<SseScanner['push']>['events']): void => {
    for (const event of events) for (const model of read.push(event)) for (const piece of write.push(model)) text += piece;
  };
  for (const piece of pieces) take(scanner.push(piece).events);
  take(scanner.end().events);
  for (const model of read.end()) for (const piece of write.push(model)) text += piece;
  for (const piece of write.end()) text += piece;
  return text;
}

function watch(exchange: Recording, body: string) {
  const scanner = new SseScanner();
  const tap = begin(providerOf(exchange), call(exchange, true)).tap;
  for (const event of [...scanner.push(Buffer.from(body)).events, ...scanner.end().events]) tap.event(event);
  return tap;
}

function cutAt(body: Buffer, isCut: (byte: number, next: number) => boolean): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < body.length; at += 1) {
    if (!isCut(body[at] ?? 0, body[at + 1] ?? 0)) continue;
    pieces.push(body.subarray(from, at + 1));
    from = at + 1;
  }
  return [...pieces, body.subarray(from)];
}

// ---- expected content for the client ----------------------------------------------------------------

/** Thoughts, images and native finish reasons are only sent without strict compliance. */
function comparable(response: GeminiResponse, strict: boolean): GeminiResponse {
  if (!strict) return response;
  return {
    ...response,
    choices: response.choices.map((choice) => ({ ...choice, thinking: '', images: [], native: 0, finishReason: undefined })),
  };
}

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

function responseOfCompletion(result: Json): GeminiResponse {
  const choices = listOf(result['choices']).map((choice) => {
    const message = choice['message'] as Json;
    const blocks = listOf(message['content_blocks']);
    const content = message['content'];
    const ids = listOf(message['tool_calls']).map((one) => one['id']);
    expect(new Set(ids).size).toBe(ids.length);
    return {
      text: Array.isArray(content) ? textOf(content as Json[]) : ((content as string | null) ?? ''),
      thinking: blocks
        .filter((block) => block['type'] === 'thinking')
        .map((block) => block['thinking'])
        .join(''),
      calls: listOf(message['tool_calls']).map((one) => callIn(one['function'] as Json)),
      images: blocks.filter((block) => block['type'] === 'image_url').map((block) => urlOf(block)),
      native: blocks.filter((block) => /code/.test(String(block['type']))).length,
      finish: String(choice['finish_reason']),
      finishReason: choice['native_finish_reason'] as string | undefined,
    };
  });
  return { choices, usage: usageOf(result['usage'] as Json | undefined) };
}

const textOf = (parts: readonly Json[]): string =>
  parts
    .filter((part) => part['type'] === 'text')
    .map((part) => part['text'])
    .join('');
const urlOf = (block: Json): string => String((block['image_url'] as Json)['url']);
const callIn = (fn: Json) => ({ name: String(fn['name']), args: JSON.parse(String(fn['arguments'])) as unknown });

function responseOfChunks(chunks: readonly Json[]): GeminiResponse {
  const indices = [...new Set(chunks.flatMap((chunk) => listOf(chunk['choices']).map((choice) => choice['index'])))];
  const choices = indices.map((index) => {
    const ofChoice = chunks.flatMap((chunk) => listOf(chunk['choices']).filter((choice) => choice['index'] === index));
    const deltas = ofChoice.map((choice) => choice['delta'] as Json);
    const blocks = deltas.flatMap((delta) => listOf(delta['content_blocks']).map((block) => block['delta'] as Json));
    const calls = deltas.flatMap((delta) => listOf(delta['tool_calls']));
    expect(calls.map((one) => one['index'])).toEqual(calls.map((_, at) => at));
    expect(new Set(calls.map((one) => one['id'])).size).toBe(calls.length);
    const last = ofChoice.findLast((choice) => choice['finish_reason'] !== null);
    return {
      text: deltas.map((delta) => delta['content'] ?? '').join(''),
      thinking: blocks.map((block) => block['thinking'] ?? '').join(''),
      calls: calls.map((one) => callIn(one['function'] as Json)),
      images: blocks.filter((block) => block['type'] === 'image_url').map((block) => urlOf(block)),
      native: blocks.filter((block) => /code/.test(String(block['type']))).length,
      finish: String(last?.['finish_reason']),
      finishReason: last?.['native_finish_reason'] as string | undefined,
    };
  });
  return { choices, usage: usageOf(chunks.find((chunk) => chunk['usage'] !== undefined)?.['usage'] as Json | undefined) };
}

function usageOf(usage: Json | undefined): GeminiResponse['usage'] {
  if (usage === undefined) return undefined;
  const prompt = Number(usage['prompt_tokens']);
  const completion = Number(usage['completion_tokens']);
  const cached = Number((usage['prompt_tokens_details'] as Json)['cached_tokens']);
  const reasoning = Number((usage['completion_tokens_details'] as Json)['reasoning_tokens']);
  expect(usage['total_tokens']).toBe(prompt + completion);
  expect(cached).toBeLessThanOrEqual(prompt);
  expect(reasoning).toBeLessThanOrEqual(completion);
  return { prompt, completion, cached, reasoning };
}

function signaturesIn(result: Json): readonly string[] {
  const messages = listOf(result['choices']).map((choice) => choice['message'] as Json);
  const blocks = messages.flatMap((message) => listOf(message['content_blocks']).map((block) => block['signature']));
  const calls = messages.flatMap((message) => listOf(message['tool_calls']).map((one) => (one['function'] as Json)['thought_signature']));
  return [...blocks, ...calls].filter((one): one is string => typeof one === 'string').sort();
}

function signaturesInChunks(chunks: readonly Json[]): readonly string[] {
  const deltas = chunks.flatMap((chunk) => listOf(chunk['choices']).map((choice) => choice['delta'] as Json));
  const blocks = deltas.flatMap((delta) => listOf(delta['content_blocks']).map((block) => (block['delta'] as Json)['signature']));
  const calls = deltas.flatMap((delta) => listOf(delta['tool_calls']).map((one) => (one['function'] as Json)['thought_signature']));
  return [...blocks, ...calls].filter((one): one is string => typeof one === 'string').sort();
}
