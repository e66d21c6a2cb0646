import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/core/cost/decimal.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Costs of requests through a gateway: the header of a whole response and the record. */

const event = (value: object): string => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...value })}\n\n`;
const chunk = (content: string): string => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
const messages = (name: string, value: object): string => `event: ${name}\ndata: ${JSON.stringify({ type: name, ...value })}\n\n`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let hidden: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response, request) => {
    const text = request.body.toString();
    if (request.url.endsWith('/messages')) {
      const start = { message: { id: 'm', model: 'claude-haiku-4-5', content: [], usage: { input_tokens: 40, output_tokens: 1 } } };
      const delta = { index: 0, delta: { type: 'text_delta', text: 'a' } };
      sse(response, [messages('message_start', start), ...Array.from({ length: 5 }, () => messages('content_block_delta', delta))]);
    } else if (text.includes('"fails"')) json(response, 429, { error: { message: 'no', type: 'rate_limit_error' } });
    else if (request.url.endsWith('/batches')) json(response, 200, { id: 'batch_1', object: 'batch', status: 'validating' });
    else if (request.url.endsWith('/files')) json(response, 200, { object: 'list', data: [] });
    else if (request.url.endsWith('/responses/resp_1'))
      json(response, 200, {
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        background: true,
        error: null,
        model: 'm',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'A'.repeat(3_000_000) }] }],
        tool_usage: { image_gen: { total_tokens: 0 } },
        usage: { input_tokens: 1000, output_tokens: 500 },
      });
    else if (request.url.endsWith('/responses') && text.includes('"draws"'))
      json(response, 200, {
        id: 'resp_2',
        object: 'response',
        status: 'completed',
        model: 'draws',
        output: [{ type: 'image_generation_call', status: 'completed', result: 'A'.repeat(text.includes('"small"') ? 10 : 3_000_000) }],
        tool_choice: 'auto',
        tool_usage: { image_gen: { input_tokens: 27, output_tokens: 515, total_tokens: 542 }, web_search: { num_requests: 0 } },
        tools: [{ type: 'image_generation', model: 'gpt-image-1' }],
        usage: { input_tokens: 1000, output_tokens: 500 },
        metadata: {},
      });
    else if (text.includes('"early"')) json(response, 200, { model: 'early', usage, data: [{ embedding: 'A'.repeat(3_000_000) }] });
    else if (text.includes('"large"')) json(response, 200, { data: [{ b64_json: 'A'.repeat(3_000_000) }], usage });
    else if (request.url.endsWith('/images/generations')) json(response, 200, { created: 1, data: [{ url: 'x' }] });
    else if (text.includes('streams without an end'))
      sse(response, [
        `data: ${JSON.stringify({ type: request.url.includes('images') ? 'image_generation.partial_image' : 'speech.audio.delta' })}\n\n`,
      ]);
    else if (request.url.endsWith('/audio/transcriptions'))
      sse(response, [
        `data: ${JSON.stringify({ type: 'transcript.text.delta', delta: 'a' })}\n\n`,
        `data: ${JSON.stringify({ type: 'transcript.text.done', text: 'a' })}\n\n`,
      ]);
    else if (request.url.endsWith('/audio/speech'))
      sse(response, [
        `data: ${JSON.stringify({ type: 'speech.audio.delta', audio: 'AAAA' })}\n\n`,
        `data: ${JSON.stringify({ type: 'speech.audio.done', usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 } })}\n\n`,
      ]);
    else if (text.includes('"cut"')) sse(response, [chunk('a'), chunk('b'), chunk('c')]);
    else if (text.includes('"stream":true'))
      sse(response, [chunk('a'), event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }), 'data: [DONE]\n\n']);
    else
      json(response, 200, {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'gpt-4o-mini-2024-07-18',
        service_tier: text.includes('"quick"') ? 'priority' : 'default',
        choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
        usage,
      });
  });
  const host = `${upstream.url}/v1`;
  const config = {
    version: 1,
    providers: {
      up: { type: 'openai', api_key: 'sk-0123456789', custom_host: host },
      own: { type: 'openai', api_key: 'sk-0123456789', custom_host: host },
      claude: { type: 'anthropic', api_key: 'sk-ant-0123456789', custom_host: host },
      mock: { type: 'mock' },
    },
    pricing: { 'own/*': { input: 3, output: 7 } },
    configs: {
      moves: { strategy: { mode: 'fallback' }, targets: ['up/fails', 'own/m'] },
      cheap: { provider: 'up', override_params: { n: 1, size: '1024x1024', quality: 'standard' } },
    },
  };
  gateway = await startTestGateway(JSON.stringify(config));
  hidden = await startTestGateway(JSON.stringify({ ...config, server: { expose_routing: false } }));
});
afterAll(async () => {
  await gateway?.close();
  await hidden?.close();
  await upstream?.close();
});

async function call(
  path: string,
  body: object | undefined,
  headers: Record<string, string> = {},
  from = gateway,
): Promise<{ record: LogRecord; header: string | null; status: number }> {
  const response = await fetch(`${from.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.text().catch(() => '');
  const record = await from.record(response.headers.get('x-request-id'));
  return { record, header: response.headers.get('x-gateway-cost-usd'), status: response.status };
}

