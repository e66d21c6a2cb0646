import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { SocketBody } from '../../../core/http/request.ts';
import type { Answered, Attempt, Outcome } from '../../../core/plan.ts';
import { WebSocketExchange } from './exchange.ts';

const noop = (): void => {};
const key = ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='];
const body: SocketBody = {
  kind: 'socket',
  received: 0,
  offeredProtocols: [],
  handshake: ['connection', 'Upgrade', 'upgrade', 'websocket', 'sec-websocket-version', '13', ...key],
  into: noop,
  pause: noop,
  resume: noop,
  disconnect: noop,
};

it('a WebSocket has no idle timeout while plugins inspect its response', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => socket.send('hello'));
  await once(server, 'listening');
  const attempt = { timeouts: { connect: 60_000, idle: 1000, total: 60_000 } } as unknown as Attempt;
  let now = 0;
  const outcome = await new Promise<Outcome>((settle) => {
    const settings = { monotonic: () => now, onEcho: noop, arrivedAt: 0, settle, over: noop, lookup: undefined };
    new WebSocketExchange(attempt, body, settings).dial(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '/', []);
  });
  const flow = (outcome as Answered).reply.flow as WebSocketExchange;
  now = 5000;
  flow.sweep(now);
  const received = new Promise((resolve) => flow.into({ data: resolve, end: resolve, fault: resolve }));
  expect(String(await received)).toContain('hello');
  flow.abort();
  for (const client of server.clients) client.terminate();
  server.close();
});
