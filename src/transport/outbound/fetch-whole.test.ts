import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchWhole } from './fetch-whole.ts';
import { createUpstream, type Upstream } from './upstream.ts';
import { type HeldTime, holdTime, turns } from '../../../test/support/time.ts';
import { Wheel } from '../wire/wheel.ts';

const limits = { trust: 'operator', connectMs: 60_000, totalMs: 60_000, maxBytes: 1000 } as const;

let upstream: Upstream;
let server: Server;
let origin: string;
/** Requests that came. */
let count: number;
let second: (socket: Socket) => void;
let time: HeldTime;

beforeEach(async () => {
  upstream = createUpstream({ wheel: new Wheel(), lookup: () => undefined });
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
      (socket: Socket): void => {
        time.pass(250);
        socket.destroy();
      },
      'the connection broke',
      2,
    ],
    ['that breaks in the middle of an answer does not', (socket: Socket): void => void socket.end('HTTP/1.1 2'), 'the connection broke', 2],
  ] as const)('%s', async (_name, play, text, requests) => {
    second = play;
    // A dead connection has to show within 100 ms, which a machine with other work may take.
    time = holdTime();
    expect(await ask()).toBe('fine');
    await turns();
    expect([await ask(), count]).toEqual([text, requests]);
  });
});
