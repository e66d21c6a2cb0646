import { once } from 'node:events';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorCode } from '../../../../core/text/error-code.ts';
import { skipping } from '../../../../../test/support/skipping.ts';
import { listen } from './listen.ts';

let dir: string;
let path: string;
const servers: Server[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'unix-socket-'));
  path = join(dir, 'gw.sock');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true, force: true });
});

function newServer(): Server {
  const server = createServer();
  servers.push(server);
  return server;
}

/** Other systems may limit the queue to fewer connections than the test opens. */
const shortQueue = process.platform === 'linux' ? undefined : 'the accept queue is long on Linux only';

const listenAt = async (server: Server, at: string, mode: number | undefined): Promise<() => void> =>
  (await listen(server, { path: at, mode })).release;

const modeOf = (file: string): string => (lstatSync(file).mode & 0o777).toString(8);

async function isServed(): Promise<boolean> {
  const socket = connect({ path });
  const served = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(() => false);
  socket.destroy();
  return served;
}

/** A socket file whose process has exited. */
async function createStaleSocket(): Promise<void> {
  const server = createNetServer();
  server.listen(join(dir, 'other'));
  await once(server, 'listening');
  linkSync(join(dir, 'other'), path);
  await new Promise((resolve) => server.close(resolve));
}

describe('listen() on a Unix socket', () => {
  it('creates only the socket file and removes it on release', async () => {
    const server = newServer();
    const release = await listenAt(server, path, undefined);
    expect(readdirSync(dir)).toEqual(['gw.sock']);
    expect(await isServed()).toBe(true);
    release();
    expect(readdirSync(dir)).toEqual([]);
    release();
  });

  it.each([0o600, 0o660, 0o666, 0o777, 0o222])('creates the socket with mode %o and no wider mode at any moment', async (mode) => {
    const modesSeen = new Set<string>();
    const readMode = (): void => {
      for (const name of readdirSync(dir)) {
        const stats = lstatSync(join(dir, name), { throwIfNoEntry: false });
        if (stats !== undefined) modesSeen.add((stats.mode & 0o777).toString(8));
      }
    };
    const watcher = watch(dir, readMode);
    const umaskBefore = process.umask();
    const server = newServer();
    const listening = listenAt(server, path, mode);
    readMode();
    await listening;
    readMode();
    watcher.close();
    expect([...modesSeen]).toEqual([mode.toString(8)]);
    expect(process.umask()).toBe(umaskBefore);
  });

  it('replaces a stale socket file', async () => {
    await createStaleSocket();
    expect(await isServed()).toBe(false);
    await listenAt(newServer(), path, 0o600);
    expect(await isServed()).toBe(true);
    expect(modeOf(path)).toBe('600');
  });

  it('rejects with EADDRINUSE if another process listens on the socket', async () => {
    await listenAt(newServer(), path, undefined);
    const { ino } = lstatSync(path);
    await expect(listenAt(newServer(), path, undefined)).rejects.toMatchObject({ code: 'EADDRINUSE', path });
    expect(lstatSync(path).ino).toBe(ino);
    expect(await isServed()).toBe(true);
  });

  it('rejects with ENOTSOCK and does not replace a file, a link or a folder', async () => {
    writeFileSync(path, 'precious');
    await expect(listenAt(newServer(), path, undefined)).rejects.toMatchObject({ code: 'ENOTSOCK' });
    expect(readFileSync(path, 'utf8')).toBe('precious');
    const link = join(dir, 'link');
    symlinkSync(path, link);
    await expect(listenAt(newServer(), link, undefined)).rejects.toMatchObject({ code: 'ENOTSOCK' });
    await expect(listenAt(newServer(), dir, undefined)).rejects.toMatchObject({ code: 'ENOTSOCK' });
    expect(readdirSync(dir).toSorted()).toEqual(['gw.sock', 'link']);
  });

  it('does not remove a socket that replaced its own', async () => {
    const release = await listenAt(newServer(), path, undefined);
    rmSync(path);
    await listenAt(newServer(), path, undefined);
    release();
    const [first] = servers.splice(0, 1);
    await new Promise((resolve) => first?.close(resolve));
    expect(await isServed()).toBe(true);
  });

  it('does not throw if the socket cannot be removed', async () => {
    const folder = join(dir, 'run');
    mkdirSync(folder);
    const release = await listenAt(newServer(), join(folder, 'gw.sock'), undefined);
    renameSync(folder, join(dir, 'moved'));
    writeFileSync(folder, 'no folder any more');
    release();
    expect(readdirSync(join(dir, 'moved'))).toEqual(['gw.sock']);
  });

  it.skipIf(skipping(shortQueue))('queues more than the 511 connections of the default', async () => {
    await listenAt(newServer(), path, undefined);
    // They connect in one turn, before the server accepts any.
    const sockets = Array.from({ length: 600 }, () => connect({ path }));
    const results = await Promise.all(sockets.map((socket) => once(socket, 'connect').then(() => '', errorCode)));
    for (const socket of sockets) socket.destroy();
    expect(results.filter((code) => code !== '')).toEqual([]);
  });

  it('supports a path of the maximum length', async () => {
    path = join(dir, 'x'.repeat(103 - dir.length - 1));
    const release = await listenAt(newServer(), path, 0o600);
    expect(await isServed()).toBe(true);
    release();
    expect(readdirSync(dir)).toEqual([]);
  });
});
