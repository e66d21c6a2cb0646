import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';
import {
  type Exchange,
  exchanges,
  framesOf,
  type Json,
  missing,
  modelOf,
  type Reading,
  readingOf,
  type Replay,
  startReplay,
} from './replayed.ts';

/** Every recorded response through the whole gateway, split at awkward positions, as the official libraries parse it. */

const successful = exchanges.filter(({ response }) => response.status === 200);
const ofApi = (...apis: readonly string[]): readonly (readonly [string, Exchange])[] =>
  successful.filter(({ api }) => apis.includes(api)).map((one) => [one.id, one] as const);
const isClaude = (exchange: Exchange): boolean =>
  modelOf(exchange).includes('anthropic.claude-') && exchange.request.body?.['messages'] !== undefined;

let replay: Replay;
let gateway: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;

/** How responses are split: as recorded, and in chunks of this many bytes. */
const chunkSizes = [0, 3, 61] as const;
const slugOf = (id: string, chunkSize: number): string => `${id}-${chunkSize}`;

beforeAll(async () => {
  replay = await startReplay();
  const providers = Object.fromEntries(
    exchanges.flatMap(({ id }) =>
      chunkSizes.map((chunkSize) => {
        const path = `${replay.url}/x/${id}${chunkSize === 0 ? '' : `,split=${chunkSize}`}`;
        return [slugOf(id, chunkSize), { type: 'bedrock', api_key: 'bedrock-api-key-0123456789', custom_host: path }];
      }),
    ),
  );
  gateway = await startTestGateway(JSON.stringify({ version: 1, providers }));
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'x', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: 'x', maxRetries: 0 });
});
afterAll(async () => {
  await gateway?.close();
  await replay?.close();
});

const question = [{ role: 'user' as const, content: 'Hi' }];
const headersFor = (id: string, chunkSize: number) => ({
  headers: {
    'x-gateway-provider': `@${slugOf(id, chunkSize)}`,
    'x-gateway-reasoning-content': 'true',
    'x-gateway-strict-compliance': 'false',
  },
});

const finishes: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
};

function expectRead(
  message: OpenAI.ChatCompletionMessage,
  usage: OpenAI.CompletionUsage | undefined,
  finish: string | null,
  expected: Reading,
): void {
  expect(message.content ?? '').toBe(expected.text);
  expect((message as { reasoning_content?: string }).reasoning_content ?? '').toBe(expected.thoughts);
  const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
  expect(calls.map((call) => ({ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }))).toEqual(
    expected.tools,
  );
  expect([usage?.prompt_tokens, usage?.completion_tokens, usage?.prompt_tokens_details?.cached_tokens]).toEqual(expected.usage);
  expect(finish).toBe(finishes[expected.stop]);
}

