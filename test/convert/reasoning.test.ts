import { createHash } from 'node:crypto';
import type { WireEvent } from '../../src/core/events.ts';
import type { Provider } from '../../src/core/provider.ts';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { SseScanner } from '../../src/transport/outbound/framing/sse.ts';
import { read, wantedOf } from '../anthropic/oracle.ts';
import { successful } from '../anthropic/recorded.ts';
import { events, message, thoughts } from '../anthropic/sdk-upstream.ts';
import { begin, callOf } from '../contract/call.ts';
import { responseOf, framesOf, type Json, mergeStream } from '../contract/gemini-oracle.ts';
import { haveRecordings, type Recording, recordings } from '../contract/recordings.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';
import { skipping } from '../support/skipping.ts';

/** A recorded response, and its thoughts according to an independent reader. */
type Row = readonly [id: string, exchange: Recording, provider: Provider, thoughts: string];

const bodyOf = (exchange: Recording): string => exchange.response.body ?? '';
const ofMessages = (exchange: Recording): string =>
  [...wantedOf(read(exchange)).thinking.values()].map(({ thinking }) => thinking).join('');
const ofGemini = (exchange: Recording): string =>
  (exchange.stream ? mergeStream(framesOf(bodyOf(exchange))) : responseOf(JSON.parse(bodyOf(exchange)) as Json)).choices
    .map(({ thinking }) => thinking)
    .join('');

const generated = recordings(['vertex-gemini', 'gemini-api']).filter(
  ({ api, response }) => response.status === 200 && response.body !== undefined && /generateContent$/i.test(api),
);
const rows: readonly Row[] = [
  ...successful.map((exchange): Row => [exchange.id, exchange, anthropic, ofMessages(exchange)]),
  ...generated.map((exchange): Row => [exchange.id, exchange, gemini, ofGemini(exchange)]),
];
const thoughtful = rows.filter(([, , , text]) => text !== '');

/** The thoughts as a client joins them, and the rest of the response. */
interface ReasoningResult {
  readonly reasoning: string;
  /** The same response without the field. */
  readonly rest: string;
}

function shownIn(objects: readonly Json[]): ReasoningResult {
  let reasoning = '';
  const rest = JSON.stringify(objects, (key, value: unknown) => {
    if (key !== 'reasoning_content') return value;
    reasoning += String(value);
    return undefined;
  });
  return { reasoning, rest };
}

interface CallOptions {
  readonly strict: boolean;
  readonly showsReasoning: boolean;
}

const asCall = (options: CallOptions) => ({ ...options, includeUsage: true, provider: 'p', model: 'model-1', id: 'req_1', createdAt: 1 });

function convertWhole([, exchange, provider]: Row, options: CallOptions): ReasoningResult {
  const result = begin(provider, callOf({ ...options, settings: {} })).result?.(bodyOf(exchange));
  return shownIn([JSON.parse(openaiDialect.answer?.(result, asCall(options)) ?? '') as Json]);
}

function streamed([, exchange, provider]: Row, options: CallOptions, size: number): ReasoningResult {
  const translate = begin(provider, callOf({ ...options, settings: {}, stream: true })).reader?.();
  const write = openaiDialect.write?.(asCall(options));
  if (translate === undefined || write === undefined) throw new Error('no stream');
  const scanner = new SseScanner();
  let text = '';
  const feed = (events: readonly WireEvent[]): void => {
    for (const event of events) for (const one of translate.push(event)) text += [...write.push(one)].join('');
  };
  const bytes = Buffer.from(bodyOf(exchange));
  for (let at = 0; at < bytes.length; at += size) feed(scanner.push(bytes.subarray(at, at + size)).events);
  feed(scanner.end().events);
  for (const one of translate.end()) text += [...write.push(one)].join('');
  return shownIn(
    text
      .split('\n\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as Json),
  );
}

const results = (row: Row, options: CallOptions): readonly ReasoningResult[] =>
  row[1].stream ? [1, 97, 1_000_000].map((size) => streamed(row, options, size)) : [convertWhole(row, options)];

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))(
  'thoughts of recorded responses',
  () => {
    it('include enough recordings of each kind', () => {
      expect(thoughtful.filter(([, { stream }]) => stream).length).toBeGreaterThan(5);
      expect(thoughtful.filter(([, { stream }]) => !stream).length).toBeGreaterThan(5);
      expect(new Set(thoughtful.map(([, , operation]) => operation)).size).toBe(2);
    });

    it.each(rows)('%s: are in reasoning_content if requested, and nothing else changes', (...row) => {
      for (const strict of [true, false]) {
        for (const with_ of results(row, { strict, showsReasoning: true })) {
          for (const without of results(row, { strict, showsReasoning: false })) {
            expect(without.reasoning).toBe('');
            expect(with_.reasoning).toBe(row[3]);
            if (!row[1].stream) expect(with_.rest).toBe(without.rest);
          }
        }
      }
    });
  },
);

