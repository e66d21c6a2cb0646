import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestGateway, until } from '../support/gateway.ts';
import { deadPort } from '../support/upstream.ts';
import {
  respondWithFile,
  respondWithJson,
  boundary,
  contentType,
  formOf,
  onA,
  type Origin,
  type PartText,
  send,
  sendWhole,
  sha256,
  startFront,
  startOrigin,
} from './rig.ts';
import { holdTime, turns } from '../support/time.ts';

let a: Origin;
let b: Origin;
let gateway: TestGateway;

beforeEach(async () => {
  a = await startOrigin();
  b = await startOrigin();
  gateway = await startFront([a, b]);
});

afterEach(async () => {
  await gateway.close();
  await a.close();
  await b.close();
});

const megabyte = 1024 * 1024;
const file = (value: string | Buffer): PartText => ({ name: 'file', filename: 'a.jsonl', type: 'application/jsonl', value });
const onPair = { 'x-gateway-provider': '', 'x-gateway-config': 'pair' } as const;
const onAgain = { 'x-gateway-provider': '', 'x-gateway-config': 'again' } as const;
const transcriptions = '/v1/audio/transcriptions';
const whisper: PartText = { name: 'model', value: 'whisper-1' };
const recordOf = (response: { headers: Record<string, unknown> }) => gateway.record(response.headers['x-request-id'] as string);

/** The body of a form, which is very long unless the transfer is stopped. */
async function* slowly(front: Buffer, chunk: Buffer, count = 10_000): AsyncGenerator<Buffer> {
  yield front;
  for (let i = 0; i < count; i += 1) {
    yield chunk;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const opening = formOf([file('')]).subarray(0, -`\r\n--${boundary}--\r\n`.length);
/** More than the gateway waits for until the first line ends. */
const noise = Buffer.alloc(65 * 1024, 'x');

/** Number of unnamed temporary files of buffered forms that this process has open. */
async function openForms(): Promise<number> {
  const links = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return links.filter((link) => link.includes('gateway-form-')).length;
}

describe('a response before the upload is complete', () => {
  test('may be 100 Continue, which the gateway did not ask for', async () => {
    a.early = (_request, response) => {
      response.writeContinue();
      return false;
    };
    const body = formOf([file(Buffer.alloc(megabyte, 'x'))]);
    const response = await sendWhole(gateway, body);
    expect([response.status, a.received[0]?.sha256]).toEqual([200, sha256(body)]);
  });

  test('is returned to the client, and nothing is sent again', async () => {
    a.early = (_request, response) => {
      respondWithJson(response, 413, { error: { message: 'File is too large', type: 'invalid_request_error', param: null, code: null } });
      return true;
    };
    const response = await send(gateway, { headers: onPair, body: slowly(opening, noise) });
    expect(response.status).toBe(413);
    expect(response.text).toContain('File is too large');
    expect(b.count).toBe(0);
    expect(await recordOf(response)).toMatchObject({ status: 413, attempts: [{ outcome: 'answered', status: 413 }] });
  });

  test('with status 401 does not cause a retry of a form already sent', async () => {
    a.early = (_request, response) => {
      respondWithJson(response, 401, { error: { message: 'bad key' } });
      return true;
    };
    const response = await send(gateway, { headers: onPair, body: slowly(opening, noise) });
    expect(response.status).toBe(502);
    expect(response.text).toContain('provider_auth_failed');
    expect(a.count + b.count).toBe(1);
  });
});

describe('a client', () => {
  test('that disconnects during an upload cancels the upstream request', async () => {
    const request = httpRequest(`${gateway.url}/v1/files`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': contentType, ...onA },
    });
    request.on('error', () => {});
    request.write(opening);
    request.write(noise);
    await until(() => a.count === 1, 'the upload to reach the provider');
    request.destroy();
    await until(() => a.received[0]?.isWhole === false, 'the upload to be cut');
    const record = await until(() => gateway.records[0], 'the record');
    expect(record).toMatchObject({ end: 'client_gone', status: 499, attempts: [{ outcome: 'cancelled' }] });
    expect(record.bytes.in).toBeGreaterThan(noise.length);
  });

  test('that disconnects before its file begins leaves a record', async () => {
    const request = httpRequest(`${gateway.url}/v1/files`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': contentType, ...onA },
    });
    request.on('error', () => {});
    request.write(opening.subarray(0, 40));
    await turns();
    request.destroy();
    expect(await until(() => gateway.records[0], 'the record')).toMatchObject({ end: 'client_gone', status: 499, attempts: [] });
  });

  test('whose form is incomplete when the gateway closes gets 503', async () => {
    const closing = await startFront([a, b]);
    const request = httpRequest(`${closing.url}/v1/files`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': contentType, ...onA },
    });
    request.on('error', () => {});
    const responded = once(request, 'response');
    request.write(opening.subarray(0, 40));
    await turns();
    await closing.close();
    // Later errors of this form must not end the process: the test runner fails on an unhandled rejection.
    expect(((await responded) as [IncomingMessage])[0].statusCode).toBe(503);
  });

  test('that disconnects while its form is buffered leaves no temporary file', async () => {
    const request = httpRequest(`${gateway.url}${transcriptions}`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': contentType, ...onA },
    });
    request.on('error', () => {});
    request.write(opening);
    for (let i = 0; i < 40; i += 1) request.write(noise);
    await waitForOpenForm();
    request.destroy();
    expect(await until(() => gateway.records[0], 'the record')).toMatchObject({ end: 'client_gone', status: 499 });
    await waitForNoForms();
  });

  test('with a truncated form gets 400 invalid_form, and the provider gets no complete request', async () => {
    const body = formOf([file(Buffer.alloc(megabyte, 'x'))]);
    const response = await sendWhole(gateway, body.subarray(0, -20), { headers: onPair });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text)).toMatchObject({ error: { code: 'invalid_form', message: 'The form ends in the middle of a part.' } });
    expect(await until(() => a.received[0], 'the cut request')).toMatchObject({ isWhole: false });
    expect(b.count).toBe(0);
  });

  test('that sends a different model after the file gets 400', async () => {
    const body = formOf([whisper, file(Buffer.alloc(megabyte, 'x')), { name: 'model', value: 'other' }]);
    const response = await sendWhole(gateway, body, { path: transcriptions });
    expect(response.status).toBe(400);
    expect(response.text).toContain('has two values');
  });
});

