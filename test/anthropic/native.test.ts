import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Recording } from '../contract/recordings.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { deadPort } from '../support/upstream.ts';
import { read, wantedOf } from './oracle.ts';
import { bad, catalog, counts, successful, missing, relayed, type Replay, startReplay } from './recorded.ts';
import { skipping } from '../support/skipping.ts';

/** Path prefixes: the library adds `/v1` to a base URL that may already end in it. */
const bases = ['/v1', '', '/v1/v1'];

describe.skipIf(skipping(missing))(`recorded messages through /v1/messages (${missing ?? 'replayed'})`, () => {
  let replay: Replay;
  let gateway: TestGateway;
  let gatewayWithSmallChunks: TestGateway;

  beforeAll(async () => {
    replay = await startReplay();
    const all = [...successful, ...bad, ...counts, ...relayed];
    gateway = await startTestGateway(catalog(all, replay.url));
    gatewayWithSmallChunks = await startTestGateway(catalog(successful, replay.url, ',split=11'));
  });
  afterAll(async () => {
    await gateway?.close();
    await gatewayWithSmallChunks?.close();
    await replay?.close();
  });

  it.each(bases)('forwards responses byte for byte and changes only the model of requests, base "%s"', async (base) => {
    const failures = await eachOf(successful, async (exchange) => {
      const text = bodyText(exchange);
      const response = await post(gateway, `${base}/messages`, exchange, text);
      const answer = await response.text();
      const id = response.headers.get('request-id');
      expect(response.status).toBe(200);
      expect(answer).toBe(exchange.response.body);
      expect(response.headers.get('x-request-id')).toBe(id);
      expect(response.headers.get('content-type')).toBe(exchange.response.headers['content-type']);
      const received = replay.seen(exchange.id).requests.at(-1);
      expect(received?.path).toBe('/v1/messages');
      expect(Buffer.from(received?.body_base64 ?? '', 'base64').toString()).toBe(text.replace(`@${exchange.id}/`, ''));
      expect(received?.headers).toMatchObject({ 'x-api-key': 'sk-ant-api03-0123456789', 'anthropic-version': '2023-06-01' });
      const expected = wantedOf(read(exchange));
      expect(await gateway.record(id)).toMatchObject({
        endpoint: 'messages',
        status: 200,
        end: 'whole',
        lane: 'splice',
        model: { answered: expected.model },
        finish: expected.native === null ? [] : [expected.native],
        usage: { prompt: expected.usage.prompt, completion: expected.usage.completion, cached: expected.usage.cached, source: 'reported' },
      });
    });
    expect(failures).toEqual([]);
  });

  it('forwards responses unchanged if they arrive in small chunks', async () => {
    const failures = await eachOf(successful, async (exchange) => {
      const response = await post(gatewayWithSmallChunks, '/v1/messages', exchange, bodyText(exchange));
      expect(await response.text()).toBe(exchange.response.body);
    });
    expect(failures).toEqual([]);
  });

  it.each(bad.map((exchange) => [exchange.id, exchange] as const))(
    '%s: forwards the error of the API, or returns 502 in its format for a rejected credential',
    async (_id, exchange) => {
      const response = await post(gateway, '/v1/messages', exchange, bodyText(exchange));
      const body = (await response.json()) as { type: string; error: { type: string; message: string }; request_id: string };
      const recorded = JSON.parse(exchange.response.body ?? '') as { error: { message: string } };
      expect(body.type).toBe('error');
      expect(body.error.message).toContain(recorded.error.message);
      if (exchange.response.status !== 401) {
        expect(response.status).toBe(exchange.response.status);
        expect(body).toEqual(recorded);
        return;
      }
      expect(response.status).toBe(502);
      expect(body.request_id).toBe(response.headers.get('request-id'));
    },
  );

  it.each(counts.map((exchange) => [exchange.id, exchange] as const))('%s: returns the token count', async (_id, exchange) => {
    const response = await post(gateway, '/v1/messages/count_tokens', exchange, bodyText(exchange));
    expect(await response.text()).toBe(exchange.response.body);
    expect(replay.seen(exchange.id).requests.at(-1)?.path).toBe('/v1/messages/count_tokens');
  });

  it.each(relayed.map((exchange) => [exchange.id, exchange] as const))(
    '%s: relays the request and the response unchanged',
    async (_id, exchange) => {
      const { pathname, search } = new URL(exchange.request.url);
      const form = new FormData();
      form.set('file', new Blob(['x']), 'a.png');
      const isUpload = exchange.api === 'files';
      const response = await fetch(`${gateway.url}${pathname}${search}`, {
        method: exchange.request.method,
        headers: {
          ...(isUpload ? {} : { 'content-type': 'application/json' }),
          'x-gateway-provider': `@${exchange.id}`,
          'anthropic-beta': 'files-api-2025-04-14',
        },
        body: isUpload ? form : '{"x":1}',
      });
      expect(await response.text()).toBe(exchange.response.body);
      const received = replay.seen(exchange.id).requests.at(-1);
      expect(received?.headers).toMatchObject({
        'x-api-key': 'sk-ant-api03-0123456789',
        'anthropic-beta': 'files-api-2025-04-14',
        'anthropic-version': '2023-06-01',
      });
      expect(received?.path).toBe(pathname);
    },
  );

  it.each(relayed.filter(({ api }) => api === 'files').map((exchange) => [exchange.id, exchange] as const))(
    '%s: converts the file to the OpenAI format on /v1/files',
    async (_id, exchange) => {
      const form = new FormData();
      form.set('purpose', 'vision');
      form.set('file', new Blob(['x']), 'a.png');
      const response = await fetch(`${gateway.url}/v1/files`, {
        method: 'POST',
        headers: { 'x-gateway-provider': `@${exchange.id}` },
        body: form,
      });
      const recorded = JSON.parse(exchange.response.body ?? '') as Record<string, unknown>;
      expect(await response.json()).toEqual({
        id: recorded['id'],
        object: 'file',
        bytes: recorded['size_bytes'],
        created_at: Math.floor(Date.parse(String(recorded['created_at'])) / 1000),
        filename: recorded['filename'],
        purpose: 'vision',
        status: 'processed',
      });
      expect(response.headers.get('x-gateway-dropped-params')).toBe('purpose');
      const received = replay.seen(exchange.id).requests.at(-1);
      const sent = Buffer.from(received?.body_base64 ?? '', 'base64').toString();
      expect(sent).toContain('name="file"; filename="a.png"');
      expect(sent).not.toContain('purpose');
      expect(received?.headers['anthropic-beta']).toBe('files-api-2025-04-14');
    },
  );

  it('falls back to the second provider, with and without streaming', async () => {
    const failures: string[] = [];
    const port = await deadPort();
    const chosen = [successful.find(({ stream }) => stream), successful.find(({ stream }) => !stream)] as [Recording, Recording];
    const yaml = JSON.parse(catalog(chosen, replay.url)) as Record<string, unknown>;
    const providers = {
      ...(yaml['providers'] as object),
      dead: { type: 'anthropic', api_key: 'sk-ant-dead-0123456789', custom_host: `http://127.0.0.1:${port}/v1` },
    };
    const configs = Object.fromEntries(
      chosen.map(({ id }) => [`c-${id}`, { strategy: { mode: 'fallback' }, targets: [{ provider: '@dead' }, { provider: `@${id}` }] }]),
    );
    const ownGateway = await startTestGateway(JSON.stringify({ version: 1, providers, configs }));
    for (const exchange of chosen) {
      const response = await fetch(`${ownGateway.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gateway-config': `c-${exchange.id}` },
        body: JSON.stringify(exchange.request.body),
      });
      expect(await response.text()).toBe(exchange.response.body);
      expect(response.headers.get('x-gateway-last-used-option-index')).toBe('config.targets[1]');
    }
    await ownGateway.close();
    expect(failures).toEqual([]);
  });
});

/** The recorded request with the provider in its model, as a client would write it. */
const bodyText = (exchange: Recording): string =>
  JSON.stringify({ ...exchange.request.body, model: `@${exchange.id}/${String(exchange.request.body?.['model'])}` });

const post = (to: TestGateway, path: string, exchange: Recording, body: string): Promise<Response> =>
  fetch(`${to.url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...betaOf(exchange) }, body });

function betaOf(exchange: Recording): Record<string, string> {
  const beta = (exchange.request as { headers?: Record<string, string> }).headers?.['anthropic-beta'];
  return beta === undefined ? {} : { 'anthropic-beta': beta };
}

async function eachOf(list: readonly Recording[], check: (exchange: Recording) => Promise<void>): Promise<string[]> {
  const failures: string[] = [];
  for (const exchange of list) {
    try {
      await check(exchange);
    } catch (error) {
      failures.push(`${exchange.id}: ${(error as Error).message}`);
    }
  }
  return failures;
}
