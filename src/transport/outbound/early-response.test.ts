import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { turns } from '../../../test/support/time.ts';
import { TimerWheel } from '../wire/timer-wheel.ts';
import { createUpstream, type Upstream } from './upstream.ts';

/** More than the system takes of one request that the service does not read. */
const body = Buffer.alloc(30_000_000, 'x');

/** Responds to the first bytes of a request and reads no further. */
function respondEarly(socket: Socket): void {
  socket.on('error', () => {});
  socket.once('data', (bytes: Buffer) => {
    const isLarge = bytes.toString('latin1').startsWith('POST');
    if (isLarge) socket.pause();
    socket.write(`HTTP/1.1 ${isLarge ? '413 Payload Too Large' : '200 OK'}\r\ncontent-length: 0\r\n\r\n`);
  });
}

function send(upstream: Upstream, origin: string, method: 'GET' | 'POST'): Promise<number | Error> {
  return new Promise((resolve) => {
    let received = 0;
    upstream.send(
      { origin, path: '/', method, headers: [], body: method === 'GET' ? { kind: 'none' } : { kind: 'json', bytes: () => body } },
      { trust: 'operator', connectMs: 5000 },
      {
        connected: () => {},
        sent: () => {},
        head: (status) => (received = status),
        data: () => {},
        finished: () => resolve(received),
        failed: resolve,
      },
    );
  });
}

it.each([
  ['the gateway', true],
  ['the library', false],
])('a request sent by %s does not wait behind one whose response came before it was sent', async (_, fastPath) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    respondEarly(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream = createUpstream({ wheel: new TimerWheel(), lookup: () => undefined, fastPath: () => fastPath });
  expect(await send(upstream, origin, 'POST')).toBe(413);
  await turns(5);
  expect(await send(upstream, origin, 'GET')).toBe(200);
  expect(sockets).toHaveLength(2);
  await upstream.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});
