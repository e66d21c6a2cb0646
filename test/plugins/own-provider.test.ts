import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chunks, completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

const folder = resolve(import.meta.dirname, '../../configs/examples/own-provider');

let gateway: TestGateway | undefined;
let upstream: ScriptedUpstream | undefined;

afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
  gateway = upstream = undefined;
});

async function started(): Promise<TestGateway> {
  upstream = await startUpstream((response, request) => {
    if (request.headers['x-acme-key'] !== 'acme-secret-0123456789') json(response, 401, { error: 'no key' });
    else if (request.url === '/chat/stream') sse(response, [...chunks('Hel', 'lo'), '[DONE]']);
    else if (request.url === '/chat') json(response, 200, completion('Hello'));
    else json(response, 404, {});
  });
  gateway = await startTestGateway(await readFile(join(folder, 'gateway.yaml'), 'utf8'), {
    env: { ACME_URL: upstream.url, ACME_API_KEY: 'acme-secret-0123456789' },
    files: { 'acme.ts': await readFile(join(folder, 'acme.ts'), 'utf8') },
  });
  return gateway;
}

const chat = (at: TestGateway, stream: boolean): Promise<Response> =>
  fetch(`${at.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: '@acme-main/large', stream, messages: [{ role: 'user', content: 'hello' }] }),
  });

describe('the example of a provider type', () => {
  it('serves a chat completion, with its own path and header', async () => {
    const response = await chat(await started(), false);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
    expect(response.headers.get('x-gateway-provider-type')).toBe('acme');
    expect(JSON.parse(upstream?.requests.at(-1)?.body.toString() ?? '')).toMatchObject({ model: 'large' });
  });

  it('serves a stream and records it as complete', async () => {
    const at = await started();
    const response = await chat(at, true);
    expect(await response.text()).toMatch(/Hel[\s\S]*lo[\s\S]*\[DONE\]/);
    expect(await at.record(response.headers.get('x-request-id'))).toMatchObject({ status: 200, provider: 'acme-main', end: 'whole' });
  });

  it('is in the documentation as it is', async () => {
    const page = await readFile(resolve(folder, '../../../docs/write-a-provider.md'), 'utf8');
    expect(page).toContain(await readFile(join(folder, 'acme.ts'), 'utf8'));
  });
});
