import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { event, eventStream } from '../bedrock/frames.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type Script, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Responses that end because the model wrote something invalid: none of them may look like a success. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 500, {}));
  const custom_host = upstream.url;
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory' },
      providers: {
        gemini: { type: 'gemini', api_key: 'AIza-key-0123456789', custom_host },
        bedrock: { type: 'bedrock', api_key: 'k-0123456789', custom_host },
        openai: { type: 'openai', api_key: 'sk-key-0123456789', custom_host: `${custom_host}/v1` },
      },
      configs: Object.fromEntries(
        ['gemini', 'bedrock', 'openai'].flatMap((provider) => [
          [provider, { provider, retry: { attempts: 1, on_status_codes: [502] } }],
          [`${provider}-once`, { provider }],
          [`${provider}-circuit`, { strategy: { mode: 'fallback', cb_config: { failure_threshold: 1 } }, targets: [{ provider }] }],
        ]),
      ),
    }),
  );
});
beforeEach(() => {
  upstream.requests.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

interface Service {
  readonly name: 'gemini' | 'bedrock' | 'openai';
  readonly routes: readonly string[];
  readonly finishReasons: readonly string[];
  whole(word: string): object;
  stream(word: string, text: string): readonly (string | Buffer)[];
}

const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish_reason: string | null): string => frame({ id: 'c', choices: [{ index: 0, delta, finish_reason }] });
const services: readonly Service[] = [
  {
    name: 'gemini',
    routes: ['chat/completions', 'messages'],
    finishReasons: ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE', 'TOO_MANY_TOOL_CALLS'],
    whole: (finishReason) => ({
      candidates: [{ content: { parts: [{ text: 'call:f{' }] }, finishReason }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    }),
    stream: (finishReason, text) => [
      ...(text === '' ? [] : [frame({ candidates: [{ content: { parts: [{ text }] } }] })]),
      frame({
        candidates: [{ finishReason }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
      }),
    ],
  },
  {
    name: 'bedrock',
    routes: ['chat/completions', 'messages'],
    finishReasons: ['malformed_tool_use', 'malformed_model_output'],
    whole: (stopReason) => ({
      output: { message: { role: 'assistant', content: [{ text: 'call:f{' }] } },
      stopReason,
      usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
    }),
    stream: (stopReason, text) => [
      event('messageStart', { role: 'assistant' }),
      ...(text === '' ? [] : [event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })]),
      event('messageStop', { stopReason }),
      event('metadata', { usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } }),
    ],
  },
  {
    name: 'openai',
    routes: ['chat/completions', 'messages'],
    finishReasons: ['error', 'insufficient_system_resource', 'network_error'],
    whole: (finish_reason) => ({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'call:f{' }, finish_reason }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    }),
    stream: (finishReason, text) => [
      chunk({ role: 'assistant', content: text === '' ? 'x' : text }, null),
      chunk({}, finishReason),
      frame({ id: 'c', choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }),
      'data: [DONE]\n\n',
    ],
  },
];

async function send(config: string, route: string, stream: boolean) {
  const response = await fetch(`${gateway.url}/v1/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': config },
    body: JSON.stringify({ model: 'm-1', max_tokens: 9, stream, messages: [{ role: 'user', content: 'Hi' }] }),
  });
  const text = await response.text();
  return { status: response.status, text, record: await gateway.record(response.headers.get('x-request-id')) };
}

/** Sends a stream in pieces of this many bytes. */
const pieces =
  (name: string, events: readonly (string | Buffer)[], size: number): Script =>
  (response) => {
    const bytes = Buffer.concat(events.map((one) => Buffer.from(one)));
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
    if (name === 'bedrock') eventStream(response, chunks);
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const one of chunks) response.write(one);
      response.end();
    }
  };

const cases = services.flatMap((service) =>
  service.routes.flatMap((route) => service.finishReasons.map((finishReason) => [service.name, route, finishReason, service] as const)),
);

describe.each(cases)('%s, /v1/%s: a response with the finish reason %s', (name, route, finishReason, service) => {
  it('returns 502 and records its usage', async () => {
    upstream.script = (response) => json(response, 200, service.whole(finishReason));
    const { status, text, record } = await send(`${name}-once`, route, false);
    expect(status).toBe(502);
    expect(text).not.toContain('call:f');
    expect(record).toMatchObject({ status: 502, usage: { prompt: 7, completion: 3, source: 'reported' }, finish: [finishReason] });
  });

  it('ends a stream with an error and without a finish reason', async () => {
    for (const size of [1, 23, 4096]) {
      upstream.script = pieces(name, service.stream(finishReason, 'Let me see.'), size);
      const { status, text, record } = await send(`${name}-once`, route, true);
      expect(status).toBe(200);
      expect(text).toContain('Let me see.');
      expect(text).toMatch(/"error":\{/);
      expect(text).not.toMatch(/"(?:finish_reason|stop_reason)":"|message_stop|\[DONE\]/);
      expect(record).toMatchObject({ end: 'fault', usage: { prompt: 7, completion: 3 } });
    }
  });
});

it.each(services)('a faulty response of $name is retried', async ({ name, routes, finishReasons, whole }) => {
  const normalFinish = { gemini: 'STOP', bedrock: 'end_turn', openai: 'stop' }[name];
  upstream.script = (response, _, count) => json(response, 200, whole(count < 2 ? (finishReasons[0] ?? '') : normalFinish));
  expect((await send(name, routes[0] ?? '', false)).status).toBe(200);
});

it.each(cases.filter(([name]) => name !== 'openai'))(
  '%s, /v1/%s: the finish reason %s does not open the circuit of the target',
  async (name, route, finishReason, service) => {
    upstream.script = (response) => json(response, 200, service.whole(finishReason));
    for (let turn = 0; turn < 2; turn += 1) {
      const { record } = await send(`${name}-circuit`, route, false);
      expect(record).toMatchObject({ status: 502, attempts: [{ outcome: 'faulty' }] });
    }
  },
);

it.each(cases.filter(([name]) => name !== 'openai'))(
  '%s, /v1/%s: a stream with only the finish reason %s returns 502',
  async (name, route, finishReason, service) => {
    upstream.script = pieces(name, service.stream(finishReason, ''), 4096);
    const { status, record } = await send(`${name}-once`, route, true);
    expect(status).toBe(502);
    expect(record).toMatchObject({ usage: { prompt: 7, completion: 3 }, finish: [finishReason] });
  },
);

it.each(cases.filter(([name]) => name === 'bedrock'))(
  '%s, /v1/%s: the finish reason %s is reported even without usage',
  async (name, route, finishReason, service) => {
    upstream.script = pieces(name, service.stream(finishReason, '').slice(0, -1), 4096);
    const { status, text } = await send(`${name}-once`, route, true);
    expect([status, text]).toEqual([502, expect.stringContaining('The model wrote a')]);
  },
);
