import { createHash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { python, runScript } from '../sdk/python.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { call, events, message, redacted, startAnthropic, thoughts } from './sdk-upstream.ts';
import { skipping } from '../support/skipping.ts';

const callerKey = 'app-web-key-0123456789abcdef';
const catalogKey = 'sk-ant-api03-0123456789';
const noPython = 'missing' in python ? python.missing : undefined;

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startAnthropic();
  const custom_host = `${upstream.url}/v1`;
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      api_keys: { app: { hash: `sha256:${createHash('sha256').update(callerKey).digest('hex')}` } },
      providers: {
        claude: { type: 'anthropic', api_key: catalogKey, custom_host },
      },
    }),
  );
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

/** An exception as a user of the library sees it. */
interface Outcome {
  readonly class: string;
  readonly status: number | null | undefined;
  readonly request_id: string | null | undefined;
  readonly text: string;
}

interface Report {
  readonly whole: unknown;
  readonly stream: { readonly texts: string; readonly message: unknown };
  readonly count: number;
  readonly aborted: string;
  readonly limit: Outcome;
  readonly refuse: Outcome;
  readonly unknown: Outcome;
  readonly breaks: Outcome;
  readonly cut: Outcome;
  readonly key: Outcome;
}

const minimalBody = { max_tokens: 64, messages: [{ role: 'user' as const, content: 'hi' }] };

async function npmReport(baseURL: string): Promise<Report> {
  const client = new Anthropic({ baseURL, apiKey: callerKey, maxRetries: 0 });
  const outcomeOfError = (work: () => Promise<unknown>): Promise<Outcome> =>
    work().then(
      () => Promise.reject(new Error('nothing was thrown')),
      (error: unknown) => {
        if (!(error instanceof Anthropic.APIError)) throw error;
        return { class: error.constructor.name, status: error.status, request_id: error.requestID, text: error.message };
      },
    );
  const create = (model: string, using = client): Promise<unknown> => using.messages.create({ model, ...minimalBody });
  const streamed = async (model: string): Promise<Report['stream']> => {
    const stream = client.messages.stream({ model, ...minimalBody });
    let texts = '';
    stream.on('text', (text) => {
      texts += text;
    });
    return { message: await stream.finalMessage(), texts };
  };
  const aborted = async (): Promise<string> => {
    for await (const event of await client.messages.create({ model: '@claude/m-endless', ...minimalBody, stream: true })) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') return event.delta.text;
    }
    return '';
  };
  return {
    whole: await create('@claude/m-text'),
    stream: await streamed('@claude/m-text'),
    count: (await client.messages.countTokens({ model: '@claude/m-text', messages: minimalBody.messages })).input_tokens,
    limit: await outcomeOfError(() => create('@claude/m-limit')),
    refuse: await outcomeOfError(() => create('@claude/m-refuse')),
    unknown: await outcomeOfError(() => create('@nobody/m')),
    breaks: await outcomeOfError(() => streamed('@claude/m-breaks')),
    cut: await outcomeOfError(() => streamed('@claude/m-cut')),
    key: await outcomeOfError(() => create('@claude/m-text', new Anthropic({ baseURL, apiKey: 'wrong-key-0123456789', maxRetries: 0 }))),
    aborted: await aborted(),
  };
}

const pyReport = async (baseUrl: string): Promise<Report> =>
  JSON.parse(await runScript('python' in python ? python.python : '', ['../anthropic/anthropic-client.py', baseUrl, callerKey])) as Report;

describe.each([
  ['npm @anthropic-ai/sdk', npmReport, '', undefined],
  ['npm @anthropic-ai/sdk, base URL with /v1', npmReport, '/v1', undefined],
  ['PyPI anthropic', pyReport, '', noPython],
] as const)('%s with only base URL and key changed', (_name, run, tail, skip) => {
  let report: Report;
  let from: number;

  beforeAll(async () => {
    if (skip !== undefined) return;
    from = upstream.requests.length;
    report = await run(`${gateway.url}${tail}`);
  });

  it.skipIf(skipping(skip))('returns a whole message as the provider sent it', () => {
    expect(report.whole).toMatchObject(message('m-text', false));
  });

  it.skipIf(skipping(skip))('assembles a stream', () => {
    expect(report.stream.texts).toBe('Ich sehe nach.');
    expect(report.stream.message).toMatchObject({
      content: [thoughts, redacted, { type: 'text', text: 'Ich sehe nach.' }, call],
      stop_reason: 'tool_use',
      usage: { output_tokens: 20 },
    });
  });

  it.skipIf(skipping(skip))('counts tokens', () => {
    expect(report.count).toBe(17);
  });

  it.skipIf(skipping(skip)).each([
    ['limit', 'RateLimitError', 429, 'Slow down.', 'provider_error'],
    ['refuse', 'BadRequestError', 400, 'max_tokens: too large', 'provider_error'],
    ['unknown', 'NotFoundError', 404, 'No provider has the slug', 'provider_not_found'],
    ['key', 'AuthenticationError', 401, 'is not a key of this gateway', 'invalid_api_key'],
  ] as const)('throws its own exception class, with the id of the request record: %s', async (scenario, type, status, text, code) => {
    const seen = report[scenario];
    expect(seen).toMatchObject({ class: type, status });
    expect(seen.text).toContain(text);
    const record = await gateway.record(seen.request_id ?? '');
    expect(record).toMatchObject({ status, end: 'fault', error: { code } });
  });

  it.skipIf(skipping(skip))('throws on an error in the middle of a stream', () => {
    expect(report.breaks.text).toContain('Overloaded');
    expect(report.cut.text).toContain('closed the stream before its end');
  });

  it.skipIf(skipping(skip))('closes the connection to the provider when the client aborts a stream', async () => {
    expect(report.aborted).not.toBe('');
    const request = upstream.requests.slice(from).find(({ body }) => body.includes('"m-endless"'));
    await request?.aborted;
    await until(() => gateway.records.some((record) => record.end === 'client_gone' && record.model.sent === 'm-endless'), 'the record');
  });

  it.skipIf(skipping(skip))('sends the configured key to the provider, and nothing of the gateway', () => {
    const requests = upstream.requests.slice(from);
    expect(requests.length).toBeGreaterThan(6);
    for (const { headers, rawHeaders, body } of requests) {
      expect(headers['x-api-key']).toBe(catalogKey);
      expect(headers['authorization']).toBeUndefined();
      expect(headers['anthropic-version']).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(`${rawHeaders.join('\n')}${body.toString()}`).not.toContain(callerKey);
    }
  });
});