describe('a provider', () => {
  test('that is unreachable triggers the fallback with the complete form', async () => {
    const dead = { ...a, url: `http://127.0.0.1:${await deadPort()}` };
    gateway = await replace(startFront([dead, b]));
    const body = formOf([{ name: 'purpose', value: 'batch' }, file(Buffer.alloc(megabyte, 'x'))]);
    const response = await sendWhole(gateway, body, { headers: onPair });
    expect(response.status).toBe(200);
    expect(b.received[0]).toMatchObject({ sha256: sha256(body), size: body.length });
  });

  test('that resets the connection during the upload is reported, without a fallback', async () => {
    a.early = (request) => {
      request.once('data', () => request.socket.resetAndDestroy());
      return true;
    };
    const response = await send(gateway, { headers: onPair, body: slowly(opening, noise) });
    expect(response.status).toBe(502);
    expect(JSON.parse(response.text)).toMatchObject({ error: { code: 'upstream_unreachable' } });
    expect(response.text).toContain('closed the connection during the upload');
    expect(response.text).toContain('send a small one to see its error');
    expect(b.count).toBe(0);
  });

  test('that stops reading causes a timeout, which is not attributed to the client', async () => {
    gateway = await replace(startFront([a], { timeouts: { idle: '500ms' } }));
    a.early = (request) => {
      request.pause();
      return true;
    };
    const response = await sendWhole(gateway, formOf([file(Buffer.alloc(30 * megabyte, 'x'))]));
    expect(response.status).toBe(408);
    expect(response.text).toContain('Provider \\"a\\" transferred no data within 500 ms');
  });

  test('that responds late gets the idle timeout after the last byte of the upload', async () => {
    gateway = await replace(startFront([a], { timeouts: { idle: '500ms', total: '200ms', first_byte: '100ms' } }));
    a.reply = () => {};
    const response = await sendWhole(gateway, formOf([file('x')]));
    expect(response.status).toBe(408);
    expect(response.text).toContain('transferred no data within 500 ms');
  });

  test('is not timed out because of a slow client', async () => {
    gateway = await replace(startFront([a], { timeouts: { idle: '300ms', total: '200ms' } }));
    const time = holdTime();
    const body = formOf([file(Buffer.alloc(300_000, 'x'))]);
    async function* halting(): AsyncGenerator<Buffer> {
      yield body.subarray(0, 100_000);
      await turns();
      time.pass(1000);
      // Timeouts are checked every 100 ms.
      await new Promise((resolve) => setTimeout(resolve, 300));
      yield body.subarray(100_000);
    }
    const response = await send(gateway, { body: halting() });
    time.release();
    expect(response.status, response.text).toBe(200);
  });
});

