import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchResponse } from './fetch-response.ts';
import { createUpstream, type Upstream } from './upstream.ts';
import { type HeldTime, holdTime, turns } from '../../../test/support/time.ts';
import { TimerWheel } from '../wire/timer-wheel.ts';

const limits = { trust: 'operator', connectMs: 60_000, totalMs: 60_000, maxBytes: 1000 } as const;

let upstream: Upstream;
let server: Server;
let origin: string;
/** Number of requests received. */
let count: number;
let second: (socket: Socket) => void;
let time: HeldTime;

beforeEach(async () => {
  upstream = createUpstream({ wheel: new TimerWheel(), lookup: () => undefined });
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

async function fetchOnce(): Promise<string> {
  const request = { method: 'GET', origin, path: '/', headers: [], body: { kind: 'none' } } as const;
  const fetched = await fetchResponse(upstream, { ...request, headers: [] }, limits).catch((fault: Error) => fault.message);
  return typeof fetched === 'string' ? fetched : fetched.body.toString();
}

describe('fetchResponse() on a reused connection', () => {
  it.each([
    ['retries the request if the connection was closed', (socket: Socket): void => void socket.destroy(), 'fine', 3],
    ['retries the request if the connection was reset', (socket: Socket): void => void socket.resetAndDestroy(), 'fine', 3],
    [
      'does not retry if the connection breaks while the server works',
      (socket: Socket): void => {
        time.pass(250);
        socket.destroy();
      },
      'connection closed',
      2,
    ],
    [
      'does not retry if the connection breaks within the response',
      (socket: Socket): void => void socket.end('HTTP/1.1 2'),
      'connection closed',
      2,
    ],
  ] as const)('%s', async (_name, serve, text, requests) => {
    second = serve;
    // A dead connection has to be detected within 100 ms, which a busy machine may exceed.
    time = holdTime();
    expect(await fetchOnce()).toBe('fine');
    await turns();
    expect([await fetchOnce(), count]).toEqual([text, requests]);
  });
});
