import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchWhole } from './fetch-whole.ts';
import { createUpstream, type Upstream } from './upstream.ts';

const limits = { trust: 'operator', connectMs: 1000, totalMs: 5000, maxBytes: 1000 } as const;

let upstream: Upstream;
let server: Server;
let origin: string;
/** Requests that came. */
let count: number;
let second: (socket: Socket) => void;

beforeEach(async () => {
  upstream = createUpstream({ lookup: () => undefined });
  const served = new WeakSet<Socket>();
  count = 0;
  server = createServer(({ socket }, response) => {
    count += 1;
    if (served.has(socket)) second(socket);
    else response.end('fine');
    served.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await upstream.close();
  server.closeAllConnections();
  server.close();
});

async function ask(): Promise<string> {
  const request = { method: 'GET', origin, path: '/', headers: [], body: { kind: 'none' } } as const;
  const fetched = await fetchWhole(upstream, { ...request, headers: [] }, limits).catch((fault: Error) => fault.message);
  return typeof fetched === 'string' ? fetched : fetched.body.toString();
}

describe('a request of the gateway itself on a kept connection', () => {
  it.each([
    ['that was closed goes out once more', (socket: Socket): void => void socket.destroy(), 'fine', 3],
    ['that was reset goes out once more', (socket: Socket): void => void socket.resetAndDestroy(), 'fine', 3],
    [
      'that breaks in the middle of the work does not',
      (socket: Socket): void => void setTimeout(() => socket.destroy(), 250),
      'the connection broke',
      2,
    ],
    ['that breaks in the middle of an answer does not', (socket: Socket): void => void socket.end('HTTP/1.1 2'), 'the connection broke', 2],
    // A machine with other work may take longer than the 100 ms in which a dead connection has to show.
  ] as const)('%s', { retry: 3 }, async (_name, play, text, requests) => {
    second = play;
    expect(await ask()).toBe('fine');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([await ask(), count]).toEqual([text, requests]);
  });
});
