import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import Anthropic, { toFile as toNativeFile } from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { python } from '../sdk/python.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type BatchUpstream, startBatchUpstream, upstreamKey } from './batch-upstream.ts';
import { lacking } from '../support/skipping.ts';

const callerKey = 'app-web-key-0123456789abcdef';

let upstream: BatchUpstream;
let gateway: TestGateway;
let client: OpenAI;
let native: Anthropic;

beforeAll(async () => {
  upstream = await startBatchUpstream();
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      api_keys: { app: { hash: `sha256:${createHash('sha256').update(callerKey).digest('hex')}` } },
      providers: { claude: { type: 'anthropic', api_key: upstreamKey, custom_host: `${upstream.url}/v1` }, mock: { type: 'mock' } },
      virtual_keys: { vk: { provider: 'claude' } },
      configs: { chain: { strategy: { mode: 'fallback' }, targets: [{ provider: '@claude' }, { provider: '@mock' }] } },
    }),
  );
  client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: callerKey,
    maxRetries: 0,
    defaultHeaders: { 'x-gateway-virtual-key': 'vk' },
  });
  native = new Anthropic({ baseURL: gateway.url, apiKey: callerKey, maxRetries: 0, defaultHeaders: { 'x-gateway-provider': '@claude' } });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const line = (custom_id: string, model = 'claude-m', body: object = {}) => ({
  custom_id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model, messages: [{ role: 'user', content: 'Hi' }], ...body },
});

/** Our extension of the body: the library sends fields that it does not know. */
const withRequests = (requests: readonly object[], more: object = {}) =>
  ({ endpoint: '/v1/chat/completions', completion_window: '24h', requests, ...more }) as unknown as OpenAI.BatchCreateParams;

const linesOf = async (id: string | null | undefined): Promise<unknown[]> =>
  (await (await client.files.content(id ?? '')).text())
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as unknown);

