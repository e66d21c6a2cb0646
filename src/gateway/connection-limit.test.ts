import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ConnectionLimit } from './connection-limit.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const close of cleanups.splice(0)) close();
});

const silentLog = { warn: () => {} };
const limitOf = (maxConnections: number, openFiles: number | undefined, log = silentLog): ConnectionLimit =>
  new ConnectionLimit(maxConnections, { log, monotonic: () => 0, openFiles });

async function served(limit: ConnectionLimit, group: object = {}): Promise<Server> {
  const server = createServer((socket) => void cleanups.push(() => socket.destroy()));
  limit.add(server, group);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return server;
}

/** Opens a connection. Resolves to undefined if it is rejected. */
async function opened(server: Server, limit: ConnectionLimit): Promise<Socket | undefined> {
  const before = limit.rejected;
  const opened = new Promise<boolean>((resolve) => {
    server.once('connection', () => resolve(true)).once('drop', () => resolve(false));
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  cleanups.push(() => socket.destroy());
  const isOpen = await opened;
  expect(limit.rejected).toBe(before + (isOpen ? 0 : 1));
  return isOpen ? socket : undefined;
}

it('holds for each group of listeners, and for all of a process by its open files', async () => {
  const limit = limitOf(4, 8);
  const [first, second] = [await served(limit), await served(limit)];
  const open = async (server: Server): Promise<boolean> => (await opened(server, limit)) !== undefined;
  expect([await open(first), await open(first), await open(first), await open(first), await open(first)]).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  // Three quarters of eight files.
  expect([await open(second), await open(second), await open(second), await open(first)]).toEqual([true, true, false, false]);
});

it('counts the connections of all listeners of a group', async () => {
  const limit = limitOf(2, undefined);
  const group = {};
  const [first, second] = [await served(limit, group), await served(limit, group)];
  const open = await opened(first, limit);
  expect(await opened(second, limit)).toBeDefined();
  expect([await opened(first, limit), await opened(second, limit)]).toEqual([undefined, undefined]);
  open?.destroy();
  await expect.poll(() => opened(second, limit)).toBeDefined();
});

it('changes while connections are open', async () => {
  const limit = limitOf(1, undefined);
  const server = await served(limit);
  const first = await opened(server, limit);
  expect(await opened(server, limit)).toBeUndefined();
  limit.max = 2;
  expect(await opened(server, limit)).toBeDefined();
  expect(await opened(server, limit)).toBeUndefined();
  first?.destroy();
  await expect.poll(() => opened(server, limit)).toBeDefined();
});

it.each([
  [1, 100, { limit: 1, hint: expect.stringContaining('Raise server.max_connections') }],
  [100, 1, { limit: 1, hint: expect.stringContaining('Raise the limit of open files') }],
])('says which limit it was: setting %i, open files %i', async (maxConnections, openFiles, expected) => {
  const lines: unknown[] = [];
  const limit = limitOf(maxConnections, openFiles, { warn: (fields: unknown) => void lines.push(fields) } as typeof silentLog);
  const server = await served(limit);
  await opened(server, limit);
  await opened(server, limit);
  expect(lines).toEqual([{ rejected: 1, ...expected }]);
});
