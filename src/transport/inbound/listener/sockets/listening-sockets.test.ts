import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type ListenOptions, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { skipping } from '../../../../../test/support/skipping.ts';
import { ListeningSockets } from './listening-sockets.ts';

/** Listens on a free port, and counts the connections that the server serves. */
async function listeningServer(host: string) {
  const server = createServer();
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => void accepted.push(socket.on('error', () => {})));
  const errors: Error[] = [];
  const groups = new Set<object>();
  const sockets = new ListeningSockets(server, {
    limit: (_listener, group) => groups.add(group),
    onError: (error) => void errors.push(error),
  });
  const { url } = await sockets.listen({ host, port: 0 }, 16);
  onTestFinished(async () => {
    for (const socket of accepted) socket.destroy();
    await sockets.close();
  });
  return { sockets, server, accepted, errors, groups, port: Number(new URL(url).port) };
}

/** Opens connections, and counts those that were reset. */
function connections(count: number, port: number, host: string) {
  const result = { failed: 0 };
  for (let made = 0; made < count; made += 1) {
    const socket = connect({ port, host }).on('error', () => (result.failed += 1));
    onTestFinished(() => void socket.destroy());
  }
  return result;
}

it.each(['127.0.0.1', '::1'])('accepts several connections in a turn of the event loop on %s', async (host) => {
  const { accepted, groups, port } = await listeningServer(host);
  const count = 128;
  connections(count, port, host);
  let turns = 0;
  for (; accepted.length < count; turns += 1) await turn();
  // One socket alone needs a turn for each connection. A system without shared ports has only one.
  if (process.platform === 'linux') expect(turns).toBeLessThan(count / 2);
  expect(groups.size).toBe(1);
});

it('accepts the queued connections before it stops, and no others', async () => {
  const { sockets, accepted, port } = await listeningServer('127.0.0.1');
  const opened = connections(128, port, '127.0.0.1');
  // The client sockets connect in this turn.
  await turn();
  await sockets.stop();
  expect([accepted.length, opened.failed]).toEqual([128, 0]);
  const late = connections(1, port, '127.0.0.1');
  await expect.poll(() => late.failed).toBe(1);
});

it.skipIf(skipping(process.platform === 'linux' ? undefined : 'ports are shared on Linux only'))(
  'accepts connections that are made while its sockets are being closed',
  async () => {
    const { sockets, accepted, port } = await listeningServer('127.0.0.1');
    let opened = { failed: 0 };
    const close = vi.spyOn(NetServer.prototype, 'close').mockImplementation(function (this: NetServer) {
      close.mockRestore();
      opened = connections(64, port, '127.0.0.1');
      return this.close();
    });
    await sockets.stop();
    await expect.poll(() => accepted.length + opened.failed).toBe(64);
    expect(opened.failed).toBe(0);
  },
);

it('never releases a port that the system chose, which another gateway could get meanwhile', async () => {
  const close = vi.spyOn(NetServer.prototype, 'close');
  onTestFinished(() => close.mockRestore());
  await listeningServer('127.0.0.1');
  expect(close).not.toHaveBeenCalled();
});

it('rejects with EADDRINUSE if another one listens, which would share the port', async () => {
  const { port } = await listeningServer('127.0.0.1');
  const second = new ListeningSockets(createServer(), { limit: () => {}, onError: () => {} });
  await expect(second.listen({ host: '127.0.0.1', port }, 16)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('listens on one socket if the system cannot share ports', async () => {
  const server = createServer();
  const listen = server.listen.bind(server) as (on: ListenOptions, ...rest: unknown[]) => typeof server;
  server.listen = ((on: ListenOptions, ...rest: unknown[]) => {
    if (on.reusePort !== true) return listen(on, ...rest);
    return process.nextTick(() => server.emit('error', Object.assign(new Error('listen'), { code: 'ENOTSUP' })));
  }) as typeof server.listen;
  const listeners = new Set<unknown>();
  const sockets = new ListeningSockets(server, { limit: (listener) => listeners.add(listener), onError: () => {} });
  onTestFinished(() => sockets.close());
  const { url } = await sockets.listen({ host: '127.0.0.1', port: 0 }, 16);
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  await once(server, 'connection');
  client.destroy();
  expect(listeners).toEqual(new Set([server]));
});

it('reports errors of every socket once it listens', async () => {
  const { sockets, server, errors } = await listeningServer('127.0.0.1');
  const other = sockets.createListener();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const error = new Error('EMFILE');
  for (const listener of [server, other]) listener.emit('error', error);
  expect(errors).toEqual([error, error]);
});
