import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminUrl, call } from '../admin/client.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** A provider's claims in a response affect only the record of that response. */

const key = 'sk-proj-a8F3kq9ZpL2mN7vR4tY6wB1cD5eG0hJqk3';
const token = 'token-of-the-admin-12';
const loaded = 'key-of-the-provider';
const usages = ['{"prompt_tokens":1e308,"completion_tokens":1e308}', '{"prompt_tokens":0.6,"completion_tokens":1.4}'] as const;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((response, _request, count) => {
    const choices = '[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]';
    response.setHeader('content-type', 'application/json');
    response.end(
      `{"id":"c","object":"chat.completion","model":"${key}","choices":${choices},"usage":${count > 2 ? usages[1] : usages[0]}}`,
    );
  });
  gateway = await startTestGateway(
    `version: 1
server: {egress: {allow: [127.0.0.1]}, admin: {token: "\${env:ADMIN_TOKEN}"}}
logging: {requests: {bodies: redacted}}
observability: {metrics: {metadata_labels: [team]}}
providers: {p: {type: openai, api_key: "${loaded}", custom_host: "${upstream.url}/v1"}}
`,
    { admin: true, env: { ADMIN_TOKEN: token } },
  );
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function send(metadata = '{}', model = 'gpt-4o'): Promise<string | null> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-metadata': metadata },
    body: JSON.stringify({ model: `@p/${model}`, messages: [{ role: 'user', content: 'hello' }] }),
  });
  await response.text();
  return response.headers.get('x-request-id');
}

describe('response of a hostile provider', () => {
  it('does not make a counter or a price infinite', async () => {
    const record = await gateway.record(await send());
    expect(record.usage).toMatchObject({ prompt: 1e13, completion: 1e13, source: 'reported' });
    expect(record.cost.usd).toBeNull();
    await send();
    expect((await gateway.record(await send())).usage).toMatchObject({ prompt: 1, completion: 2 });
    const { text } = await call(adminUrl(gateway), '/metrics');
    expect(text).toMatch(/gateway_tokens_total\{[^}]*direction="input"[^}]*\} 20000000000001\n/);
    expect(text).not.toMatch(/Infinity|e\+|NaN/);
  });

  it('does not put a secret into a metrics label', async () => {
    const record = await gateway.record(await send());
    expect(record.model.answered).toBe('[secret]');
    expect((await call(adminUrl(gateway), '/metrics')).text).not.toContain(key);
  });
});

describe('secret of the configuration sent by a client', () => {
  it('appears nowhere if it is sent as the model or as metadata', async () => {
    const id = await send(JSON.stringify({ team: `of ${loaded}` }), loaded);
    await gateway.record(id);
    const pages = ['/metrics', `/api/requests/${id}`, '/api/requests', '/api/stats?by=model', '/api/stats?by=meta.team'];
    for (const page of pages) {
      const { status, text } = await call(adminUrl(gateway), page, { token });
      expect([page, status, text.includes(loaded)]).toEqual([page, 200, false]);
    }
    const metrics = (await call(adminUrl(gateway), '/metrics')).text;
    expect(metrics).toMatch(/gateway_requests_total\{[^}]*model="\*\*\*"/);
    expect(metrics).toMatch(/gateway_requests_total\{[^}]*meta_team="of \*\*\*"/);
    expect(gateway.lines.join('')).not.toContain(loaded);
  });
});

describe('metadata', () => {
  it('contains no secret in its names', async () => {
    const record = await gateway.record(await send(JSON.stringify({ [`k ${key}`]: 'v', __proto__x: 'w' })));
    expect(JSON.stringify(record)).not.toContain(key);
    expect(record.metadata).toEqual({ 'k [secret]': 'v', __proto__x: 'w' });
  });
});