const chat = (model: string, more: object = {}): object => ({ model, messages: [{ role: 'user', content: 'hi' }], ...more });
const chats = '/v1/chat/completions';

describe('request cost', () => {
  it.each([
    // 1000 × 0.15 / 1M + 500 × 0.60 / 1M
    ['is in the header and the record of a whole response', chats, chat('@up/gpt-4o-mini'), '0.00045', '0.00045'],
    ['uses the model in the response', chats, chat('@up/any'), '0.00045', '0.00045'],
    // 1000 × 3 / 1M + 500 × 7 / 1M
    ['uses the prices in the configuration', chats, chat('@own/gpt-4o-mini'), '0.0065', '0.0065'],
    ['of a stream is only in the record', chats, chat('@own/m', { stream: true, stream_options: { include_usage: true } }), null, '0.0065'],
    ['is unknown if the service tier has no known price', chats, chat('@up/gpt-4o-mini', { user: 'quick' }), null, null],
    ['is 0 if no provider was called', chats, chat('@nobody/m'), null, '0'],
    ['is 0 if the provider returns an error', chats, chat('@up/fails'), null, '0'],
    ['is unknown for a batch, which is billed later', '/v1/batches', { model: '@up/gpt-4o', input_file_id: 'f' }, null, null],
    ['is 0 for a list of batches', '/v1/batches', undefined, '0', '0'],
    ['is 0 for a list of files', '/v1/files', undefined, '0', '0'],
    // 2 × 0.08
    [
      'of images is computed from the request',
      '/v1/images/generations',
      { model: '@up/dall-e-3', prompt: 'a', n: 2, size: '1024x1792' },
      '0.16',
      '0.16',
    ],
    // 14 × 0.60 / 1M + 101 × 12 / 1M
    [
      'of speech is that of its tokens, if they are reported',
      '/v1/audio/speech',
      { model: '@up/gpt-4o-mini-tts', input: 'Good morning.', voice: 'coral', stream_format: 'sse' },
      null,
      '0.0012204',
    ],
    ['of the mock provider is 0', chats, chat('@mock/gpt-4o'), '0', '0'],
  ])('%s', async (_name, path, body, header, usd) => {
    const headers: Record<string, string> = body === undefined || path.endsWith('/batches') ? { 'x-gateway-provider': 'up' } : {};
    const response = await call(path, body, headers);
    expect([response.header, response.record.cost.usd]).toEqual([header, usd]);
  });

  it('is that of the reported usage also if the response is too large to be held', async () => {
    for (const path of ['/v1/images/generations', '/v1/embeddings', '/v1/chat/completions', '/v1/responses']) {
      const { record, status } = await call(path, { model: '@own/large', prompt: 'x' });
      expect([path, status, record.usage.source, record.cost.usd]).toEqual([path, 200, 'reported', '0.0065']);
    }
  });

  it('is that of the reported usage also if it precedes the data', async () => {
    const { record } = await call('/v1/embeddings', { model: '@own/early', input: 'x' });
    expect([record.usage.source, record.cost.usd, record.model.answered]).toEqual(['reported', '0.0065', 'early']);
  });

  it('of a large response that ran in the background is counted when it is first read', async () => {
    for (const usd of ['0.0065', '0']) {
      const { record } = await call('/v1/responses/resp_1', undefined, { 'x-gateway-provider': 'own' });
      expect(record.cost.usd).toBe(usd);
    }
  });

  it('of a response with images that another model generated is unknown', async () => {
    for (const input of ['small', 'large']) {
      const { record } = await call('/v1/responses', { model: '@own/draws', input });
      expect([record.usage.prompt, record.usage.details?.tool_images, record.cost.usd]).toEqual([1000, 1, null]);
    }
  });

  it('after a fallback is the cost of the target that responded', async () => {
    const { record, header } = await call(chats, chat('x'), { 'x-gateway-config': 'moves' });
    expect(record.attempts).toHaveLength(2);
    expect([header, record.cost.usd, record.cost.source]).toEqual(['0.0065', '0.0065', 'pricing: own/*']);
  });

  it('of images is computed from the overrides of the target, if it has any', async () => {
    const body = { model: 'dall-e-3', prompt: 'a', n: 2, size: '1024x1792', quality: 'hd' };
    const { record } = await call('/v1/images/generations', body, { 'x-gateway-config': 'cheap' });
    expect([record.cost.usd, record.usage.details]).toEqual(['0.04', { images: 1, image: '1024x1024/standard' }]);
  });

  it('of an interrupted stream is estimated from the received content', async () => {
    const { record } = await call(chats, chat('@own/cut', { stream: true }));
    expect(record.end).toBe('fault');
    expect(record.usage).toMatchObject({ completion: 3, source: 'estimated' });
    // Four bytes a token in: 76 bytes are 19 tokens.
    const micros = BigInt(record.usage.prompt) * 3n + 3n * 7n;
    expect(parseDecimal(record.cost.usd ?? '')).toBe(micros * 1_000_000n);
    expect(record.cost.source).toBe('pricing: own/*, usage estimated');
  });

  it('of images and audio is not estimated', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: '@own/m', stream: 'true' })) form.set(name, value);
    form.set('file', new Blob(['RIFF']), 'a.wav');
    const transcript = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', body: form });
    await transcript.text();
    const text = 'streams without an end';
    const records = [
      await gateway.record(transcript.headers.get('x-request-id')),
      (await call('/v1/images/generations', { model: '@own/m', prompt: text, stream: true })).record,
      (await call('/v1/audio/speech', { model: '@own/m', input: text, voice: 'coral', stream_format: 'sse' })).record,
    ];
    expect(records.map(({ status, stream, usage: { source }, cost }) => [status, stream, source, cost.usd])).toEqual(
      records.map(() => [200, true, 'none', null]),
    );
  });

  it('uses received content if the provider reported only the usage at the start', async () => {
    const body = { model: '@claude/claude-haiku-4-5', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'hi' }] };
    const { record } = await call('/v1/messages', body);
    expect(record.usage).toMatchObject({ prompt: 40, completion: 5, source: 'estimated' });
    // 40 × 1 / 1M + 5 × 5 / 1M
    expect(record.cost.usd).toBe('0.000065');
  });

  it('is not in the header if routing headers are disabled', async () => {
    const { record, header } = await call(chats, chat('@own/m'), {}, hidden);
    expect([header, record.cost.usd]).toEqual([null, '0.0065']);
  });

  it('is 0 for passed-through requests that read or delete an object, and unknown for others', async () => {
    const costs = await Promise.all(
      ['GET', 'HEAD', 'DELETE', 'POST'].map(async (method) => {
        const response = await fetch(`${gateway.url}/v1/videos/video_1`, { method, headers: { 'x-gateway-provider': 'up' } });
        await response.text();
        return (await gateway.record(response.headers.get('x-request-id'))).cost.usd;
      }),
    );
    expect(costs).toEqual(['0', '0', '0', null]);
  });

  it('is unknown for a WebSocket', async () => {
    const server = createServer().on('upgrade', (_request, socket) => {
      socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const provider = { type: 'openai', api_key: 'sk-0123456789', custom_host: `http://127.0.0.1:${port}/v1` };
    const ownGateway = await startTestGateway(JSON.stringify({ version: 1, providers: { live: provider } }));
    const { hostname, port: to } = new URL(ownGateway.url);
    const client = connect(Number(to), hostname);
    client.write(
      `GET /v1/realtime?model=@live/gpt-realtime HTTP/1.1\r\nhost: ${hostname}:${to}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    client.resume();
    await until(() => ownGateway.records.length > 0, 'the record');
    expect(ownGateway.records[0]).toMatchObject({ endpoint: 'realtime', status: 101, provider: 'live', cost: { usd: null } });
    const { total } = (await ownGateway.gateway.logs?.stats({ query: '' })) ?? {};
    expect(total).toMatchObject({ requests: 1, unpriced: 1, cost_usd: '0' });
    client.destroy();
    await ownGateway.close();
    server.close();
  });

  it('can be summed exactly in a database', async () => {
    const store = new DatabaseSync(':memory:');
    store.exec('create table costs (pico integer)');
    const insert = store.prepare('insert into costs values (?)');
    const { record } = await call(chats, chat('@up/gpt-4o-mini'));
    const pico = parseDecimal(record.cost.usd ?? '') ?? 0n;
    for (let i = 0; i < 1000; i += 1) insert.run(pico);
    const sum = store.prepare('select sum(pico) as pico from costs');
    sum.setReadBigInts(true);
    // 1000 × 0.00045
    expect(sum.get()?.['pico']).toBe(450_000_000_000n);
    store.close();
  });
});