describe.skipIf(skipping(missing))('recorded responses of Converse', () => {
  it('include the expected number of recordings', () => {
    expect(ofApi('converse').length).toBe(39);
    expect(ofApi('converse-stream').length).toBe(14);
  });

  it.each(ofApi('converse'))('are returned as chat completions: %s', async (id, exchange) => {
    for (const chunkSize of chunkSizes) {
      const { data, response } = await openai.chat.completions
        .create({ model: modelOf(exchange), messages: question }, headersFor(id, chunkSize))
        .withResponse();
      const [choice] = data.choices;
      expectRead(choice?.message as OpenAI.ChatCompletionMessage, data.usage, choice?.finish_reason ?? null, readingOf(exchange));
      expect(choice).toMatchObject({ native_finish_reason: readingOf(exchange).stop });
      const record = await gateway.record(response.headers.get('x-request-id'));
      expect(record.usage).toMatchObject({ prompt: readingOf(exchange).usage[0], completion: readingOf(exchange).usage[1] });
    }
    expect(replay.seen(id).requests.map(({ path }) => path)).toEqual(
      chunkSizes.map(() => `/model/${encodeURIComponent(modelOf(exchange))}/converse`),
    );
  });

  it.each(ofApi('converse-stream'))('are returned as chat completion streams: %s', async (id, exchange) => {
    for (const chunkSize of chunkSizes) {
      const stream = openai.chat.completions.stream(
        { model: modelOf(exchange), messages: question, stream_options: { include_usage: true } },
        headersFor(id, chunkSize),
      );
      const thoughts: string[] = [];
      stream.on('chunk', (chunk) =>
        thoughts.push(String((chunk.choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '')),
      );
      const { choices, usage } = await stream.finalChatCompletion();
      const message = { ...choices[0]?.message, reasoning_content: thoughts.join('') } as unknown as OpenAI.ChatCompletionMessage;
      expectRead(message, usage, choices[0]?.finish_reason ?? null, readingOf(exchange));
    }
  });
});

describe.skipIf(skipping(missing))('recorded responses of InvokeModel', () => {
  const claude = ofApi('invoke').filter(([, one]) => isClaude(one) && !modelOf(one).includes('claude-v2'));
  const streams = ofApi('invoke-with-response-stream').filter(([, one]) => isClaude(one));

  it('include the expected number of recordings', () => {
    expect([claude.length, streams.length]).toEqual([7, 12]);
  });

  it.each(claude)('are returned as messages: %s', async (id, exchange) => {
    for (const chunkSize of chunkSizes) {
      const { stream: _stream, anthropic_version: _version, ...body } = exchange.request.body ?? {};
      const params = { ...body, model: modelOf(exchange) } as unknown as Anthropic.MessageCreateParamsNonStreaming;
      const message = await anthropic.messages.create(params, headersFor(id, chunkSize));
      expect(message).toMatchObject(JSON.parse(exchange.response.body ?? '') as Json);
    }
    expectSent(id, exchange, 'invoke');
  });

  it.each(streams)('are returned as message streams: %s', async (id, exchange) => {
    const expected = framesOf(exchange).map(([, { bytes }]) => JSON.parse(Buffer.from(String(bytes), 'base64').toString()) as Json);
    for (const chunkSize of chunkSizes) {
      const { anthropic_version: _version, ...body } = exchange.request.body ?? {};
      const params = { ...body, model: modelOf(exchange), stream: true } as unknown as Anthropic.MessageCreateParamsStreaming;
      const { data, response } = await anthropic.messages.create(params, headersFor(id, chunkSize)).withResponse();
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const events: unknown[] = [];
      for await (const event of data) events.push(event);
      expect(events).toEqual(expected.filter(({ type }) => type !== 'ping'));
    }
    expectSent(id, exchange, 'invoke-with-response-stream');
  });
});

/** The body of the client with the model in the path and the version in the body. */
function expectSent(id: string, exchange: Exchange, action: string): void {
  const [first] = replay.seen(id).requests;
  expect(first?.path).toBe(`/model/${encodeURIComponent(modelOf(exchange))}/${action}`);
  const sent = JSON.parse(Buffer.from(first?.body_base64 ?? '', 'base64').toString()) as Json;
  expect(sent).toEqual({ ...exchange.request.body, anthropic_version: 'bedrock-2023-05-31' });
}

describe.skipIf(skipping(missing))('other recorded responses', () => {
  it('include a token count, which is returned unchanged', async () => {
    const [[id, exchange] = ['', undefined]] = ofApi('count-tokens');
    const params = { model: 'us.anthropic.claude-sonnet-4-20250514-v1:0', messages: question };
    const count = await anthropic.messages.countTokens(params, headersFor(id, 0));
    expect(count).toEqual({ input_tokens: 19 });
    const [received] = replay.seen(id).requests;
    expect(received?.path).toBe(`/model/${encodeURIComponent(modelOf(exchange as Exchange))}/count-tokens`);
    const { input } = JSON.parse(Buffer.from(received?.body_base64 ?? '', 'base64').toString()) as {
      input: { invokeModel: { body: string } };
    };
    expect(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString())).toEqual({
      messages: question,
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 1,
    });
  });

  it.each(exchanges.filter(({ response }) => response.status >= 400).map((one) => [one.id, one] as const))(
    'are returned as error for %s',
    async (id, exchange) => {
      const { message } = JSON.parse(exchange.response.body ?? '') as { message: string };
      const isInvoke = exchange.api.startsWith('invoke');
      const model = isInvoke ? 'anthropic.claude-x' : 'm';
      const stream = exchange.api.includes('stream');
      const run = isInvoke
        ? anthropic.messages.create({ model, messages: question, max_tokens: 9, stream }, headersFor(id, 0))
        : openai.chat.completions.create({ model, messages: question, stream }, headersFor(id, 0));
      await expect(run).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) as string });
    },
  );
});
