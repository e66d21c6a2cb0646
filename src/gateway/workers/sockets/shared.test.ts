import { type AddressInfo, createServer, connect, type ListenOptions } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { bind, SharedSockets } from './shared.ts';

it('shares one socket between all workers if the system does not support SO_REUSEPORT', async () => {
  const bindExclusive: typeof bind = (address, port, type, flags) => {
    if (flags !== 0) throw new Error('not here');
    return bind(address, port, type, flags);
  };
  const sockets = await SharedSockets.open({ host: '127.0.0.1', port: 0 }, 2, 3, bindExclusive);
  expect([sockets.hasSocketsPerWorker, sockets.of(1)[0] === sockets.of(2)[0], sockets.takeEarlyConnections()]).toEqual([false, true, []]);
  const server = createServer((socket) => socket.end('here'));
  await new Promise<void>((resolve) => server.listen(sockets.of(2)[0] as ListenOptions, resolve));
  const { port } = new URL(sockets.url);
  const client = connect(Number(port), '127.0.0.1');
  expect((await client.toArray()).join('')).toBe('here');
  server.close();
  sockets.close();
});

it('opens separate sockets for each worker if the system supports SO_REUSEPORT', async () => {
  const sockets = await SharedSockets.open({ host: '127.0.0.1', port: 0 }, 2, 3);
  const all = [...sockets.of(1), ...sockets.of(2)];
  expect(new Set(all).size).toBe(sockets.hasSocketsPerWorker ? 6 : 1);
  sockets.close();
});

it('rejects with EADDRINUSE if another process took the port', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const opened = SharedSockets.open({ host: '127.0.0.1', port: 0 }, 2, 3, (host, _port, type, flags) => bind(host, port, type, flags));
  await expect(opened).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
