import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';

/** WebSockets of a key that a reload revokes. */

const hashOf = (key: string): string => `"sha256:${createHash('sha256').update(key).digest('hex')}"`;
const keys = { revoked: 'a-key-for-revoked-0123', kept: 'a-key-for-kept-0123' };

let provider: Server;
let gateway: TestGateway;
const providerCloses: number[] = [];

function yaml(more: string): string {
  const { port } = provider.address() as AddressInfo;
  return `
version: 1
providers:
  live: {type: openai, api_key: sk-0123456789, custom_host: "http://127.0.0.1:${port}/v1"}
api_keys:
  revoked: {hash: ${hashOf(keys.revoked)}${more}}
  kept: {hash: ${hashOf(keys.kept)}}
`;
}

beforeEach(async () => {
  providerCloses.length = 0;
  provider = createServer();
  new WebSocketServer({ server: provider }).on('connection', (socket) => {
    socket.on('message', (data) => socket.send(data)).on('close', (code) => void providerCloses.push(code));
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  gateway = await startTestGateway(yaml(''), { watch: true });
});

afterEach(async () => {
  await gateway.close();
  provider.closeAllConnections();
  provider.close();
});

async function connect(key: string): Promise<WebSocket> {
  const headers = { 'x-gateway-api-key': key, 'x-gateway-provider': '@live' };
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=m`, { headers });
  await once(socket, 'open');
  return socket;
}

it('a WebSocket ends when its key is revoked, and those of other keys stay open', async () => {
  const [ending, staying] = await Promise.all([connect(keys.revoked), connect(keys.kept)]);
  const closed = once(ending, 'close');
  await gateway.write(yaml(', revoked: 2026-01-01'));
  expect((await closed)[0]).toBe(1001);
  await until(() => providerCloses.length === 1, 'the end at the provider');
  expect(providerCloses).toEqual([1001]);
  const record = await until(() => gateway.records.find(({ key }) => key === 'revoked'), 'the record');
  expect(record).toMatchObject({ status: 101, end: 'fault', error: { code: 'invalid_api_key' } });
  staying.send('still open');
  expect(String((await once(staying, 'message'))[0])).toBe('still open');
  staying.close();
  await once(staying, 'close');
});
