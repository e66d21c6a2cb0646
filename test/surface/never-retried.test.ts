import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { bothProviders } from './both.ts';

/**
 * A request that creates, cancels or deletes an object is never retried: after a broken connection nobody knows whether it had an effect.
 */

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response, { method }) => {
    if (method === 'GET') json(response, 200, { object: 'list', data: [], has_more: false });
    else response.destroy();
  });
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { egress: { allow: ['127.0.0.1'] } },
      providers: bothProviders(upstream.url),
      configs: {
        chain: { strategy: { mode: 'fallback' }, retry: { attempts: 3 }, targets: [{ provider: 'openai' }, { provider: 'azure' }] },
      },
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const bodies = {
  batches: { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' },
  'fine_tuning/jobs': { training_file: 'file-1', model: 'm-1' },
} as const;

const none = undefined;

it.each<readonly [method: string, path: string, body: object | undefined]>([
  ['POST', 'batches', bodies.batches],
  ['POST', 'fine_tuning/jobs', bodies['fine_tuning/jobs']],
  ['POST', 'batches/b1/cancel', none],
  ['POST', 'fine_tuning/jobs/j1/cancel', none],
  ['DELETE', 'files/f1', none],
])('%s %s is not retried after a broken connection', async (method, path, body) => {
  const headers = { 'x-gateway-virtual-key': 'openai', 'x-gateway-config': 'chain', 'content-type': 'application/json' };
  // Opens the connection: a failure on a reused connection could be retried as a stale connection.
  expect((await fetch(`${gateway.url}/v1/batches`, { headers })).status).toBe(200);
  upstream.requests.length = 0;
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([response.status, upstream.requests.length]).toEqual([502, 1]);
  expect(await response.json()).toMatchObject({ error: { code: 'upstream_unreachable' } });
});
