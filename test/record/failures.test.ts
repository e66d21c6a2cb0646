import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** What the record of a failed request tells an operator. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((response) => {
    response.statusCode = 404;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ error: { message: 'Conversation not found', type: 'invalid_request_error', param: null, code: null } }));
  });
  gateway = await startTestGateway(`version: 1
providers: {p: {type: openai, api_key: "key-of-the-provider", custom_host: "${upstream.url}/v1"}}
`);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

describe('the bytes of a body that cannot be read', () => {
  const text = '{"model": "@p/m", nonsense';
  const form = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--b\r\nno header\r\n\r\n';
  it.each([
    ['JSON', '/v1/chat/completions', 'application/json', text],
    ['JSON in chunks', '/v1/chat/completions', 'application/json', new Blob([text]).stream()],

    ['form', '/v1/audio/transcriptions', 'multipart/form-data; boundary=b', form],
  ] as const)('are in its record: %s', async (_name, path, type, body) => {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': type, 'x-gateway-provider': '@p' },
      body,
      ...({ duplex: 'half' } as object),
    });
    expect(response.status).toBe(400);
    const { bytes } = await gateway.record(response.headers.get('x-request-id'));
    expect(bytes.in).toBe(type === 'application/json' ? text.length : form.length);
  });
});

describe('the error of a provider', () => {
  it.each(['/v1/conversations/conv_1', '/v1/responses/resp_1'])('is recorded with its message: %s', async (path) => {
    const response = await fetch(gateway.url + path, { headers: { 'x-gateway-provider': '@p' } });
    expect(response.status).toBe(404);
    const { error } = await gateway.record(response.headers.get('x-request-id'));
    expect(error).toEqual({ code: 'provider_error', source: 'provider', message: 'Conversation not found' });
  });
});
