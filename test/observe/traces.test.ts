import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';
import { type Collector, plain, type SeenSpan, startCollector } from './collector.ts';

const parentId = '00f067aa0ba902b7';
const secret = 'canary-key-of-the-collector';
const newTrace = (): string => randomBytes(16).toString('hex');
const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'm-large', choices: [{ index: 0, delta, ...more }] })}\n\n`;

let collector: Collector;
let upstream: ScriptedUpstream;
let gateway: TestGateway;

const yaml = (tracing: string): string => `
version: 1
providers:
  main: {type: mistral, api_key: key-of-main, custom_host: "${upstream.url}/v1"}
  down: {type: openai, api_key: key-of-down, custom_host: "${upstream.url}/fails"}
configs:
  both: {strategy: {mode: fallback}, targets: [down/x, main/m]}
logging: {requests: {bodies: full}}
observability:
  tracing: ${tracing}
  resource: {service.name: gateway-of-the-test}
`;

beforeAll(async () => {
  collector = await startCollector();
  upstream = await startUpstream((response, { url, body }) => {
    if (url.includes('fails')) return json(response, 503, { error: { message: 'busy' } });
    if (body.includes('"stream":true'))
      return sse(response, [chunk({ content: 'he' }), chunk({ content: 'y' }), chunk({}, { finish_reason: 'stop' }), 'data: [DONE]\n\n']);
    return json(response, 200, completion('hey'));
  });
  gateway = await startTestGateway(yaml(`{otlp: "${collector.url}/", headers: {x-team: "\${env:OTLP_KEY}"}}`), {
    env: { OTLP_KEY: secret },
  });
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([collector.close(), upstream.close()]);
});

async function sendChat(headers: Record<string, string> = {}, more: object = {}): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: '@main/m', messages: [{ role: 'user', content: 'hello' }], ...more }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

const sent = (): (string | undefined)[] => upstream.requests.splice(0).map(({ headers }) => headers['traceparent']?.toString());
const server = (spans: readonly SeenSpan[]): SeenSpan => spans.find(({ kind }) => kind === 2) as SeenSpan;
const clients = (spans: readonly SeenSpan[]): readonly SeenSpan[] => spans.filter(({ kind }) => kind === 3);

describe('a trace of a request', () => {
  it('has a span for the request and one for each attempt, below the span of the client', async () => {
    sent();
    const trace = newTrace();
    const id = await sendChat({
      traceparent: `00-${trace}-${parentId}-01`,
      'x-gateway-config': 'both',
      'x-gateway-metadata': '{"team":"web"}',
    });
    const record = await gateway.record(id);
    const spans = await collector.trace(trace, 3);
    const [first, second] = clients(spans);
    expect(server(spans)).toMatchObject({
      name: 'POST /v1/chat/completions',
      parentSpanId: parentId,
      spanId: record.trace.span_id,
      status: {},
    });
    expect(plain(server(spans))).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'gateway.request_id': id,
      'gateway.config': 'both',
      'gateway.provider': 'main',
      'gateway.attempts': 2,
      'gateway.metadata.team': 'web',
      'gateway.plugin.routing.plan_ms': expect.any(Number) as number,
    });
    expect(first).toMatchObject({ name: 'chat x', parentSpanId: server(spans).spanId, status: { code: 2 } });
    expect(plain(first as SeenSpan)).toMatchObject({
      'error.type': '503',
      'gen_ai.provider.name': 'openai',
      'gateway.outcome': 'answered',
    });
    expect(second).toMatchObject({ name: 'chat m', parentSpanId: server(spans).spanId, status: {} });
    expect(plain(second as SeenSpan)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mistral_ai',
      'gen_ai.request.model': 'm',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': record.usage.prompt,
      'gen_ai.usage.output_tokens': record.usage.completion,
    });
    // Spans of a provider are children of the attempt.
    expect(sent()).toEqual([`00-${trace}-${first?.spanId}-01`, `00-${trace}-${second?.spanId}-01`]);
  });

  it('has the times of the record', async () => {
    const trace = newTrace();
    const record = await gateway.record(await sendChat({ traceparent: `00-${trace}-${parentId}-01` }, { stream: true }));
    const spans = await collector.trace(trace, 2);
    const [client] = clients(spans);
    const start = BigInt(server(spans).startTimeUnixNano);
    expect(start).toBe(BigInt(record.at) * 1_000_000n);
    expect(BigInt(server(spans).endTimeUnixNano) - start).toBe(BigInt(Math.round(record.ms.total * 1e6)));
    expect(BigInt(client?.startTimeUnixNano ?? 0) >= start).toBe(true);
    expect(plain(client as SeenSpan)).toMatchObject({ 'gen_ai.request.stream': true, 'gen_ai.response.model': 'm-large' });
  });

  it('has times and amounts of type double for any value', async () => {
    const trace = newTrace();
    await sendChat({ traceparent: `00-${trace}-${parentId}-01` }, { model: '@down/x' });
    const attributes = (await collector.trace(trace, 2)).flatMap((span) => span.attributes).filter(({ key }) => /_(?:ms|usd)$/.test(key));
    expect(attributes).toContainEqual({ key: 'gateway.cost_usd', value: { doubleValue: 0 } });
    for (const { key, value } of attributes) expect([key, Object.keys(value)]).toEqual([key, ['doubleValue']]);
  });

  it.each([
    ['a hex trace id', (trace: string) => ({ 'x-gateway-trace-id': trace }), (trace: string) => trace],
    [
      'a UUID',
      (trace: string) => ({ 'x-gateway-trace-id': trace.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase() }),
      (trace: string) => trace,
    ],
  ])('uses %s of the header x-gateway-trace-id', async (_, headers, expected) => {
    const trace = newTrace();
    await sendChat(headers(trace));
    const spans = await collector.trace(expected(trace), 2);
    expect(sent().at(-1)).toBe(`00-${expected(trace)}-${clients(spans)[0]?.spanId}-01`);
  });

  it('groups the requests with the same text as trace id', async () => {
    const ids = [await sendChat({ 'x-gateway-trace-id': 'order 7' }), await sendChat({ 'x-gateway-trace-id': 'order 7' })];
    const found = await until(() => {
      const ownSpans = collector.spans().filter((span) => plain(span)['gateway.trace_id'] === 'order 7');
      return ownSpans.length === 2 && ownSpans;
    }, 'both spans');
    expect(new Set(found.map((span) => plain(span)['gateway.request_id']))).toEqual(new Set(ids));
    expect(new Set(found.map((span) => span.traceId)).size).toBe(1);
    expect(found[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is not exported if the client does not sample it', async () => {
    const [quiet, loud] = [newTrace(), newTrace()];
    sent();
    await sendChat({ traceparent: `00-${quiet}-${parentId}-00` });
    await sendChat({ traceparent: `00-${loud}-${parentId}-01` });
    await collector.trace(loud, 2);
    expect(collector.spans().filter((span) => span.traceId === quiet)).toEqual([]);
    expect(sent()[0]).toMatch(new RegExp(`^00-${quiet}-[0-9a-f]{16}-00$`));
  });

  it('has the configured resource and headers, without content or secrets', () => {
    const [first] = collector.exports;
    expect(first?.path).toBe('/v1/traces');
    expect(first?.headers['x-team']).toBe(secret);
    const all = collector.exports.map(({ text }) => text).join('\n');
    expect(all).toContain('{"key":"service.name","value":{"stringValue":"gateway-of-the-test"}}');
    for (const sensitiveText of [secret, 'key-of-main', 'key-of-down', 'hello', 'gen_ai.input.messages'])
      expect(all).not.toContain(sensitiveText);
  });

  it('is sent again while the collector is busy', async () => {
    collector.statuses.push([503], [429, { 'retry-after': '0' }], [503, { 'retry-after': '0' }]);
    const trace = newTrace();
    await sendChat({ traceparent: `00-${trace}-${parentId}-01` });
    expect(await collector.trace(trace, 2)).toHaveLength(2);
    expect(collector.statuses).toEqual([]);
    const line = gateway.lines.find((text) => text.includes('could not be exported'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'warn', signal: 'traces', why: 'status 503' });
  });

  it('is dropped and logged once if the collector rejects it', async () => {
    collector.statuses.push([400]);
    await sendChat({ traceparent: `00-${newTrace()}-${parentId}-01` });
    const line = await until(() => gateway.lines.find((text) => text.includes('not exported')), 'the line');
    expect(JSON.parse(line)).toMatchObject({ signal: 'traces', result: 'rejected', items: 2, why: 'status 400' });
    expect(gateway.lines.join('')).not.toContain(secret);
    const response = await fetch(`${gateway.url}/readyz`);
    expect(await response.json()).toMatchObject({ status: 'ok', notes: ['Traces are not exported to their collector: status 400.'] });
  });
});

describe('tracing after a reload', () => {
  it('exports the configured share of traces and propagates the sampling decision', async () => {
    await gateway.write(yaml(`{otlp: "${collector.url}/v1/traces", sample: 25%}`));
    expect(await gateway.gateway.reload()).toMatchObject({ type: 'reloaded' });
    sent();
    for (let n = 0; n < 60; n += 1) await sendChat();
    const marked = sent();
    const sampled = marked.filter((value) => value?.endsWith('-01') === true).map((value) => value?.slice(3, 35) ?? '');
    expect(marked).toHaveLength(60);
    expect(sampled.length).toBeGreaterThan(2);
    expect(sampled.length).toBeLessThan(40);
    for (const trace of sampled) await collector.trace(trace, 2);
    const traceIds = new Set(collector.spans().map(({ traceId }) => traceId));
    expect(marked.filter((value) => value?.endsWith('-00') === true && traceIds.has(value.slice(3, 35)))).toEqual([]);
  });

  it('exports messages with content: true', async () => {
    await gateway.write(yaml(`{otlp: "${collector.url}", content: true}`));
    await gateway.gateway.reload();
    const [wholeTrace, streamed] = [newTrace(), newTrace()];
    await sendChat({ traceparent: `00-${wholeTrace}-${parentId}-01` });
    await sendChat({ traceparent: `00-${streamed}-${parentId}-01` }, { stream: true });
    for (const trace of [wholeTrace, streamed]) {
      const [client] = clients(await collector.trace(trace, 2));
      const attributes = plain(client as SeenSpan);
      expect(JSON.parse(String(attributes['gen_ai.input.messages']))).toEqual([
        { role: 'user', parts: [{ type: 'text', content: 'hello' }] },
      ]);
      expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toMatchObject([
        { role: 'assistant', parts: [{ type: 'text', content: 'hey' }] },
      ]);
    }
  });

  it('exports nothing without otlp, and adds no traceparent', async () => {
    await gateway.write(yaml('{otlp: ""}'));
    await gateway.gateway.reload();
    const before = collector.spans().length;
    sent();
    await sendChat();
    await sendChat({ traceparent: `00-${newTrace()}-${parentId}-01` });
    const [none, one] = sent();
    expect(none).toBeUndefined();
    expect(one).toBeDefined();
    expect(collector.spans().length).toBe(before);
  });
});

it('exports queued spans and logs before the gateway ends', async () => {
  const other = await startCollector();
  const short = await startTestGateway(
    `version: 1\nproviders: {mock: {type: mock}}\nobservability: {tracing: {otlp: "${other.url}"}, logs: {otlp: "${other.url}"}}\n`,
  );
  for (let n = 0; n < 5; n += 1) {
    const response = await fetch(`${short.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'hello' }] }),
    });
    await response.text();
  }
  await short.close();
  expect(other.spans()).toHaveLength(10);
  expect(other.logs()).toHaveLength(5);
  await other.close();
});
