import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSpool } from '../../src/store/fixtures/read-spool.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { chunks, completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Writes the cost of each request, however it ended, and notes at two moments. */
const meter = `
export default {
  name: 'meter',
  options: { type: 'object' },
  setup: (_options, host) => ({
    admit(ctx) {
      host.note(ctx, { came: ctx.path, address: 'https://user:word@host/?api_key=abcdef', token: 'abcdef', tokens: 7 });
      if (ctx.headers.get('x-refused')) throw host.error('not_allowed', { message: 'The plugin says no.' });
    },
    settle(ctx, draft) {
      const { usage, end, status } = draft.record;
      host.note(ctx, { end, status, odd: 1n, large: 'x'.repeat(10000) });
      draft.cost = { usd: String((usage.prompt + usage.completion) / 1000), source: 'meter', prices: {} };
      draft.cache = 'MISS';
      draft.guardrails = [{ name: 'words', passed: true }];
      const wish = ctx.headers.get('x-settle');
      if (wish === 'throw') throw new Error('nothing works');
      if (wish === 'reject') return Promise.reject(new Error('nothing works later'));
      if (wish === 'number') draft.cost = { usd: 1n, source: 'meter', prices: {} };
      if (wish === 'usage') draft.usage = { ...usage, prompt: -1 };
      if (wish === 'count') draft.usage = { ...usage, prompt: 40, source: 'estimated' };
    },
  }),
};
`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response, { url, body }) => {
    if (url.endsWith('/unknown')) return json(response, 200, { fine: true });
    const text = body.toString('utf8');
    if (!text.includes('"stream":true')) return json(response, 200, completion('Hello'));
    if (text.includes('whole')) return sse(response, chunks('Hel', 'lo'));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of chunks('Hel', 'lo').slice(0, 3)) response.write(event);
    if (text.includes('cut')) setTimeout(() => response.destroy(), 20);
  });
  const yaml = `
version: 1
providers: {main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}}
plugins: [{use: ./meter.ts}, auth, routing, transform, logging]
`;
  gateway = await startTestGateway(yaml, { files: { 'meter.ts': meter } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

interface Sent {
  readonly path?: string;
  readonly stream?: boolean;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client disconnects after the first bytes. */
  readonly leaves?: boolean;
}

/** Sends one request and returns its record. */
async function recordOf({ path = '/v1/chat/completions', stream = false, text = '', headers = {}, leaves = false }: Sent) {
  const before = gateway.records.length;
  const body = JSON.stringify({ model: '@main/m', stream, messages: [{ role: 'user', content: text }] });
  await new Promise<void>((resolve) => {
    const sent = request(
      gateway.url + path,
      { method: 'POST', headers: { 'content-type': 'application/json', 'x-gateway-provider': '@main', ...headers } },
      (response) => {
        response.on('data', () => {
          if (leaves) sent.destroy();
        });
        response.on('close', resolve);
        response.on('error', () => undefined);
      },
    );
    sent.on('error', () => undefined);
    sent.end(body);
  });
  return until(() => gateway.records[before], 'the record');
}

const noted = { came: expect.any(String) as unknown, address: 'https://***@host/?api_key=***', token: '***', tokens: 7 };
const cost = (usd: number): object => ({ usd: String(usd), source: 'meter' });

describe('the values that a plugin writes in settle', () => {
  it.each<[string, Sent, object]>([
    ['a response without streaming', {}, { status: 200, end: 'whole', cost: cost(0.005), usage: { source: 'reported' } }],
    ['a stream', { stream: true, text: 'whole' }, { status: 200, end: 'whole', usage: { source: 'estimated' } }],
    ['an interrupted stream', { stream: true, text: 'cut' }, { status: 200, end: 'fault', usage: { source: 'estimated' } }],
    ['a client that disconnects', { stream: true, text: 'wait', leaves: true }, { status: 200, end: 'client_gone' }],
    [
      'a rejected request',
      { headers: { 'x-gateway-provider': '@nobody', 'x-gateway-config': 'none' } },
      { status: 404, end: 'fault', cost: cost(0) },
    ],
    ['a relayed request', { path: '/v1/unknown' }, { status: 200, end: 'whole', lane: 'relay' }],
  ])('are in the record of %s', async (_, sent, expected) => {
    const record = await recordOf(sent);
    expect(record).toMatchObject(expected);
    expect(record).toMatchObject({ cost: { source: 'meter' }, cache: 'MISS', guardrails: [{ name: 'words', passed: true }] });
    const { large, ...notes } = record.notes['meter'] as { large: string };
    expect(notes).toEqual({ ...noted, end: record.end, status: record.status, odd: '…' });
    expect(large.length).toBeLessThan(2100);
    expect(record.plugins.at(-1)).toMatchObject({ name: 'meter', moment: 'settle' });
  });

  it('are limited to a few bytes for a request that is not admitted', async () => {
    const record = await recordOf({ headers: { 'x-refused': 'yes' } });
    expect(record).toMatchObject({ status: 403, admitted: false, cost: cost(0), notes: { meter: { came: '/v1/chat/completions' } } });
    expect(JSON.stringify(record.notes).length).toBeLessThan(400);
  });

  it('are in the log on disk', async () => {
    const { id } = await recordOf({});
    const stored = readSpool(join(gateway.dir, '.gateway/spool')).find((entry) => entry.kind === 'record' && entry.record.id === id);
    expect(stored).toMatchObject({ record: { cost: cost(0.005), notes: { meter: { end: 'whole' } } } });
  });
});

describe('settle', () => {
  it.each([
    ['throw', 'nothing works', cost(0.005)],
    ['reject', 'nothing works later', cost(0.005)],
    ['number', 'must be a decimal', cost(0.005)],
    ['usage', 'must be a number', cost(0.005)],
  ])('logs a defect and keeps the record if a plugin fails: %s', async (wish, message, isRecorded) => {
    gateway.lines.length = 0;
    const record = await recordOf({ headers: { 'x-settle': wish } });
    expect(record).toMatchObject({ status: 200, end: 'whole', cost: isRecorded, usage: { prompt: 3 }, notes: { meter: { end: 'whole' } } });
    const line = await until(() => gateway.lines.find((each) => each.includes(record.id)), 'the line');
    expect(line).toContain('plugin \\"meter\\" threw in settle');
    expect(line).toContain(message);
  });

  it('stores a usage that a plugin sets', async () => {
    expect(await recordOf({ headers: { 'x-settle': 'count' } })).toMatchObject({
      usage: { prompt: 40, completion: 2, source: 'estimated' },
    });
  });
});
