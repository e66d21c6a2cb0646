import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { bothProviders } from './both.ts';

/** Gaps in responses of services that are otherwise forwarded unchanged, on both providers of the format. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let scripted: { readonly status: number; readonly text: string; readonly type?: string; readonly headers?: Record<string, string> };

beforeAll(async () => {
  upstream = await startUpstream((response) => {
    const { status, text, type = 'application/json', headers = {} } = scripted;
    response.writeHead(status, text === '' ? headers : { 'content-type': type, ...headers }).end(text === '' ? undefined : text);
  });
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { egress: { allow: ['127.0.0.1'] } },
      providers: bothProviders(upstream.url),
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const send = (provider: string, method: string, path: string): Promise<Response> =>
  fetch(`${gateway.url}/v1/${path}`, { method, headers: { 'x-gateway-virtual-key': provider } });

const job = 'fine_tuning/jobs/ftjob-1/checkpoints';

it.each(['openai', 'azure'])('%s: adds first_id and last_id to pages of checkpoints', async (provider) => {
  const rows = [{ id: 'ftckpt_2' }, { id: 'ftckpt_1' }];
  scripted = { status: 200, text: JSON.stringify({ object: 'list', data: rows, has_more: true }) };
  const full = await send(provider, 'GET', job);
  expect(await full.json()).toEqual({ object: 'list', data: rows, has_more: true, first_id: 'ftckpt_2', last_id: 'ftckpt_1' });
  scripted = { status: 200, text: '{"object":"list","data":[],"has_more":false}' };
  const empty = await send(provider, 'GET', job);
  expect(await empty.json()).toEqual({ object: 'list', data: [], has_more: false, first_id: null, last_id: null });
});

it('openai: forwards a page with first_id and last_id, and an error, byte for byte', async () => {
  scripted = { status: 200, text: '{ "object":"list","data":[{"id":"c","x":1.0}],"first_id":"c","last_id":"c","has_more":false }' };
  expect(await (await send('openai', 'GET', job)).text()).toBe(scripted.text);
  scripted = {
    status: 404,
    text: '{"error":{"message":"No such job.","type":"invalid_request_error","param":null,"code":"fine_tune_not_found"}}',
  };
  const response = await send('openai', 'GET', job);
  expect([response.status, await response.text()]).toEqual([404, scripted.text]);
});

it.each(['openai', 'azure'].flatMap((provider) => [204, 200].map((status) => [provider, status] as const)))(
  '%s: returns the deleted file if the service returns %i with an empty body',
  async (provider, status) => {
    scripted = { status, text: '' };
    const response = await send(provider, 'DELETE', 'files/file-1');
    expect([response.status, await response.json()]).toEqual([200, { id: 'file-1', object: 'file', deleted: true }]);
  },
);

it('azure: returns a created object without its address at the service', async () => {
  const location = `${upstream.url}/openai/batches/batch_1?api-version=2024-10-21`;
  scripted = { status: 201, text: '{"id":"batch_1","object":"batch"}', headers: { location, 'operation-location': location } };
  const response = await fetch(`${gateway.url}/v1/batches`, {
    method: 'POST',
    headers: { 'x-gateway-virtual-key': 'azure', 'content-type': 'application/json' },
    body: '{"input_file_id":"file-1","endpoint":"/v1/chat/completions","completion_window":"24h"}',
  });
  expect([response.status, response.headers.get('location'), response.headers.get('operation-location')]).toEqual([200, null, null]);
});

it.each(['openai', 'azure'])('%s: records no model for requests about objects', async (provider) => {
  const first = gateway.records.length;
  scripted = { status: 200, text: '{"id":"file-1","object":"file"}' };
  const form = new FormData();
  form.set('purpose', 'fine-tune');
  form.set('file', new Blob(['{}']), 'a.jsonl');
  await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers: { 'x-gateway-virtual-key': provider }, body: form });
  await send(provider, 'GET', 'files/file-1');
  await send(provider, 'GET', 'batches');
  const records = gateway.records.slice(first);
  expect(records.map(({ endpoint, model, status, attempts }) => [endpoint, model.sent, status, attempts.length])).toEqual([
    ['files', null, 200, 1],
    ['files/{id}', null, 200, 1],
    ['batches/list', null, 200, 1],
  ]);
});

const transcribe = (provider: string, format: string): Promise<Response> => {
  const form = new FormData();
  form.set('file', new Blob(['RIFF']), 'a.wav');
  form.set('model', 'd');
  form.set('response_format', format);
  return fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers: { 'x-gateway-virtual-key': provider }, body: form });
};

const createSpeech = (provider: string): Promise<Response> =>
  fetch(`${gateway.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'x-gateway-virtual-key': provider, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'd', input: 'x', voice: 'alloy' }),
  });

describe.each(['openai', 'azure'])('%s', (provider) => {
  it.each([
    ['text', 'Hello there.\n'],
    ['srt', '1\n00:00:00,000 --> 00:00:01,000\nHello\n'],
    ['vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n'],
  ])('forwards a transcription as %s with the content type of JSON', async (format, text) => {
    scripted = { status: 200, text };
    const response = await transcribe(provider, format);
    expect([response.status, await response.text()]).toEqual([200, text]);
  });

  it('returns an error with status 200 as an error, for any response format', async () => {
    scripted = { status: 200, text: '{"error":{"message":"no such voice","type":"invalid_request_error"}}' };
    for (const response of [await transcribe(provider, 'text'), await createSpeech(provider)]) {
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { message: 'no such voice', type: 'invalid_request_error' } },
      ]);
    }
  });

  it('returns 502 for an HTML page in place of audio or text', async () => {
    scripted = { status: 200, text: '<html>Log in</html>', type: 'text/html; charset=utf-8' };
    for (const response of [await transcribe(provider, 'vtt'), await createSpeech(provider)]) {
      expect([response.status, await response.json()]).toMatchObject([502, { error: { code: 'upstream_invalid' } }]);
    }
  });

  it('rejects an id with slashes without an upstream request', async () => {
    upstream.requests.length = 0;
    const bad = { code: 'invalid_value', param: 'id' };
    const noRoute = { code: 'route_not_found' };
    for (const [path, error] of [
      ['files/a%2Fb', bad],
      ['batches/a%2F..%2Fb', noRoute],
      ['fine_tuning/jobs/a%5Cb', noRoute],
    ] as const) {
      const response = await send(provider, 'GET', path);
      expect([response.status, await response.json()]).toMatchObject([404, { error }]);
    }
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    ['POST', 'embeddings', { model: 'd', input: 'x' }],
    ['GET', 'files', undefined],
    ['GET', 'batches', undefined],
  ])('%s %s returns an error if the response is a stream', async (method, path, body) => {
    const headers = { 'x-gateway-virtual-key': provider, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const read = async (text: string): Promise<unknown> => {
      scripted = { status: 200, text, type: 'text/event-stream' };
      const response = await fetch(`${gateway.url}/v1/${path}`, { method, headers, body: JSON.stringify(body) });
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
    };
    expect(await read('data: {"id":"c"}\n\ndata: [DONE]\n\n')).toEqual([502, expect.stringContaining('stream of events')]);
    expect(await read('data: {"error":{"message":"slow","code":"rate_limit_exceeded"}}\n\n')).toEqual([
      429,
      expect.stringMatching(/slow$/),
    ]);
  });

  it('returns an error if the response contains only an error string', async () => {
    scripted = { status: 200, text: '{"error":"no such thing"}' };
    const headers = { 'x-gateway-virtual-key': provider, 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}/v1/responses`, { method: 'POST', headers, body: '{"model":"d","input":"x"}' });
    expect([response.status, await response.json()]).toMatchObject([502, { error: { message: 'no such thing' } }]);
  });

  it('shortens an HTML page in an error', async () => {
    scripted = { status: 500, text: `<html>${'x'.repeat(500_000)}</html>`, type: 'text/html' };
    const response = await send(provider, 'GET', 'batches/b1');
    expect(response.status).toBe(500);
    expect((await response.text()).length).toBeLessThan(20_000);
  });
});

it('uses and removes the provider in the query parameter model', async () => {
  upstream.requests.length = 0;
  scripted = { status: 200, text: '{"object":"list","data":[],"has_more":false}' };
  for (const query of ['model=@openai/m&limit=2', 'limit=2&model=%40openai%2Fm', 'limit=2&model=m']) {
    const headers = query.includes('openai') ? {} : { 'x-gateway-virtual-key': 'openai' };
    expect((await fetch(`${gateway.url}/v1/batches?${query}`, { headers })).status).toBe(200);
  }
  expect(upstream.requests.map(({ url }) => url)).toEqual(['/v1/batches?limit=2', '/v1/batches?limit=2', '/v1/batches?limit=2&model=m']);
});