describe('message batches through npm openai', () => {
  it('are created, retrieved, listed and their output is read', async () => {
    const requests = [line('a', '@claude/claude-m', { seed: 1 }), line('b', 'claude-bad'), line('c', 'claude-expired')];
    const { data: batch, response } = await client.batches.create(withRequests(requests, { metadata: { team: 'ü' } })).withResponse();
    expect(batch).toMatchObject({
      object: 'batch',
      status: 'in_progress',
      endpoint: '/v1/chat/completions',
      created_at: 1_767_225_923,
      metadata: null,
    });
    expect(batch.request_counts).toEqual({ total: 3, completed: 0, failed: 0 });
    expect(
      response.headers
        .get('x-gateway-dropped-params')
        ?.split(',')
        .map((name) => name.trim()),
    ).toEqual(['metadata', 'seed']);
    expect(batch).not.toHaveProperty('provider');

    await expect(client.files.content(`${batch.id}-output`)).rejects.toMatchObject({ status: 409, code: 'no_batch_output' });
    upstream.finish();
    const done = await client.batches.retrieve(batch.id);
    expect(done).toMatchObject({ status: 'expired', expired_at: 1_767_229_200, output_file_id: `${batch.id}-output`, error_file_id: null });
    expect(done.request_counts).toEqual({ total: 3, completed: 1, failed: 1 });

    const lines = await linesOf(done.output_file_id);
    expect(lines).toMatchObject([
      {
        custom_id: 'a',
        response: {
          status_code: 200,
          body: { object: 'chat.completion', created: 1_767_229_200, choices: [{ message: { content: 'Ja 🧊' } }] },
        },
        error: null,
      },
      {
        custom_id: 'b',
        response: { status_code: 400, request_id: 'req_line' },
        error: { code: 'invalid_request_error', message: 'Nein.' },
      },
      { custom_id: 'c', response: null, error: { code: 'batch_expired' } },
    ]);
    const output = await fetch(`${gateway.url}/v1/batches/${batch.id}/output`, {
      headers: { authorization: `Bearer ${callerKey}`, 'x-gateway-virtual-key': 'vk' },
    });
    expect(output.status).toBe(200);
    expect(
      (await output.text())
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text) as unknown),
    ).toEqual(lines);
    expect(await client.files.retrieve(done.output_file_id ?? '')).toMatchObject({
      purpose: 'batch_output',
      filename: `${batch.id}_output.jsonl`,
    });
  });

  it('keep the Messages format if they were created for /v1/messages', async () => {
    const body = { max_tokens: 5, system: 'x', messages: [{ role: 'user', content: 'Hi' }], model: 'claude-m' };
    const batch = await client.batches.create(withRequests([{ custom_id: 'n', url: '/v1/messages', body }], { endpoint: '/v1/messages' }));
    expect(batch).toMatchObject({ id: expect.stringMatching(/-messages$/) as string, endpoint: '/v1/messages' });
    expect(upstream.batches.at(-1)?.requests).toEqual([{ custom_id: 'n', params: body }]);
    upstream.finish();
    const done = await client.batches.retrieve(batch.id);
    expect(await linesOf(done.output_file_id)).toMatchObject([
      { custom_id: 'n', response: { body: { type: 'message', content: [{ text: 'Ja 🧊' }] } } },
    ]);
  });

  it('are cancelled', async () => {
    const batch = await client.batches.create(withRequests([line('a')]));
    expect(await client.batches.cancel(batch.id)).toMatchObject({ id: batch.id, status: 'cancelling', cancelling_at: 1_767_226_200 });
    upstream.finish();
    const done = await client.batches.retrieve(batch.id);
    expect(done).toMatchObject({ status: 'cancelled', cancelled_at: 1_767_229_200 });
    expect(await linesOf(done.output_file_id)).toMatchObject([{ custom_id: 'a', response: null, error: { code: 'batch_cancelled' } }]);
    await expect(client.batches.cancel(batch.id)).rejects.toMatchObject({ status: 400 });
  });

  it('are created from a file that the service lets clients download', async () => {
    const from = upstream.requests.length;
    const batch = await client.batches.create({ input_file_id: 'file_made', endpoint: '/v1/chat/completions', completion_window: '24h' });
    expect(batch).toMatchObject({ input_file_id: 'file_made', request_counts: { total: 2 } });
    expect(upstream.batches.at(-1)?.requests.map(({ custom_id }) => custom_id)).toEqual(['from-file', 'from-file-2']);
    expect(upstream.requests.slice(from).map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/files/file_made/content',
      'POST /v1/messages/batches',
    ]);
  });

  it('are rejected for an uploaded file with a hint to send "requests"', async () => {
    const file = await client.files.create({ file: await toFile(Buffer.from(JSON.stringify(line('a'))), 'in.jsonl'), purpose: 'batch' });
    expect(file).toMatchObject({ object: 'file', purpose: 'batch', created_at: 1_767_225_923, filename: 'in.jsonl' });
    const count = upstream.batches.length;
    const failure = client.batches.create({ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' });
    await expect(failure).rejects.toMatchObject({
      status: 400,
      error: { gateway: { hint: expect.stringContaining('"requests"') as string } },
    });
    expect(upstream.batches).toHaveLength(count);
  });

  it.each([
    [
      'an invalid line of the body',
      withRequests([line('a'), line('b c'), line('a')]),
      'requests[1].custom_id',
      /line 2: .*; line 3: line 1 has the same/,
    ],
    [
      'an invalid line of the file',
      { input_file_id: 'file_bad', endpoint: '/v1/chat/completions', completion_window: '24h' } as const,
      'input_file_id.custom_id',
      /line 2/,
    ],
    ['an unsupported endpoint', withRequests([line('a')], { endpoint: '/v1/embeddings' }), 'endpoint', /embeddings|Expected/],
    ['metadata that is too long', withRequests([line('a')], { metadata: { a: 'x'.repeat(513) } }), 'metadata.a', /512/],
  ])('are rejected for %s before a batch is created', async (_, body, param, message) => {
    const count = upstream.batches.length;
    await expect(client.batches.create(body)).rejects.toMatchObject({
      status: 400,
      param,
      message: expect.stringMatching(message) as string,
    });
    expect(upstream.batches).toHaveLength(count);
  });

  it('are listed page by page, newest first', async () => {
    const ids: string[] = [];
    for await (const batch of client.batches.list({ limit: 2 })) ids.push(batch.id);
    expect(ids).toEqual(upstream.batches.map(({ id }) => id).toReversed());
    await expect(client.batches.list({ limit: 1001 })).rejects.toMatchObject({ status: 400 });
    await expect(client.batches.retrieve('msgbatch_none')).rejects.toMatchObject({ status: 404 });
  });

  it('require a virtual key or a provider', async () => {
    const response = await fetch(`${gateway.url}/v1/batches`, { headers: { authorization: `Bearer ${callerKey}` } });
    expect(await response.json()).toMatchObject({ error: { code: 'missing_virtual_key' } });
  });
});

