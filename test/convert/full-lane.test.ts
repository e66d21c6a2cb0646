import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readChatStream } from '../support/chat-chunk.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Responses of a provider with another format, from the socket to the client and the record. */

let bird: ScriptedUpstream;
let spare: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  bird = await startUpstream((response) => json(response, 200, { said: 'hello' }));
  spare = await startUpstream((response) => json(response, 200, completion('from the spare')));
  gateway = await startTestGateway(`
version: 1
provider_plugins: ["${fileURLToPath(new URL('./parrot.ts', import.meta.url))}"]
providers:
  bird: {type: parrot, custom_host: "${bird.url}", api_key: sk-bird-secret}
  spare: {type: openai, custom_host: "${spare.url}/v1", api_key: sk-spare}
configs:
  both: {strategy: {mode: fallback}, targets: [{provider: bird}, {provider: spare}]}
logging: {requests: {bodies: full}}
server: {egress: {allow: ["127.0.0.1"]}}
`);
});

beforeEach(() => {
  bird.requests.length = 0;
  spare.script = (response) => json(response, 200, completion('from the spare'));
});

afterAll(async () => {
  await gateway?.close();
  await Promise.all([bird?.close(), spare?.close()]);
});

const send = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: '@bird/parrot-1', messages: [{ role: 'user', content: 'hi' }], ...body }),
  });

const frames = (...events: object[]): string[] => events.map((event) => `data: ${JSON.stringify(event)}\n\n`);

async function stream(body: object = {}, headers: Record<string, string> = {}) {
  const response = await send({ stream: true, ...body }, headers);
  const text = await response.text();
  const record = await gateway.record(response.headers.get('x-request-id'));
  return { response, text, record, ...readChatStream(text, headers['x-gateway-strict-open-ai-compliance'] !== 'false') };
}

const content = (chunks: ReturnType<typeof readChatStream>['chunks']): string =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');

describe('a whole response', () => {
  it('is converted, with matching content headers', async () => {
    bird.script = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-language': 'bird', 'x-parrot': 'grey' });
      response.end('{"said":"hello"}');
    };
    const response = await send({});
    const body = await response.json();
    expect(body).toMatchObject({ provider: 'parrot', choices: [{ message: { content: 'hello' } }] });
    const headers = ['content-type', 'content-language', 'x-parrot', 'content-length'].map((name) => response.headers.get(name));
    expect(headers).toEqual(['application/json', null, 'grey', Buffer.byteLength(JSON.stringify(body)).toString()]);
  });

  it('is recorded with the size that the provider sent', async () => {
    bird.script = (response) => json(response, 200, { said: 'hello' });
    const response = await send({});
    const sent = await response.text();
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record).toMatchObject({
      lane: 'full',
      end: 'whole',
      bytes: { out: sent.length },
      response: { body: { size: '{"said":"hello"}'.length } },
    });
  });

  it('is converted if it has several megabytes', async () => {
    const longText = 'x'.repeat(3_000_000);
    bird.script = (response) => json(response, 200, { said: longText });
    const body = (await (await send({})).json()) as { choices: [{ message: { content: string } }] };
    expect(body.choices[0].message.content).toHaveLength(longText.length);
  });

  it.each([
    ['the translator throws', { other: 1 }, /could not be converted/],
    ['the translator reports an error', { refuse: 'no seeds' }, /The parrot says: no seeds/],
  ])('returns 502 if %s', async (_, body, message) => {
    bird.script = (response) => json(response, 200, body);
    const response = await send({});
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_invalid', message: expect.stringMatching(message) as string } });
  });

  it('falls back to the next target if it cannot be converted', async () => {
    bird.script = (response) => json(response, 200, { other: 1 });
    const response = await send({ model: 'm' }, { 'x-gateway-config': 'both' });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'from the spare' } }] });
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record.attempts.map((attempt) => attempt.outcome)).toEqual(['faulty', 'answered']);
  });
});

