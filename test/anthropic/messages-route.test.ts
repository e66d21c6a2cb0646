import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { deadPort, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { events, message, startAnthropic } from './sdk-upstream.ts';

const callerKey = 'app-web-key-0123456789abcdef';
const catalogKey = 'sk-ant-api03-0123456789';
const minimalBody = { max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };

interface ErrorBody {
  readonly type: string;
  readonly error: { readonly type: string; readonly message: string; readonly gateway?: Record<string, unknown> };
  readonly request_id: string;
}

describe('POST /v1/messages', () => {
  let upstream: ScriptedUpstream;
  let gateway: TestGateway;

  beforeAll(async () => {
    upstream = await startAnthropic();
    const custom_host = `${upstream.url}/v1`;
    const dead = `http://127.0.0.1:${await deadPort()}/v1`;
    gateway = await startTestGateway(
      JSON.stringify({
        version: 1,
        server: { egress: { allow: ['127.0.0.1'] } },
        api_keys: { app: { hash: `sha256:${createHash('sha256').update(callerKey).digest('hex')}` } },
        providers: {
          claude: { type: 'vendor-a', api_key: catalogKey, custom_host, beta: ['own-1'] },
          dead: { type: 'anthropic', api_key: catalogKey, custom_host: dead },
        },
        configs: {
          chain: {
            strategy: { mode: 'fallback' },
            targets: [{ provider: '@dead' }, { provider: '@claude', override_params: { model: 'm-text' } }],
          },
          lost: { strategy: { mode: 'fallback' }, targets: [{ provider: '@dead' }, { provider: '@dead' }] },
        },
      }),
    );
  });
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  const post = (headers: Record<string, string>, body: object | string, path = '/v1/messages'): Promise<Response> =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it.each([
    ['x-api-key', { 'x-api-key': callerKey }],
    ['authorization', { authorization: `Bearer ${callerKey}` }],
    ['x-gateway-api-key', { 'x-gateway-api-key': callerKey }],
  ])('accepts the gateway key in %s', async (_where, headers) => {
    const response = await post(headers, { model: '@claude/m-text', ...minimalBody });
    expect(await response.json()).toEqual(message('m-text', false));
    const received = upstream.requests.at(-1);
    expect(received?.headers['x-api-key']).toBe(catalogKey);
    expect(received?.headers['authorization']).toBeUndefined();
    expect(received?.rawHeaders.join()).not.toContain(callerKey);
  });

  it("forwards the client's own provider key in x-api-key if the provider is a bare type", async () => {
    for (const credentials of [{ 'x-api-key': 'sk-ant-own-0123456789' }, { authorization: 'Bearer sk-ant-own-0123456789' }]) {
      const headers = {
        'x-gateway-api-key': callerKey,
        'x-gateway-provider': 'anthropic',
        'x-gateway-custom-host': `${upstream.url}/v1`,
        ...credentials,
      };
      const response = await post(headers, { model: 'm-text', ...minimalBody });
      expect(response.status).toBe(200);
      expect(upstream.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': 'sk-ant-own-0123456789' });
      expect(upstream.requests.at(-1)?.headers['authorization']).toBeUndefined();
    }
  });

  it('forwards anthropic-version, anthropic-beta and the query string', async () => {
    await post(
      { 'x-api-key': callerKey, 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a-1,own-1', 'x-portkey-anthropic-beta': 'b-1' },
      { model: '@claude/m-text', ...minimalBody },
      '/v1/messages?beta=true',
    );
    expect(upstream.requests.at(-1)).toMatchObject({
      url: '/v1/messages?beta=true',
      headers: { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'own-1,a-1,b-1' },
    });
  });

  it('forwards every byte of a stream, ping events included', async () => {
    const response = await post({ 'x-api-key': callerKey }, { model: '@claude/m-text', stream: true, ...minimalBody });
    expect(await response.text()).toBe(events('m-text', false).join(''));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await gateway.record(response.headers.get('request-id'))).toMatchObject({
      end: 'whole',
      finish: ['tool_use'],
      usage: { prompt: 17, completion: 20, cached: 4, cache_write: 3, source: 'reported' },
      model: { asked: '@claude/m-text', sent: 'm-text', answered: 'm-text' },
    });
  });

  it('falls back from an unreachable target to the next one', async () => {
    for (const stream of [false, true]) {
      const response = await post({ 'x-api-key': callerKey, 'x-gateway-config': 'chain' }, { model: 'm', stream, ...minimalBody });
      expect(await response.text()).toBe(stream ? events('m-text', false).join('') : JSON.stringify(message('m-text', false)));
      expect(response.headers.get('x-gateway-last-used-option-index')).toBe('config.targets[1]');
      expect(response.headers.get('x-gateway-attempts')).toMatch(/^dead=unreachable;.*claude=200;/);
    }
  });

  it.each([
    ['no key', {}, { model: '@claude/m-text', ...minimalBody }, 401, 'authentication_error', 'missing_api_key'],
    ['a body that is not JSON', { 'x-api-key': callerKey }, '{"model":', 400, 'invalid_request_error', 'invalid_json'],
    [
      'an unknown provider',
      { 'x-api-key': callerKey },
      { model: '@claud/m', ...minimalBody },
      404,
      'not_found_error',
      'provider_not_found',
    ],
    ['an unreachable provider', { 'x-api-key': callerKey }, { model: '@dead/m', ...minimalBody }, 502, 'api_error', 'upstream_unreachable'],
    [
      'a chain whose targets all fail',
      { 'x-api-key': callerKey, 'x-gateway-config': 'lost' },
      { model: 'm', ...minimalBody },
      502,
      'api_error',
      'all_targets_failed',
    ],
  ] as const)("returns an error in Anthropic's format for %s", async (_name, headers, body, status, type, code) => {
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      const response = await post(headers, body, path);
      const answer = (await response.json()) as ErrorBody;
      expect(response.status).toBe(status);
      expect(answer).toMatchObject({
        type: 'error',
        error: { type, gateway: { code, source: expect.stringMatching(/^(?:gateway|provider)$/) } },
        request_id: response.headers.get('request-id'),
      });
      expect(Object.keys(answer).toSorted()).toEqual(['error', 'request_id', 'type']);
      expect(answer.error.message).toMatch(/[.?]$/);
    }
  });

  it("returns errors of /v1/messages/batches in Anthropic's format", async () => {
    const response = await post({}, { requests: [] }, '/v1/messages/batches');
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
  });

  it.each([
    ['m-breaks', /\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error","message":"Overloaded"\}\}\n\n$/],
    [
      'm-cut',
      /\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"Provider \\"claude\\" closed the stream before its end\.".*"request_id":"req_[^"]+"\}\n\n$/,
    ],
  ])('ends an interrupted stream with an error event: %s', async (model, end) => {
    const response = await post({ 'x-api-key': callerKey }, { model: `@claude/${model}`, stream: true, ...minimalBody });
    expect(await response.text()).toMatch(end);
    expect(await gateway.record(response.headers.get('request-id'))).toMatchObject({ end: 'fault', status: 200 });
  });

  it.each([
    ['m-breaks', 'Overloaded'],
    ['m-cut', 'Provider "claude" closed the stream before its end.'],
  ])('ends an interrupted converted stream with an error and without finish_reason: %s', async (model, text) => {
    const response = await post(
      { 'x-api-key': callerKey },
      { model: `@claude/${model}`, stream: true, ...minimalBody },
      '/v1/chat/completions',
    );
    const responseText = await response.text();
    expect(responseText).not.toContain('[DONE]');
    expect(responseText).not.toContain('"finish_reason":"');
    const last = responseText.trimEnd().split('\n\n').at(-1) ?? '';
    expect((JSON.parse(last.slice(6)) as { error: { message: string } }).error.message).toContain(text);
  });

  it('forwards retry-after with the error of the provider', async () => {
    const response = await post({ 'x-api-key': callerKey }, { model: '@claude/m-limit', ...minimalBody });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  });
});

it('falls back to the next target if a stream starts with an error event', async () => {
  const upstream = await startUpstream((response, { url }) => {
    if (url.startsWith('/b/')) return json(response, 200, message('m', true));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `${events('m', true).slice(0, 2).join('')}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`,
    );
    return undefined;
  });
  const entry = (path: string): object => ({ type: 'anthropic', api_key: catalogKey, custom_host: `${upstream.url}/${path}/v1` });
  const config = { strategy: { mode: 'fallback' }, targets: [{ provider: '@a' }, { provider: '@a' }] };
  const gateway = await startTestGateway(
    JSON.stringify({ version: 1, providers: { a: entry('a'), b: entry('b') }, configs: { c: config } }),
  );
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': 'c' },
    body: JSON.stringify({ model: 'm', stream: true, ...minimalBody }),
  });
  expect(upstream.requests.length).toBe(2);
  expect(await response.json()).toMatchObject({ type: 'error', error: { message: expect.stringContaining('Overloaded') } });
  await gateway.close();
  await upstream.close();
});