describe('upload limits', () => {
  test('reject a content-length above server.max_upload with 413', async () => {
    gateway = await replace(startFront([a], { server: { max_upload: '1MB' } }));
    const response = await sendWhole(gateway, formOf([file(Buffer.alloc(2 * megabyte, 'x'))]));
    expect(response.status).toBe(413);
    expect(JSON.parse(response.text)).toMatchObject({ error: { code: 'body_too_large' } });
    expect(response.text).toContain('raise server.max_upload');
    expect(a.count).toBe(0);
  });

  test('apply to chunked bodies', async () => {
    gateway = await replace(startFront([a], { server: { max_upload: '1MB' } }));
    const response = await send(gateway, { body: slowly(opening, noise) });
    expect(response.status).toBe(413);
    expect(await until(() => a.received[0], 'the cut request')).toMatchObject({ isWhole: false });
  });

  test('apply to relayed bodies', async () => {
    gateway = await replace(startFront([a], { server: { max_upload: '1MB' } }));
    const path = '/v1/uploads/upload_1/parts';
    const declared = await sendWhole(gateway, Buffer.alloc(2 * megabyte), { path });
    expect(declared.status).toBe(413);
    expect(a.count).toBe(0);
    const counted = await send(gateway, { path, body: slowly(opening, noise) });
    expect(counted.status).toBe(413);
    expect(counted.text).toContain('raise server.max_upload');
  });

  test('server.max_body applies to a buffered form', async () => {
    gateway = await replace(startFront([a], { server: { max_body: '1MB' } }));
    const body = formOf([file(Buffer.alloc(2 * megabyte, 'x')), whisper]);
    const response = await sendWhole(gateway, body, { path: transcriptions });
    expect(response.status).toBe(413);
    expect(response.text).toContain('server.max_body');
    const chunked = await send(gateway, { path: transcriptions, body: [body.subarray(0, megabyte), body.subarray(megabyte)] });
    expect(chunked.status).toBe(413);
    expect(a.count).toBe(0);
    await waitForNoForms();
  });

  test('a client without a valid key causes no temporary file', async () => {
    const key = 'a-key-of-sixteen-characters';
    gateway = await replace(startFront([a], { rest: { api_keys: { team: { hash: `sha256:${sha256(Buffer.from(key))}` } } } }));
    const body = formOf([file(Buffer.alloc(4 * megabyte, 'x')), whisper]);
    const response = await sendWhole(gateway, body, { path: transcriptions });
    expect(response.status).toBe(401);
    expect(await openForms()).toBe(0);
    const known = await sendWhole(gateway, body, { path: transcriptions, headers: { 'x-gateway-api-key': key } });
    expect(known.status).toBe(200);
  });
});

describe('a buffered form', () => {
  test('is retried with the same bytes, and its temporary file is deleted afterwards', async () => {
    a.reply = (response) => {
      if (a.received.length < 3) respondWithJson(response, 503, { error: { message: 'busy' } });
      else respondWithFile(response, { size: 1 });
    };
    const body = formOf([whisper, file(Buffer.alloc(3 * megabyte, 'wave'))]);
    const response = await sendWhole(gateway, body, { path: transcriptions, headers: onAgain });
    expect(response.status, response.text).toBe(200);
    expect(a.received.map((form) => form.sha256)).toEqual([sha256(body), sha256(body), sha256(body)]);
    await waitForNoForms();
  });

  test('is sent again if a keep-alive connection was closed', async () => {
    const body = formOf([whisper, file(Buffer.alloc(10_000, 'wave'))]);
    expect((await sendWhole(gateway, body, { path: transcriptions, headers: onAgain })).status).toBe(200);
    await a.forget();
    const response = await sendWhole(gateway, body, { path: transcriptions, headers: onAgain });
    expect(response.status).toBe(200);
    expect(a.received.at(-1)).toMatchObject({ sha256: sha256(body) });
  });
});

test('an early error response to a form keeps the connection usable for the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = formOf([file(Buffer.alloc(megabyte, 'x'))]);
  const sendOn = async (provider: string): Promise<{ status: number | undefined; isReused: boolean }> => {
    const headers = { 'content-type': contentType, 'content-length': body.length, 'x-gateway-provider': provider };
    const request = httpRequest(`${gateway.url}/v1/files`, { method: 'POST', agent, headers });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    await until(() => request.writableFinished, 'the form to be sent');
    return { status: response.statusCode, isReused: request.reusedSocket };
  };
  expect(await sendOn('@nobody')).toEqual({ status: 404, isReused: false });
  expect(await sendOn('@a')).toEqual({ status: 200, isReused: true });
  agent.destroy();
});

async function waitForOpenForm(): Promise<void> {
  await until(async () => (await openForms()) > 0, 'a form that is held');
}

/** Waits until no form is buffered. */
async function waitForNoForms(): Promise<void> {
  await until(async () => (await openForms()) === 0, 'the end of all forms');
}

async function replace(next: Promise<TestGateway>): Promise<TestGateway> {
  await gateway.close();
  return next;
}