describe('a file that the provider cannot fetch', () => {
  it('is downloaded and sent inline', async () => {
    bird.script = (response) => json(response, 200, { said: 'seen' });
    spare.script = (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('pixels');
    expect((await send({ fetch: [`${spare.url}/cat.png`] })).status).toBe(200);
    expect(bird.requests.at(-1)?.headers['x-inlined']).toBe(`image/png,${Buffer.from('pixels').toString('base64')}`);
  });

  it('returns 400 without calling the provider if the download fails', async () => {
    spare.script = (response) => void response.writeHead(404).end();
    const response = await send({ fetch: [`${spare.url}/cat.png`] });
    expect(await response.json()).toMatchObject({
      error: { code: 'media_fetch_failed', message: expect.stringContaining('returned 404') as string },
    });
    expect([response.status, bird.requests]).toEqual([400, []]);
  });
});

describe('an error of a converted provider', () => {
  it('keeps its status and message and adds the name of the provider and a hint', async () => {
    bird.script = (response) => json(response, 418, { squawk: 'I am a teapot', error: { message: 'not this' } });
    const response = await send({});
    expect(response.status).toBe(418);
    expect(await response.json()).toMatchObject({
      error: {
        message: 'parrot error: I am a teapot',
        type: 'SQUAWK',
        code: '7',
        gateway: { source: 'provider', hint: 'Feed the parrot.' },
      },
    });
  });
});

describe('a converted stream', () => {
  const events = [{ name: 'p-1' }, { think: 'hm' }, { say: 'Hel' }, { say: 'lo' }, { tokens: [3, 4] }, { over: 'DONE' }];

  it('consists of valid chunks', async () => {
    bird.script = (response) => sse(response, frames(...events), { 'content-language': 'bird' });
    const { response, chunks, problems, isDone, record } = await stream({ stream_options: { include_usage: true } });
    expect([problems, isDone, content(chunks)]).toEqual([[], true, 'Hello']);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 7 } });
    expect([response.headers.get('content-type'), response.headers.get('content-language')]).toEqual([
      'text/event-stream; charset=utf-8',
      null,
    ]);
    const sent = frames(...events).join('');
    expect(record).toMatchObject({ end: 'whole', lane: 'full', response: { body: { size: sent.length } } });
  });

  it('contains thoughts with strict compliance off', async () => {
    bird.script = (response) => sse(response, frames(...events));
    const { text, problems } = await stream({}, { 'x-gateway-strict-open-ai-compliance': 'false' });
    expect(problems).toEqual([]);
    expect(text).toContain('"content_blocks":[{"index":0,"delta":{"thinking":"hm"}}]');
    expect(text).toContain('"native_finish_reason":"DONE"');
  });

  it('is the same if it arrives byte by byte', async () => {
    bird.script = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of Buffer.from(frames({ say: 'a¢€😀' }, { over: 'DONE' }).join(''))) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    const { chunks, problems, isDone } = await stream();
    expect([problems, isDone, content(chunks)]).toEqual([[], true, 'a¢€😀']);
  });

  it.each([
    [
      'error event of the provider',
      frames({ say: 'Hel' }, { oops: 'no more seeds' }, { over: 'DONE' }),
      'parrot error: no more seeds',
      null,
    ],
    ['closed connection', frames({ say: 'Hel' }), 'Provider "bird" closed the stream before its end.', 'stream_interrupted'],
    [
      'invalid event',
      [...frames({ say: 'Hel' }), 'data: nonsense\n\n', ...frames({ over: 'DONE' })],
      'Provider "bird" sent an event that is not a JSON object in its stream.',
      'upstream_invalid',
    ],
  ])('ends with an error: %s', async (_, events, message, code) => {
    bird.script = (response) => sse(response, events);
    const { chunks, problems, isDone, error, record } = await stream();
    expect([content(chunks), problems, isDone]).toEqual(['Hel', [], false]);
    expect(error).toMatchObject({ message, code, gateway: { request_id: record.id } });
    expect(record).toMatchObject({ end: 'fault', error: { message } });
  });

  it('is closed as soon as it cannot be converted', async () => {
    bird.script = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`${frames({ say: 'Hel' }).join('')}data: nonsense\n\n`);
    };
    expect(await stream()).toMatchObject({ error: { code: 'upstream_invalid' }, problems: [] });
    await bird.requests.at(-1)?.aborted;
  });

  it('masks secrets in its error event', async () => {
    bird.script = (response) => sse(response, frames({ say: 'Hel' }, { oops: 'the key sk-bird-secret is bad' }));
    const { text, error } = await stream();
    expect(error).toBeDefined();
    expect(text).not.toContain('sk-bird-secret');
  });

  it('is assembled by the client library with text, calls and usage', async () => {
    const calls = [{ call: [0, 'f', '{"a":'] }, { call: [0, undefined, '1}'] }, { call: [1, 'g', '{}'] }];
    bird.script = (response) => sse(response, frames({ name: 'p-1' }, { say: 'Hi' }, ...calls, { tokens: [3, 4] }, { over: 'DONE' }));
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'unused', maxRetries: 0 });
    const running = client.chat.completions.stream({ model: '@bird/parrot-1', messages: [], stream_options: { include_usage: true } });
    const completion = await running.finalChatCompletion();
    expect(completion).toMatchObject({
      id: 'p-1',
      usage: { total_tokens: 7 },
      choices: [{ finish_reason: 'stop', message: { content: 'Hi' } }],
    });
    expect(
      completion.choices[0]?.message.tool_calls?.map((call) =>
        call.type === 'function' ? [call.id, call.function.name, call.function.arguments] : [],
      ),
    ).toEqual([
      ['call_0', 'f', '{"a":1}'],
      ['call_1', 'g', '{}'],
    ]);
  });

  it('raises its error in the client library', async () => {
    bird.script = (response) => sse(response, frames({ say: 'Hel' }, { oops: 'no more seeds' }));
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'unused', maxRetries: 0 });
    const running = client.chat.completions.stream({ model: '@bird/parrot-1', messages: [] });
    await expect(running.finalChatCompletion()).rejects.toThrow(/no more seeds/);
  });

  it('is aborted when the client disconnects', async () => {
    bird.script = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frames({ say: 'Hel' }).join(''));
    };
    const response = await send({ stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const record = await gateway.record(response.headers.get('x-request-id'));
    await bird.requests.at(-1)?.aborted;
    expect(record.end).toBe('client_gone');
  });
});
