import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const keyOf = (name: string): string => `a-key-for-${name}-0123456789`;
const keyRow = (name: string): string => `{hash: "sha256:${createHash('sha256').update(keyOf(name)).digest('hex')}"}`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
const batches: object[] = [];

beforeAll(async () => {
  upstream = await startUpstream((response, { method }) => {
    if (method === 'GET') {
      json(response, 200, { data: batches, has_more: false });
      return;
    }
    const batch = {
      id: `msgbatch_${batches.length + 1}`,
      type: 'message_batch',
      processing_status: 'ended',
      created_at: '2026-11-02T09:00:00Z',
      ended_at: '2026-11-02T10:00:00Z',
      results_url: 'https://api.anthropic.com/x',
      request_counts: { processing: 0, succeeded: 1, errored: 0, canceled: 0, expired: 0 },
    };
    batches.unshift(batch);
    json(response, 200, batch);
  });
  gateway = await startTestGateway(`version: 1
providers:
  main: {type: anthropic, api_key: sk-ant-0123456789, custom_host: "${upstream.url}/v1", isolate: true}
api_keys:
  anna: ${keyRow('anna')}
  ben: ${keyRow('ben')}
`);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function send(name: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { 'x-gateway-api-key': keyOf(name), 'x-gateway-provider': '@main', 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${gateway.url}/v1/batches`, { headers, ...sent });
  return (await response.json()) as Record<string, unknown>;
}

async function create(name: string, endpoint: string): Promise<unknown> {
  const body = { model: 'claude-sonnet-4-5', max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] };
  const created = await send(name, {
    endpoint,
    completion_window: '24h',
    requests: [{ custom_id: 'a', method: 'POST', url: endpoint, body }],
  });
  return created['id'];
}

it('GET /v1/batches lists batches of both endpoints under the IDs with which they were created', async () => {
  const messages = await create('anna', '/v1/messages');
  const chat = await create('anna', '/v1/chat/completions');
  await create('ben', '/v1/messages');
  expect(await send('anna')).toMatchObject({
    data: [
      { id: chat, endpoint: '/v1/chat/completions', output_file_id: `${String(chat)}-output` },
      { id: messages, endpoint: '/v1/messages', output_file_id: `${String(messages)}-output` },
    ],
    first_id: chat,
    last_id: messages,
  });
  expect(((await send('ben'))['data'] as object[]).length).toBe(1);
});
