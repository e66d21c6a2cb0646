import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogRecord } from '../../src/core/records/record.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Labels, usage and dropped parameters in a record. */

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const gemini = { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] };
const message = { role: 'assistant', content: 'x' };

let upstream: ScriptedUpstream;
const gateways = new Map<string, TestGateway>();

beforeAll(async () => {
  upstream = await startUpstream((response, request) => {
    const text = request.body.toString();
    if (request.url.includes('generateContent')) json(response, 200, gemini);
    else if (text.includes('"fails"')) json(response, 400, { error: { message: 'no', type: 'invalid_request_error' } });
    else if (text.includes('"stream":true')) sse(response, [chunk('a'), chunk('b'), chunk('c'), 'data: [DONE]\n\n']);
    else
      json(response, 200, {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      });
  });
  for (const bodies of ['none', 'metadata']) {
    const config = {
      version: 1,
      logging: { requests: { bodies } },
      providers: {
        up: { type: 'openai', api_key: 'sk-0123456789', custom_host: `${upstream.url}/v1` },
        gemini: { type: 'gemini', api_key: 'AIza-0123456789', custom_host: upstream.url },
      },
      configs: { labelled: { labels: { team: 'config', cost: 'c' }, targets: ['up/m'] } },
    };
    gateways.set(bodies, await startTestGateway(JSON.stringify(config)));
  }
});
afterAll(async () => {
  for (const gateway of gateways.values()) await gateway.close();
  await upstream?.close();
});

async function recorded(
  bodies: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ record: LogRecord; sent: number; dropped: string }> {
  const gateway = gateways.get(bodies) as TestGateway;
  const text = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], ...body });
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  await response.text();
  const record = await gateway.record(response.headers.get('x-request-id'));
  return { record, sent: text.length, dropped: response.headers.get('x-gateway-dropped-params') ?? '' };
}

describe('labels in the record', () => {
  it.each([
    ['come from the body', 'metadata', {}, { team: 'body', app: 'shop' }],
    ['come from the config before the body', 'metadata', { 'x-gateway-config': 'labelled' }, { team: 'config', cost: 'c', app: 'shop' }],
    ['omit the body if the log policy is none', 'none', {}, {}],
    ['come only from the config if the log policy is none', 'none', { 'x-gateway-config': 'labelled' }, { team: 'config', cost: 'c' }],
  ])('%s', async (_name, bodies, headers, labels) => {
    const { record } = await recorded(bodies, { model: '@up/m', labels: { team: 'body', app: 'shop' } }, headers);
    expect(record.labels).toEqual(labels);
  });
});

it.each([
  ['without masking', { 'x-team': 'shop' }, 'shop', {}],
  ['with a masked value', { 'x-team': 'card 4111 1111 1111 1111' }, 'card [credit_card]', { credit_card: 1 }],
])('records request headers %s if only the length of the body changes', async (_name, headers, expectedHeaders, redactions) => {
  for (const content of ['a', 'longer', 'longer', 'b'.repeat(1000)]) {
    const { record, sent } = await recorded('metadata', { model: '@up/m', user: content }, headers);
    expect(record.request.headers).toMatchObject({ 'content-length': String(sent), 'x-team': expectedHeaders });
    expect(record.redactions).toEqual(redactions);
  }
});

describe('usage that no provider reported', () => {
  it.each([
    ['is estimated from the events of a stream', { model: '@up/m', stream: true }, 3, 'estimated'],
    ['is none for a rejected request', { model: '@up/fails' }, 0, 'none'],
  ])('%s', async (_name, body, completion, source) => {
    const { record, sent } = await recorded('metadata', body);
    expect(record.usage).toMatchObject({ prompt: source === 'none' ? 0 : Math.ceil(sent / 4), completion, source });
    expect(record.usage).toMatchObject({ cached: 0, cache_write: 0, reasoning: 0, audio_in: 0, audio_out: 0 });
  });
});

describe('dropped parameters', () => {
  const unknown = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown_${at}`, 1]));

  it.each([
    [3, 3],
    [32, 32],
    [33, 32],
    [500, 32],
  ])('of %i unknown names, %i are recorded', async (count, recordedCount) => {
    const { record, dropped } = await recorded('metadata', { model: '@gemini/gemini-2.5-flash', ...unknown(count) });
    expect(record.dropped.map(({ param }) => param)).toEqual(Array.from({ length: recordedCount }, (_, at) => `unknown_${at}`));
    expect(dropped).toContain('unknown_2');
  });
});
