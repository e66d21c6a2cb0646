import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { proxyConnector } from './connector.ts';

it('ends a connection that a library no longer needs once its time is over', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const { port } = server.address() as AddressInfo;
  const proxy = { endpoint: { isTls: false, host: '127.0.0.1', port, serverName: undefined }, authorization: undefined };
  const target = { isTls: true, host: 'a.example', port: 443, serverName: 'a.example' };
  const error = new Promise((resolve) => proxyConnector(proxy, target, undefined, 50)(undefined, resolve));
  const [socket] = await accepted;
  socket.resume();
  const closed = once(socket, 'close');
  expect(await error).toMatchObject({ code: 'UPSTREAM_CONNECT_TIMEOUT' });
  await closed;
  server.close();
});