describe('files through npm openai', () => {
  it('are uploaded, retrieved, listed, downloaded and deleted', async () => {
    const file = await client.files.create({ file: await toFile(Buffer.from('x'.repeat(200_000)), 'a.txt'), purpose: 'assistants' });
    expect(file).toMatchObject({ bytes: 200_000, purpose: 'assistants' });
    expect(await client.files.retrieve(file.id)).toMatchObject({ id: file.id, object: 'file', bytes: 200_000, purpose: 'user_data' });
    const names: string[] = [];
    for await (const each of client.files.list({ limit: 1 })) names.push(each.id);
    expect(names).toEqual(upstream.files.map(({ id }) => id).toReversed());
    expect(await (await client.files.content('file_made')).text()).toBe(upstream.files[0]?.content);
    await expect(client.files.content(file.id)).rejects.toMatchObject({ status: 400 });
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
  });
});

describe('fine-tuning', () => {
  const post = (headers: Record<string, string>, body: object) =>
    fetch(`${gateway.url}/v1/fine_tuning/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${callerKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('is rejected with unsupported_endpoint', async () => {
    const response = await post({ 'x-gateway-virtual-key': 'vk' }, { model: 'm', training_file: 'file-1' });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'unsupported_endpoint' } }]);
  });

  it('moves on to the next target of a chain', async () => {
    const { id } =
      (await client.files.list({}, { headers: { 'x-gateway-virtual-key': 'mock' } })).data.find(({ purpose }) => purpose === 'fine-tune') ??
      {};
    const response = await post({ 'x-gateway-config': 'chain', 'x-gateway-virtual-key': 'vk' }, { model: 'echo', training_file: id });
    const text = await response.text();
    expect(text).toContain('fine_tuning.job');
    expect(response.headers.get('x-gateway-last-used-option-index')).toBe('config.targets[1]');
  });
});

describe('npm @anthropic-ai/sdk', () => {
  it('creates, retrieves, lists, cancels and deletes message batches without a virtual key', async () => {
    const params = { model: 'claude-m', max_tokens: 5, messages: [{ role: 'user' as const, content: 'Hi' }] };
    const batch = await native.messages.batches.create({ requests: [{ custom_id: 'n-1', params }] });
    expect(batch).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', request_counts: { processing: 1 } });
    expect(upstream.requests.at(-1)?.body.toString()).toBe(JSON.stringify({ requests: [{ custom_id: 'n-1', params }] }));
    upstream.finish();
    expect(await native.messages.batches.retrieve(batch.id)).toMatchObject({ processing_status: 'ended' });
    const ids: string[] = [];
    for await (const batch of native.messages.batches.list({ limit: 2 })) ids.push(batch.id);
    expect(ids).toEqual(upstream.batches.map(({ id }) => id).toReversed());
    await expect(native.messages.batches.cancel(batch.id)).rejects.toMatchObject({ status: 400 });
    expect(await native.messages.batches.delete(batch.id)).toEqual({ id: batch.id, type: 'message_batch_deleted' });
  });

  it.each(['', '/v1'])('reads the results of a message batch, and requests nothing from another host, base "%s"', async (base) => {
    const hosts = new Set<string>();
    const reader = native.withOptions({
      baseURL: `${gateway.url}${base}`,
      fetch: (url, init) => {
        hosts.add(new URL(url instanceof Request ? url.url : url).origin);
        return hosts.size > 1 ? Promise.reject(new Error('another host')) : fetch(url, init);
      },
    });
    const lines: unknown[] = [];
    for await (const one of await reader.messages.batches.results(upstream.batches.at(-1)?.id ?? '')) lines.push(one);
    expect(lines).toMatchObject([{ custom_id: 'n-1', result: { type: 'succeeded' } }]);
    expect([...hosts]).toEqual([gateway.url]);
    const [listed] = (await reader.messages.batches.list({ limit: 1 })).data;
    expect(listed?.results_url).toBe(`/v1/messages/batches/${listed?.id}/results`);
  });

  it("uploads, lists, downloads and deletes files in Anthropic's own format", async () => {
    const file = await native.beta.files.upload({ file: await toNativeFile(Buffer.from('x'.repeat(70_000)), 'b.txt') });
    expect(file).toEqual({
      type: 'file',
      id: file.id,
      size_bytes: 70_000,
      created_at: expect.any(String),
      filename: 'b.txt',
      mime_type: 'application/jsonl',
      downloadable: false,
    });
    expect(upstream.requests.at(-1)?.headers).toMatchObject({ 'anthropic-version': '2026-10-21', 'x-api-key': upstreamKey });
    expect(upstream.requests.at(-1)?.headers).not.toHaveProperty('anthropic-beta');
    expect(await native.beta.files.retrieveMetadata(file.id)).toEqual(file);
    const names: string[] = [];
    for await (const each of native.beta.files.list()) names.push(each.filename);
    expect(names).toContain('b.txt');
    await expect(native.beta.files.download(file.id)).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(await (await native.beta.files.download('file_made')).text()).toBe(upstream.files[0]?.content);
    expect(await native.beta.files.delete(file.id)).toEqual({ id: file.id, type: 'file_deleted' });
  });
});

describe.skipIf(lacking(python))('message batches through PyPI openai', () => {
  it('are created, read and listed, with typed exceptions for errors', async () => {
    const report = await runWithSteps();
    expect(report).toMatchObject({
      made: { object: 'batch', status: 'in_progress', request_counts: { total: 2 }, input_file_id: null },
      early: { status: 409, class: 'ConflictError', body: { code: 'no_batch_output' } },
      uploaded: { object: 'file', purpose: 'batch', filename: 'in.jsonl' },
      refused: { status: 400, class: 'BadRequestError', body: { gateway: { hint: expect.stringContaining('"requests"') as string } } },
      done: { status: 'completed', request_counts: { total: 2, completed: 1, failed: 1 } },
      lines: [
        { custom_id: 'py-1', response: { status_code: 200 } },
        { custom_id: 'py-2', response: { status_code: 400 } },
      ],
      unknown: { status: 404, class: 'NotFoundError' },
    });
    expect(report['listed']).toEqual(upstream.batches.map(({ id }) => id).toReversed());
    expect(report['files']).toEqual(upstream.files.map(({ filename }) => filename).toReversed());
  });

  /** The script prints `finish` when the batch should end, and waits until it has. */
  function runWithSteps(): Promise<Record<string, unknown>> {
    const command = 'python' in python ? python.python : '';
    const child = spawn(command, ['-B', new URL('batches-client.py', import.meta.url).pathname, `${gateway.url}/v1`, callerKey], {
      env: { PATH: process.env['PATH'] ?? '', NO_PROXY: '*', PYTHONUTF8: '1' },
    });
    let out = '';
    let received = '';
    child.stderr.on('data', (text: Buffer) => (received += text.toString()));
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString();
      if (out.trim() !== 'finish') return;
      upstream.finish();
      out = '';
      child.stdin.end('\n');
    });
    return new Promise((resolve, reject) => {
      child.on('close', (code) =>
        code === 0 ? resolve(JSON.parse(out) as Record<string, unknown>) : reject(new Error(received.slice(-2000))),
      );
    });
  }
});