const keys = { plain: 'plain-key-0123456789abcdef', on: 'on-key-0123456789abcdef' };
const hash = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
const thought = { candidates: [{ content: { parts: [{ text: 'Hm. ', thought: true }, { text: 'Hi' }] }, finishReason: 'STOP' }] };

describe('a standard client', () => {
  let upstream: ScriptedUpstream;
  let gateway: TestGateway;

  beforeAll(async () => {
    upstream = await startUpstream((response, request) => {
      if (request.url.includes('streamGenerateContent')) sse(response, [`data: ${JSON.stringify(thought)}\r\n\r\n`]);
      else if (request.url.includes('generateContent')) json(response, 200, thought);
      else if (/"stream":true/.test(request.body.toString())) sse(response, events('m', false));
      else json(response, 200, message('m', false));
    });
    const custom_host = upstream.url;
    gateway = await startTestGateway(
      JSON.stringify({
        version: 1,
        api_keys: {
          plain: { hash: hash(keys.plain) },
          on: { hash: hash(keys.on), reasoning_content: true },
        },
        providers: {
          claude: { type: 'anthropic', api_key: 'sk-ant-api03-0123456789', custom_host },
          gemini: { type: 'gemini', api_key: 'AIza-0123456789', custom_host },
          foundry: {
            type: 'azure-ai',
            api_key: 'foundry-0123456789',
            custom_host,
            deployments: { 'claude-sonnet-4-0': { deployment_id: 'claude-eu', foundation_model: 'claude-sonnet-4-5' } },
          },
          vertex: { type: 'vertex-ai', region: 'global', project: 'p', custom_host, auth: { mode: 'caller' } },
        },
        configs: {
          shown: { reasoning_content: true },
          hidden: { reasoning_content: false },
        },
      }),
    );
  });
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  const client = (key: string, headers: Record<string, string>): OpenAI =>
    new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: 'ya29.mine',
      defaultHeaders: { 'x-gateway-api-key': key, ...headers },
      maxRetries: 0,
    });
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const reasoningOf = (value: object | undefined): string | undefined =>
    (value as { reasoning_content?: string } | undefined)?.reasoning_content;

  const askForReasoning = async (openai: OpenAI, model: string): Promise<readonly (string | undefined)[]> => {
    const completion = await openai.chat.completions.create({ model, messages });
    let joined: string | undefined;
    for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true })) {
      const piece = reasoningOf(chunk.choices[0]?.delta);
      if (piece !== undefined) joined = (joined ?? '') + piece;
    }
    const assembled = await openai.chat.completions.stream({ model, messages }).finalChatCompletion();
    return [reasoningOf(completion.choices[0]?.message), joined, assembled.choices[0]?.message.content === '' ? '' : joined];
  };

  const on = { 'x-gateway-reasoning-content': 'true' };
  const loose = { 'x-gateway-strict-compliance': 'false' };

  describe.each([
    ['@claude/claude-sonnet-4-0', thoughts.thinking],
    ['@foundry/claude-sonnet-4-0', thoughts.thinking],
    ['@vertex/anthropic.claude-sonnet-4-0', thoughts.thinking],
    ['@vertex/gemini-2.5-flash', 'Hm. '],
    ['@gemini/gemini-2.5-flash', 'Hm. '],
  ])('with %s', (model, text) => {
    it.each([
      ['receives the thoughts with the header', keys.plain, on, text],
      ['receives them in addition to content blocks', keys.plain, { ...on, ...loose }, text],
      ['receives them with the header in capitals', keys.plain, { 'x-gateway-reasoning-content': 'TRUE' }, text],
      ['receives none if the header is neither true nor false', keys.plain, { 'x-gateway-reasoning-content': 'maybe' }, undefined],
      ['receives them with the setting in its config', keys.plain, { 'x-gateway-config': 'shown' }, text],
      ['receives them with the setting on its key', keys.on, {}, text],
      ['receives none if the config overrides the key', keys.on, { 'x-gateway-config': 'hidden' }, undefined],
      ['receives none by default', keys.plain, {}, undefined],
      ['receives none with only strict compliance off', keys.plain, loose, undefined],
      [
        'receives none if the header overrides the config',
        keys.on,
        { 'x-gateway-config': 'shown', 'x-gateway-reasoning-content': 'false' },
        undefined,
      ],
    ])('%s', async (_name, key, headers, expected) => {
      expect(await askForReasoning(client(key, headers), model)).toEqual([expected, expected, expected]);
    });
  });
});
