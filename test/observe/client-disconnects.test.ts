import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Status } from '../../src/admin/api-types.ts';
import { adminUrl } from '../admin/client.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const token = 'token-of-the-test-0123456789';
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream(() => {});
  const yaml = `version: 1
server: {admin: {token: ${token}}}
providers: {slow: {type: openai, api_key: k, custom_host: "${upstream.url}/v1"}}
`;
  gateway = await startTestGateway(yaml, { admin: true });
});
afterAll(async () => {
  await gateway?.close();
  await upstream.close();
});

it('a provider is not reported as down because clients disconnect before it responds', async () => {
  for (let n = 1; n <= 3; n += 1) {
    const leave = new AbortController();
    const response = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@slow/m', messages: [] }),
      signal: leave.signal,
    });
    await until(() => upstream.requests.length === n, 'the request');
    leave.abort();
    await expect(response).rejects.toThrow('aborted');
  }
  const metrics = async (): Promise<string> => (await fetch(`${adminUrl(gateway)}/metrics`)).text();
  const page = await until(async () => {
    const text = await metrics();
    return /requests_total\{.*status="499".*\} 3\n/.test(text) && text;
  }, 'three requests that clients left');
  expect(page).toContain('gateway_attempts_total{provider="slow",model="m",outcome="cancelled"} 3\n');
  expect(page).toContain('gateway_provider_up{provider="slow"} 1\n');
  const response = await fetch(`${adminUrl(gateway)}/api/status`, { headers: { authorization: `Bearer ${token}` } });
  const { providers } = (await response.json()) as Status;
  expect(providers).toMatchObject([{ slug: 'slow', state: 'ok', last_error: null }]);
});
