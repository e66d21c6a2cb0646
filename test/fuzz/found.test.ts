import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzConfig } from './config.ts';
import type { RawUpstream } from './raw-upstream.ts';
import { type FuzzRig, request, startFuzzRig } from './rig.ts';

/** Cases that once ended the process or left a request hanging: each gets a response, and the process continues. */

let rig: FuzzRig;
let upstream: RawUpstream;
beforeAll(async () => {
  rig = await startFuzzRig((upstreams) => fuzzConfig(upstreams, []), 1);
  [upstream] = rig.upstreams as [RawUpstream];
});
afterAll(() => rig.close());

const json = { 'content-type': 'application/json' };
const onMock = { ...json, 'x-gateway-provider': '@p-mock' };
const onOpenai = { ...json, 'x-gateway-provider': '@p-openai-0' };
const chat = '/v1/chat/completions';
const half = String.raw`\ud800`;
const messages = '"messages":[{"role":"user","content":"hi"}]';
const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const requests: readonly [what: string, bytes: Buffer, status: RegExp][] = [
  ['labels nested 5,000 deep', request('POST', chat, onMock, `{"model":"echo",${messages},"labels":${deep(5000)}}`), /^[24]/],
  ['half a surrogate pair in the model', request('POST', chat, onMock, `{"model":"echo${half}",${messages}}`), /^[245]/],
  [
    'half a pair in the name of a field',
    request('POST', chat, { ...json, 'x-gateway-provider': '@p-claude-0' }, `{"model":"m",${messages},"x${half}":1}`),
    /^[245]/,
  ],
  [
    'half a pair in a metadata key',
    request('POST', chat, { ...onMock, 'x-gateway-metadata': `{"a${half}":"b"}` }, `{"model":"echo",${messages}}`),
    /^[24]/,
  ],
  [
    "half a pair in an inline config's model",
    request(
      'POST',
      chat,
      { ...json, 'x-gateway-config': `{"provider":"@p-mock","override_params":{"model":"echo${half}"}}` },
      `{"model":"m",${messages}}`,
    ),
    /^[245]/,
  ],
];

it.each(requests)('the gateway responds to %s', async (_name, bytes, status) => {
  const sent = await rig.send(bytes);
  expect([sent.end, String(sent.status)]).toEqual(['ended', expect.stringMatching(status) as string]);
  expect((await rig.facts()).unowned).toEqual([]);
});

const body = `{"model":"m",${messages}}`;
const routes: readonly [what: string, bytes: Buffer][] = [
  ['a chat', request('POST', chat, onOpenai, body)],
  ['a relayed path', request('GET', '/v1/assistants', onOpenai)],
  ['a model', request('GET', '/v1/models/nobody-knows-it', onOpenai)],
  ['a download', request('GET', '/v1/files/file-1/content', onOpenai)],
  [
    'a WebSocket',
    request('GET', '/v1/realtime?model=m', {
      ...onOpenai,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    }),
  ],
];
const statuses = ['000', '042', '099', '101', '199', '600', '742', '999'];

describe.each(routes)('a provider response to %s', (_name, bytes) => {
  it.each(statuses)('with status %s is reported as a provider error', async (status) => {
    upstream.response = {
      pieces: [Buffer.from(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`)],
      then: 'keep',
    };
    const sent = await rig.send(bytes);
    expect([sent.end, sent.status]).toEqual(['ended', 502]);
    expect(sent.text).toMatch(/"code":"(?:upstream_invalid|upstream_unreachable|provider_error)"/);
    expect((await rig.facts()).unowned).toEqual([]);
  });
});

it('a stream that is reset before its first byte could be forwarded returns 502', async () => {
  const event = 'data: {"candidates":{}}\r\r';
  upstream.response = { pieces: [Buffer.from(`HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n${event}`)], then: 'reset' };
  const sent = await rig.send(request('GET', '/v1/batches/file-1/output', { 'x-gateway-provider': '@p-claude-0' }));
  expect([sent.end, sent.status]).toEqual(['ended', 502]);
});

it('no request of these cases is still running', async () => {
  const facts = await rig.drain();
  expect([facts.drained, facts.unowned]).toEqual([[], []]);
});
