import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chunks, completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

const examples = resolve(import.meta.dirname, '../../configs/examples');
const folder = join(examples, 'own-provider');

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
    else if (request.url === '/chat/stream') sse(response, chunks('Hel', 'lo'));
    else if (request.url === '/chat') json(response, 200, completion('Hello'));
    else json(response, 404, {});
  });
  gateway = await startTestGateway(await readFile(join(folder, 'gateway.yaml'), 'utf8'), {
    env: { ACME_URL: upstream.url, ACME_API_KEY: 'acme-secret-0123456789' },
    files: { 'acme.ts': await readFile(join(folder, 'acme.ts'), 'utf8') },
  });
  return gateway;
}

const chat = (at: TestGateway, stream: boolean, model = '@acme-main/large', more: object = {}): Promise<Response> =>
  fetch(`${at.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hello' }], ...more }),
  });

describe('the example of a provider type', () => {
  it('serves a chat completion with its own path and header', async () => {
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

  it('is quoted unchanged in the documentation', async () => {
    const page = await readFile(resolve(folder, '../../../docs/write-a-provider.md'), 'utf8');
    expect(page).toContain(await readFile(join(folder, 'acme.ts'), 'utf8'));
  });
});

describe('the example of a provider type with its own format', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

  async function writer(): Promise<TestGateway> {
    const tokens = { read: 3, written: 2 };
    upstream = await startUpstream((response, request) => {
      const { stream } = JSON.parse(request.body.toString()) as { stream: boolean };
      if (stream)
        sse(
          response,
          [{ text: 'Hel' }, { text: 'lo' }, { text: '', tokens }].map((piece) => `data: ${JSON.stringify(piece)}\n\n`),
        );
      else json(response, 200, { text: 'Hello', tokens });
    });
    const exampleFolder = join(examples, 'own-format');
    gateway = await startTestGateway(await readFile(join(exampleFolder, 'gateway.yaml'), 'utf8'), {
      env: { PLAINTEXT_URL: upstream.url, PLAINTEXT_API_KEY: 'plaintext-secret-0123456789' },
      files: { 'plaintext.ts': await readFile(join(exampleFolder, 'plaintext.ts'), 'utf8') },
    });
    return gateway;
  }

  it('converts request and response without streaming, and reports unsupported parameters', async () => {
    const response = await chat(await writer(), false, '@writer/novel', { temperature: 1 });
    expect(JSON.parse(upstream?.requests[0]?.body.toString() ?? '')).toEqual({ model: 'novel', stream: false, text: 'user: hello' });
    expect(response.headers.get('x-gateway-dropped-params')).toBe('temperature');
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'novel',
      provider: 'plaintext',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage,
    });
  });

  it('converts a stream, also for clients of the Messages API, and records its usage', async () => {
    const at = await writer();
    const response = await chat(at, true, '@writer/novel', { stream_options: { include_usage: true } });
    const events = (await response.text())
      .split('\n\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Chunk] : []));
    expect(events.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello');
    expect(events.at(-1)).toMatchObject({ usage });
    expect(await at.record(response.headers.get('x-request-id'))).toMatchObject({ end: 'whole', usage: { prompt: 3, completion: 2 } });
    const message = await fetch(`${at.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@writer/novel', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(await message.json()).toMatchObject({ content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' });
  });
});

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}