describe('two turns with a tool call and thinking', () => {
  /** The assistant's turn that the provider received. */
  const lastHistory = (): unknown => {
    const bodies = upstream.requests.map(({ body }) => JSON.parse(body.toString()) as { messages: { role: string; content: unknown }[] });
    return bodies.at(-1)?.messages;
  };
  const turns = [
    { role: 'user', content: 'Oslo?' },
    { role: 'assistant', content: [thoughts, redacted, { type: 'text', text: 'Ich sehe nach.' }, call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_01', content: '-4' }] },
  ];
  const tools = [
    { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } },
  ];
  const openai = (): OpenAI =>
    new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: callerKey, defaultHeaders: { 'x-gateway-strict-compliance': 'false' } });

  it('npm openai sends the message back as it received it', async () => {
    const client = openai();
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Oslo?' }];
    const first = (await client.chat.completions.create({ model: '@claude/m-text', messages, tools })).choices[0]?.message;
    if (first === undefined) throw new Error('no response');
    expect(first.tool_calls).toEqual([
      { id: 'toolu_01', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo","big":1}' } },
    ]);
    messages.push(first, { role: 'tool', tool_call_id: 'toolu_01', content: '-4' });
    const second = await client.chat.completions.create({ model: '@claude/m-text', messages, tools });
    expect(second.choices[0]?.message.content).toBe('Kalt: −4 °C 🥶');
    expect(second.usage).toMatchObject({
      prompt_tokens: 17,
      completion_tokens: 20,
      total_tokens: 37,
      prompt_tokens_details: { cached_tokens: 4 },
    });
    expect(lastHistory()).toEqual(turns);
  });

  it('npm openai sends back the message it assembled from a stream', async () => {
    const client = openai();
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Oslo?' }];
    const stream = await client.chat.completions.create({ model: '@claude/m-text', messages, tools, stream: true });
    const blocks: Record<string, string>[] = [];
    const toolCall = { id: '', type: 'function' as const, function: { name: '', arguments: '' } };
    let content = '';
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta as OpenAI.ChatCompletionChunk.Choice.Delta & {
        content_blocks?: { index: number; delta: Record<string, string> }[];
      };
      content += delta.content ?? '';
      for (const { index, delta: part } of delta.content_blocks ?? []) {
        const block = (blocks[index] ??= {});
        for (const [key, text] of Object.entries(part)) block[key] = (block[key] ?? '') + text;
      }
      for (const part of delta.tool_calls ?? []) {
        toolCall.id += part.id ?? '';
        toolCall.function.name += part.function?.name ?? '';
        toolCall.function.arguments += part.function?.arguments ?? '';
      }
    }
    const assistant = { role: 'assistant' as const, content, tool_calls: [toolCall], content_blocks: blocks.filter(Boolean) };
    messages.push(assistant, { role: 'tool', tool_call_id: toolCall.id, content: '-4' });
    await client.chat.completions.create({ model: '@claude/m-text', messages, tools });
    expect(lastHistory()).toEqual(turns);
  });

  it.skipIf(skipping(noPython))('PyPI openai sends the message back as it received it', async () => {
    const text = await runScript('python' in python ? python.python : '', [
      '../anthropic/openai-client.py',
      `${gateway.url}/v1`,
      callerKey,
    ]);
    expect(JSON.parse(text)).toMatchObject({
      second: 'Kalt: −4 °C 🥶',
      first: { content_blocks: [thoughts, redacted, { type: 'text', text: 'Ich sehe nach.' }] },
    });
    expect(lastHistory()).toEqual(turns);
  });

  it('the scripted provider sends the same content with and without streaming', () => {
    expect(events('m', false).length).toBeGreaterThan(12);
  });
});
