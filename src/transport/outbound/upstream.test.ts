import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { connectionFault } from '../../core/http/connection-fault.ts';
import { TimerWheel } from '../wire/timer-wheel.ts';
import { createUpstream } from './upstream.ts';

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n';

/** How the fault of a response is described if the gateway or the library reads it. */
async function faultOf(response: string, fastPath: boolean): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => void socket.end(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream = createUpstream({ wheel: new TimerWheel(), lookup: () => undefined, fastPath: () => fastPath });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ignore = (): void => {};
  const fault = await new Promise<string>((resolve) => {
    upstream.send(
      { origin, path: '/', method: 'GET', headers: [], body: { kind: 'none' } },
      { trust: 'operator', connectMs: 5000 },
      {
        connected: ignore,
        sent: ignore,
        head: ignore,
        data: ignore,
        finished: () => resolve('none'),
        failed: (error) => resolve(connectionFault(error)),
      },
    );
  });
  await upstream.close();
  server.close();
  return fault;
}

it.each([
  ['no HTTP', '<html>', 'not valid HTTP'],
  ['an invalid chunk', `${chunked}zz\r\n`, 'not valid HTTP'],
  ['a head of 20 KB', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 'too many headers'],
  ['a trailer of 20 KB', `${chunked}0\r\nx: ${'y'.repeat(20_000)}\r\n`, 'too many headers'],
  ['a truncated chunk', `${chunked}3\r\nab`, 'connection closed'],
])('describes a response with %s alike, whoever reads it', async (_, response, description) => {
  expect([await faultOf(response, true), await faultOf(response, false)]).toEqual([description, description]);
});

it.each([true, false])('tries each address of a name for 500 ms, with fastPath: %s', async (fastPath) => {
  const connect = vi.spyOn(Socket.prototype, 'connect');
  await faultOf('<html>', fastPath);
  expect(connect.mock.calls.flat(2)).toContainEqual(expect.objectContaining({ autoSelectFamilyAttemptTimeout: 500 }));
  connect.mockRestore();
});
