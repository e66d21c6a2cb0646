import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { adminUrl } from '../admin/client.ts';
import { headOf, WireClient } from '../edge/wire-client.ts';
import { createProbeServer } from '../../src/transport/inbound/probes.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** Bytes that are not a request, on the listeners for operators. */

let gateway: TestGateway;
let probes: Server;
let client: WireClient;

beforeAll(async () => {
  const yaml = 'version: 1\nserver: {state_dir: memory}\nproviders: {mock: {type: mock}}\n';
  gateway = await startTestGateway(yaml, { admin: true });
  probes = createProbeServer(() => false, { path: () => undefined, render: () => Promise.reject(new Error('off')) });
  await once(probes.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => client.close());
afterAll(async () => {
  probes.close();
  await gateway.close();
});

const notHttp = { code: 'invalid_header', message: 'The request is not valid HTTP.' };
const secondHost = { code: 'invalid_header', message: 'The request has more than one header "host".' };
const sendTls = Buffer.from('16030100c8010000c40303'.padEnd(400, '0'), 'hex');
const tooLarge = headOf('GET /', { x: 'x'.repeat(40_000) });
const invalidChunks = { code: 'invalid_header', message: 'The chunks of the body are not valid.' };
const json = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };

describe.each([
  ['admin', () => adminUrl(gateway), 32_768],
  ['probe', () => `http://127.0.0.1:${(probes.address() as AddressInfo).port}`, 16_384],
])('the %s listener answers', (_listener, url, maxBody) => {
  it.each<[string, string | Buffer, number, object]>([
    ['a line that is none', 'no request\r\n\r\n', 400, notHttp],
    ['a TLS handshake', sendTls, 400, { code: 'invalid_header', message: 'The client uses TLS, but this port does not.' }],
    ['two Host headers', 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nHost: localhost\r\n\r\n', 400, secondHost],
    ['two Host headers with HTTP/1.0', 'GET / HTTP/1.0\r\nhost: localhost\r\nhost: evil.example\r\n\r\n', 400, secondHost],
    ['no Host header', 'GET /healthz HTTP/1.1\r\n\r\n', 400, { message: 'The request has no header "host".' }],
    ['large headers', tooLarge, 431, { code: 'headers_too_large', message: `The request's headers are larger than ${maxBody} bytes.` }],
  ])('%s with an error', async (_name, bytes, status, error) => {
    client = new WireClient(url());
    client.write(bytes);
    await client.closed();
    expect(client.statuses).toEqual([status]);
    expect(JSON.parse(client.text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error });
  });
});

it.each([
  ['invalid chunks', '8\r\n{"token"\r\nno size\r\n', 400, invalidChunks],
  ['too many of them', `5000\r\n${'x'.repeat(0x50_00)}\r\n`, 413, { code: 'body_too_large' }],
])('the admin listener answers a body with %s', async (_name, body, status, error) => {
  client = new WireClient(adminUrl(gateway));
  client.write(headOf('POST /api/session', { ...json, 'x-gateway-admin': '1' }), body);
  await client.closed();
  expect(client.statuses).toEqual([status]);
  expect(JSON.parse(client.text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error });
});

describe('a target in absolute form on the admin listener', () => {
  it.each([
    ['localhost', 'evil.example', 200, '"status":"ok"'],
    ['evil.example', 'localhost', 403, 'host_not_allowed'],
  ])('has its host checked: %s, with the header "host: %s"', async (named, host, status, shows) => {
    client = new WireClient(adminUrl(gateway));
    client.write(headOf(`GET http://${named}/healthz`, { host, connection: 'close' }));
    await client.closed();
    expect(client.statuses).toEqual([status]);
    expect(client.text).toContain(shows);
  });
});
