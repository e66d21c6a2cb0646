import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Trace ids of callers in the record, in the response, and in the request to the provider. */

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const traceparent = `00-${trace}-${parent}-01`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((response, { url }, count) =>
    url.includes('fails') && count === 1
      ? json(response, 503, {})
      : json(response, 200, url.includes('chat') ? completion('x') : { ok: true }),
  );
  gateway = await startTestGateway(`
version: 1
providers:
  main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}
  other: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/fails"}
configs:
  chain: {strategy: {mode: fallback}, targets: [other/m, main/m]}
  copies: {forward_headers: [traceparent], targets: [main/m]}
`);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

type Headers = Readonly<Record<string, string>>;

async function send(headers: Headers, path = '/v1/chat/completions', method = 'POST') {
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-gateway-provider': '@main', ...headers },
    ...(method === 'POST' ? { body: JSON.stringify({ model: 'm', messages: [] }) } : {}),
  });
  await response.arrayBuffer();
  return { answer: response, record: await gateway.record(response.headers.get('x-request-id')) };
}

const ids = /^[0-9a-f]{32}$/;

describe('trace in the record', () => {
  it.each<[string, Headers, object]>([
    ['is generated without headers', {}, { trace_id: expect.stringMatching(ids), span_id: null, parent: null, span_name: null }],
    ['is generated for an empty header', { 'x-gateway-trace-id': '' }, { trace_id: expect.stringMatching(ids) }],
    [
      'is taken from x-gateway headers',
      {
        'x-gateway-trace-id': 't-1',
        'x-gateway-span-id': 's-1',
        'x-gateway-parent-span-id': 'p-1',
        'x-gateway-span-name': 'Answer the mail',
      },
      { trace_id: 't-1', span_id: 's-1', parent: 'p-1', span_name: 'Answer the mail' },
    ],
    [
      'is taken from x-portkey headers',
      { 'x-portkey-trace-id': 't-1', 'x-portkey-span-id': 's-1', 'x-portkey-parent-span-id': 'p-1', 'x-portkey-span-name': 'n' },
      { trace_id: 't-1', span_id: 's-1', parent: 'p-1', span_name: 'n' },
    ],
    [
      'has a non-ASCII span name',
      { 'x-gateway-span-name': Buffer.from('Répondre 日本 🎉').toString('latin1') },
      { span_name: 'Répondre 日本 🎉' },
    ],
    ['has a truncated span name', { 'x-gateway-span-name': 'n'.repeat(8000) }, { span_name: `${'n'.repeat(128)}…` }],
    [
      'has a span name with secrets masked',
      { 'x-gateway-span-name': 'Charge 4111 1111 1111 1111 https://u:canary@example.com/' },
      { span_name: expect.stringMatching(/^Charge (?!.*(?:4111|canary)).*example\.com/) },
    ],
    ['has no span name for an empty header', { 'x-gateway-span-name': '' }, { span_name: null }],
    [
      'is continued from traceparent',
      { traceparent },
      { trace_id: trace, span_id: expect.stringMatching(/^[0-9a-f]{16}$/), parent, span_name: null },
    ],
    [
      'is taken from x-gateway headers before traceparent',
      { traceparent, 'x-gateway-trace-id': 't-1', 'x-gateway-span-id': 's-1' },
      { trace_id: 't-1', span_id: 's-1', parent },
    ],
    [
      'is generated for an invalid traceparent',
      { traceparent: `00-${trace}-${parent}` },
      { trace_id: expect.stringMatching(new RegExp(`^(?!${trace})`)), span_id: null, parent: null },
    ],
  ])('%s', async (_name, headers, expected) => {
    const { answer, record } = await send(headers);
    expect(record.trace).toMatchObject(expected);
    expect(answer.headers.get('x-gateway-trace-id')).toBe(record.trace.trace_id);
  });

  it('has a whole UUID, even of a request that is not admitted', async () => {
    const uuid = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736';
    const { record } = await send({ 'x-gateway-trace-id': uuid }, '/nowhere');
    expect(record).toMatchObject({ admitted: false, trace: { trace_id: uuid } });
  });

  it('has the text of ids that are not ASCII, and the response has their bytes', async () => {
    const bytes = Buffer.from('Zürich ☂').toString('latin1');
    const { answer, record } = await send({ 'x-gateway-trace-id': bytes, 'x-gateway-span-id': bytes, 'x-gateway-parent-span-id': bytes });
    expect(record.trace).toMatchObject({ trace_id: 'Zürich ☂', span_id: 'Zürich ☂', parent: 'Zürich ☂' });
    expect(answer.headers.get('x-gateway-trace-id')).toBe(bytes);
  });
});

describe('trace sent to the provider', () => {
  const sent = (): (string | undefined)[][] =>
    upstream.requests.map(({ headers }) => [headers['traceparent'], headers['tracestate']].map((value) => value?.toString()));

  it.each<[string, string, string]>([
    ['chat', '/v1/chat/completions', 'POST'],
    ['embeddings', '/v1/embeddings', 'POST'],
    ['a list of files', '/v1/files', 'GET'],
    ['a relayed path', '/v1/some/new/path', 'POST'],
  ])("continues the client's trace for %s", async (_name, path, method) => {
    const { record } = await send({ traceparent, tracestate: 'a=1,b=2' }, path, method);
    expect(sent()).toEqual([[`00-${trace}-${record.trace.span_id}-01`, 'a=1,b=2']]);
    expect(record.trace.span_id).not.toBe(parent);
  });

  it('is sent to each target of a fallback', async () => {
    const { record } = await send({ traceparent, 'x-gateway-config': 'chain', 'x-gateway-provider': '' });
    expect(sent()).toEqual([1, 2].map(() => [`00-${trace}-${record.trace.span_id}-01`, undefined]));
  });

  it('is forwarded unchanged if the header is listed in forward_headers', async () => {
    await send({ traceparent, 'x-gateway-config': 'copies', 'x-gateway-provider': '' });
    expect(sent()).toEqual([[traceparent, undefined]]);
  });

  it.each<[string, Headers]>([
    ['the client sends none', {}],
    ['traceparent is invalid', { traceparent: 'x' }],
    ['only x-gateway headers contain one', { 'x-gateway-trace-id': trace, 'x-gateway-span-id': parent }],
    ['there is only tracestate', { tracestate: 'a=1' }],
  ])('is omitted if %s', async (_name, headers) => {
    await send(headers);
    expect(sent()).toEqual([[undefined, undefined]]);
    expect(upstream.requests[0]?.rawHeaders.join(' ')).not.toMatch(/x-(gateway|portkey)|trace/i);
  });
});
