import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestGateway, until } from '../support/gateway.ts';
import { respondWithJson, onA, type Origin, sha256, startFront, startOrigin } from './rig.ts';
import { holdTime, turns } from '../support/time.ts';

let a: Origin;
let gateway: TestGateway;

beforeEach(async () => {
  a = await startOrigin();
  gateway = await startFront([a], { timeouts: { idle: '700ms' } });
});

afterEach(async () => {
  await gateway.close();
  await a.close();
});

const megabyte = 1024 * 1024;
const content = '/v1/files/file-1/content';
const speech = (overrides: object = {}): Download => ({
  path: '/v1/audio/speech',
  body: JSON.stringify({ model: 'tts-1', input: 'hi', voice: 'alloy', ...overrides }),
});

interface Download {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the response head; the body is not read yet. */
async function get({ path = content, headers = {}, body }: Download = {}): Promise<IncomingMessage> {
  const request = httpRequest(`${gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    headers: { ...onA, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  });
  // A truncated body resets the connection after the response began: the bytes read so far show it.
  request.on('error', () => {});
  request.end(body);
  return ((await once(request, 'response')) as [IncomingMessage])[0];
}

/** Returns the received bytes, and whether the response was truncated. */
async function read(response: IncomingMessage): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), isCut: false };
  } catch {
    return { bytes: Buffer.concat(chunks), isCut: true };
  }
}

const recordOf = (response: IncomingMessage) => gateway.record(response.headers['x-request-id'] as string);

describe('a download', () => {
  test('returns the bytes and headers of the provider unchanged', async () => {
    const file = Buffer.alloc(3 * megabyte, '{"error":{"message":"a file that looks like an error"}}\n');
    a.reply = (response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': file.length,
        'content-disposition': 'attachment; filename="out.jsonl"',
        etag: '"e1"',
        'accept-ranges': 'bytes',
      });
      response.end(file);
    };
    const response = await get();
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': file.length.toString(),
      'content-disposition': 'attachment; filename="out.jsonl"',
      etag: '"e1"',
      'accept-ranges': 'bytes',
    });
    const { bytes, isCut } = await read(response);
    expect({ isCut, sha256: sha256(bytes) }).toEqual({ isCut: false, sha256: sha256(file) });
    expect(await recordOf(response)).toMatchObject({ lane: 'express', end: 'whole', bytes: { out: file.length }, error: null });
  });

  test('forwards range and conditional headers and the responses 206 and 304', async () => {
    a.reply = (response, { headers }) => {
      if (headers['if-none-match'] === '"e1"') response.writeHead(304, { etag: '"e1"' }).end();
      else response.writeHead(206, { 'content-range': 'bytes 2-3/10', 'content-length': 2 }).end('cd');
    };
    const part = await get({ headers: { range: 'bytes=2-3', 'if-range': '"e1"' } });
    expect(part.statusCode).toBe(206);
    expect(part.headers).toMatchObject({ 'content-range': 'bytes 2-3/10', 'content-length': '2' });
    expect((await read(part)).bytes.toString()).toBe('cd');
    expect(a.received[0]?.headers).toMatchObject({ range: 'bytes=2-3', 'if-range': '"e1"' });
    const notModified = await get({ headers: { 'if-none-match': '"e1"' } });
    expect(notModified.statusCode).toBe(304);
    expect(notModified.headers.etag).toBe('"e1"');
    expect((await read(notModified)).bytes.length).toBe(0);
  });

  test.each([
    ['a message', { 'content-type': 'text/plain' }, 'out of range'],
    ['no body', {}, ''],
    ['an error object of another format', { 'content-type': 'application/json' }, '{"error":{"message":"out of range"}}'],
    ['an error object', { 'content-type': 'application/json' }, '{"error":{"message":"out of range","type":"invalid_request_error"}}'],
  ])('beyond the end of the file returns 416 with the size of the file, for %s', async (_, headers, text) => {
    a.reply = (response) => response.writeHead(416, { 'content-range': 'bytes */10', 'accept-ranges': 'bytes', ...headers }).end(text);
    const response = await get({ headers: { range: 'bytes=50-' } });
    expect(response.statusCode).toBe(416);
    expect(response.headers).toMatchObject({ 'content-range': 'bytes */10', 'x-should-retry': 'false' });
    expect((await read(response)).isCut).toBe(false);
  });

  test('of an empty file returns an empty body', async () => {
    a.reply = (response) => response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 0 }).end();
    const response = await get();
    expect(response.statusCode).toBe(200);
    expect(await read(response)).toEqual({ bytes: Buffer.alloc(0), isCut: false });
    expect(await recordOf(response)).toMatchObject({ end: 'whole' });
  });

  test.each([
    ['with fewer bytes than its content-length', { 'content-length': 2 * megabyte }],
    ['in chunks without an end', {}],
  ])('%s is truncated for the client, not ended cleanly', async (_, headers) => {
    a.reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', ...headers });
      response.write(Buffer.alloc(megabyte, 'x'), () => setTimeout(() => response.destroy(), 50));
    };
    const response = await get();
    expect((await read(response)).isCut).toBe(true);
    expect(await recordOf(response)).toMatchObject({ end: 'fault', error: { code: 'stream_interrupted', source: 'provider' } });
  });

  test('that stops in the middle ends with idle_timeout', async () => {
    a.reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 1000 });
      response.write('x');
    };
    const response = await get();
    expect(await read(response)).toMatchObject({ isCut: true });
    expect(await recordOf(response)).toMatchObject({ end: 'fault', error: { code: 'idle_timeout', source: 'provider' } });
  });

  test('that fails before its first byte returns 502 upstream_invalid', async () => {
    a.reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 1000 });
      response.flushHeaders();
      setTimeout(() => response.destroy(), 50);
    };
    const response = await get();
    expect(response.statusCode).toBe(502);
    expect((await read(response)).bytes.toString()).toContain('upstream_invalid');
  });

  test("waits for a slow client longer than the provider's idle timeout", async () => {
    const file = Buffer.alloc(30 * megabyte, 'wait');
    a.reply = (response) => response.writeHead(200, { 'content-length': file.length }).end(file);
    const response = await get();
    response.pause();
    const time = holdTime();
    await turns();
    time.pass(1500);
    // Timeouts are checked every 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    time.release();
    const { bytes, isCut } = await read(response);
    expect({ isCut, sha256: sha256(bytes) }).toEqual({ isCut: false, sha256: sha256(file) });
  });

  test('is cancelled at the provider if the client disconnects', async () => {
    let closed = false;
    a.reply = (response) => {
      response.on('close', () => {
        closed = !response.writableFinished;
      });
      response.writeHead(200, { 'content-length': 100 * megabyte });
      response.write(Buffer.alloc(megabyte));
    };
    const response = await get();
    response.destroy();
    await until(() => closed, 'the provider to be told');
    expect(await until(() => gateway.records[0], 'the record')).toMatchObject({ end: 'client_gone' });
  });

  test("that the provider rejects returns the provider's error", async () => {
    a.reply = (response) =>
      respondWithJson(response, 404, {
        error: { message: 'No such File object: file-1', type: 'invalid_request_error', param: 'id', code: null },
      });
    const response = await get();
    expect(response.statusCode).toBe(404);
    expect((await read(response)).bytes.toString()).toContain('No such File object');
  });
});

describe('POST /v1/audio/speech', () => {
  test('streams from the first byte', async () => {
    let finish = (): void => {};
    a.reply = (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write('first');
      finish = () => response.end('last');
    };
    const response = await get(speech());
    expect(response.headers['content-type']).toBe('audio/mpeg');
    const [first] = (await once(response, 'data')) as [Buffer];
    expect(first.toString()).toBe('first');
    finish();
    expect((await read(response)).bytes.toString()).toBe('last');
    expect(await recordOf(response)).toMatchObject({ end: 'whole', bytes: { out: 9 } });
  });

  test('keeps the content-encoding of the provider', async () => {
    a.reply = (response) =>
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-encoding': 'x-own', 'content-length': 3 }).end('abc');
    const response = await get(speech());
    expect(response.headers).toMatchObject({ 'content-encoding': 'x-own', 'content-length': '3' });
    expect((await read(response)).bytes.toString()).toBe('abc');
  });
});
