import { type AddressInfo, createServer, connect, type ListenOptions, Server } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { skipping } from '../../../../test/support/skipping.ts';
import { errorCode } from '../../../core/text/error-code.ts';
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

it('rejects with EADDRINUSE if another process has the port', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(SharedSockets.open({ host: '127.0.0.1', port }, 2, 3)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

const noSharing = process.platform === 'linux' ? undefined : 'ports are shared on Linux only';

it.skipIf(skipping(noSharing))(
  'listens on its first socket before it binds others, so that no other gateway that starts gets the port too',
  async () => {
    const outcomes: unknown[] = [];
    const bindWatched: typeof bind = (address, port, type, flags) => {
      const other = createServer();
      onTestFinished(() => void other.close());
      other.on('error', (error) => outcomes.push(errorCode(error))).on('listening', () => outcomes.push('listening'));
      other.listen(bind(address, port, type, 0) as ListenOptions);
      return bind(address, port, type, flags);
    };
    const close = vi.spyOn(Server.prototype, 'close');
    onTestFinished(() => close.mockRestore());
    const sockets = await SharedSockets.open({ host: '127.0.0.1', port: 0 }, 2, 2, bindWatched);
    onTestFinished(() => sockets.close());
    // A port that is released could be gone.
    expect(close).not.toHaveBeenCalled();
    await expect.poll(() => outcomes).toEqual(Array<string>(4).fill('EADDRINUSE'));
  },
);

it('reports the error of the system if an address cannot be bound', () => {
  expect(() => bind('192.0.2.1', 0, 4, 0)).toThrow(expect.objectContaining({ code: 'EADDRNOTAVAIL' }));
});
