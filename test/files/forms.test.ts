import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { respondWithJson, contentType, formOf, onA, type Origin, send, sendWhole, sha256, startFront, startOrigin } from './rig.ts';

let a: Origin;
let b: Origin;
let gateway: TestGateway;

beforeEach(async () => {
  a = await startOrigin();
  b = await startOrigin();
  gateway = await startFront([a, b], { configs: { 'by-form': byForm } });
});

const byForm = {
  strategy: {
    mode: 'conditional',
    conditions: [
      { query: { 'params.model': 'whisper-1' }, then: 'b' },
      { query: { 'params.language': 'no' }, then: 'b' },
    ],
    default: 'a',
  },
  targets: [
    { name: 'a', provider: 'a' },
    { name: 'b', provider: 'b' },
  ],
};

afterEach(async () => {
  await gateway.close();
  await a.close();
  await b.close();
});

const file = (value: string | Buffer) => ({ name: 'file', filename: 'a.jsonl', type: 'application/jsonl', value });

describe('an upload', () => {
  test('is forwarded byte for byte with its content-length', async () => {
    const body = formOf([{ name: 'purpose', value: 'batch' }, file(Buffer.alloc(3_000_000, 'abc\r\n--x'))]);
    const response = await sendWhole(gateway, body);
    expect(response.text).toContain('"file-1"');
    expect(response.status).toBe(200);
    expect(a.received[0]).toMatchObject({ size: body.length, sha256: sha256(body), url: '/v1/files', isWhole: true });
    expect(a.received[0]?.headers).toMatchObject({ 'content-type': contentType, 'content-length': body.length.toString() });
    const record = await gateway.record(response.headers['x-request-id'] as string);
    expect(record).toMatchObject({ lane: 'express', bytes: { in: body.length }, end: 'whole', status: 200 });
  });

  const lines = (model: string): Buffer =>
    Buffer.from(`${JSON.stringify({ custom_id: 'r', method: 'POST', url: '/v1/chat/completions', body: { model } })}\n`.repeat(20_000));

  test('of a batch keeps its content-length if no line changes', async () => {
    const body = formOf([file(lines('gpt-4o')), { name: 'purpose', value: 'batch' }]);
    await sendWhole(gateway, body);
    expect(a.received[0]).toMatchObject({ size: body.length, sha256: sha256(body) });
    expect(a.received[0]?.headers['content-length']).toBe(body.length.toString());
  });

  test('of a batch is sent chunked, with the provider slug removed from its lines', async () => {
    await sendWhole(gateway, formOf([file(lines('@a/gpt-4o')), { name: 'purpose', value: 'batch' }]));
    const expected = formOf([file(lines('gpt-4o')), { name: 'purpose', value: 'batch' }]);
    expect(a.received[0]).toMatchObject({ size: expected.length, sha256: sha256(expected) });
    expect(a.received[0]?.headers['content-length']).toBeUndefined();
  });

  test('is sent without a model that only names the provider', async () => {
    const parts = [{ name: 'purpose', value: 'user_data' }, file('abc\n'.repeat(100_000))];
    await sendWhole(gateway, formOf([{ name: 'model', value: '@a/gpt-4o' }, ...parts]), { headers: { 'x-gateway-provider': '' } });
    await sendWhole(gateway, formOf([{ name: 'model', value: 'gpt-4o' }, ...parts]));
    const [without, unchanged] = [formOf(parts), formOf([{ name: 'model', value: 'gpt-4o' }, ...parts])];
    expect(a.received.map(({ size, sha256: sum }) => [size, sum])).toEqual([without, unchanged].map((body) => [body.length, sha256(body)]));
    expect(a.received[0]?.headers['content-length']).toBe(without.length.toString());
  });

  test('without a content-length is sent chunked', async () => {
    const body = formOf([file(Buffer.alloc(300_000, 'x')), { name: 'purpose', value: 'batch' }]);
    const response = await send(gateway, { body: [body.subarray(0, 1000), body.subarray(1000, 200_000), body.subarray(200_000)] });
    expect(response.status).toBe(200);
    expect(a.received[0]).toMatchObject({ size: body.length, sha256: sha256(body) });
  });
});

describe('a transcription', () => {
  const sound = Buffer.alloc(2_000_000, 'wave');
  const transcript = (): void => {
    a.reply = (response) => respondWithJson(response, 200, { text: 'hi', usage: { type: 'duration', seconds: 3 } });
    b.reply = a.reply;
  };

  test('is streamed without the provider slug if the model precedes the file', async () => {
    transcript();
    const body = formOf([{ name: 'model', value: '@a/whisper-1' }, { name: 'language', value: 'en' }, file(sound)]);
    const response = await sendWhole(gateway, body, { path: '/v1/audio/transcriptions', headers: { 'x-gateway-provider': '' } });
    expect(response.text).toContain('"hi"');
    const expected = formOf([{ name: 'model', value: 'whisper-1' }, { name: 'language', value: 'en' }, file(sound)]);
    expect(a.received[0]).toMatchObject({ size: expected.length, sha256: sha256(expected) });
    expect(a.received[0]?.headers['content-length']).toBe(expected.length.toString());
    expect(await gateway.record(response.headers['x-request-id'] as string)).toMatchObject({
      lane: 'splice',
      model: { asked: '@a/whisper-1', sent: 'whisper-1' },
    });
  });

  test('is buffered if the model follows the file', async () => {
    transcript();
    const body = formOf([file(sound), { name: 'model', value: '@b/whisper-1' }]);
    const response = await sendWhole(gateway, body, { path: '/v1/audio/transcriptions', headers: { 'x-gateway-provider': '' } });
    expect(response.status).toBe(200);
    const expected = formOf([file(sound), { name: 'model', value: 'whisper-1' }]);
    expect(b.received[0]).toMatchObject({ size: expected.length, sha256: sha256(expected) });
  });

  test('is routed by a condition on the model or on a field before the file', async () => {
    transcript();
    const model = (value: string) => ({ name: 'model', value });
    const language = { name: 'language', value: 'no' };
    const headers = { 'x-gateway-provider': '', 'x-gateway-config': 'by-form' };
    const small = file('RIFF');
    for (const parts of [
      [model('whisper-1'), small],
      [small, model('whisper-1')],
      [model('other'), language, small],
    ]) {
      const response = await sendWhole(gateway, formOf(parts), { path: '/v1/audio/transcriptions', headers });
      expect(response.status).toBe(200);
    }
    expect([a.received.length, b.received.length]).toEqual([0, 3]);
  });

  test('is buffered for a fallback, which gets the same bytes', async () => {
    transcript();
    a.reply = (response) => respondWithJson(response, 500, { error: { message: 'down' } });
    const body = formOf([{ name: 'model', value: 'whisper-1' }, file(sound)]);
    const response = await sendWhole(gateway, body, {
      path: '/v1/audio/transcriptions',
      headers: { 'x-gateway-provider': '', 'x-gateway-config': 'pair' },
    });
    expect(response.status).toBe(200);
    expect(a.received[0]).toMatchObject({ sha256: sha256(body) });
    expect(b.received[0]).toMatchObject({ sha256: sha256(body) });
  });
});

test('a body that is not a form returns 400 invalid_form', async () => {
  const response = await sendWhole(gateway, Buffer.from('{}'), { headers: { ...onA, 'content-type': 'application/json' } });
  expect(response.status).toBe(400);
  expect(response.text).toContain('invalid_form');
});
