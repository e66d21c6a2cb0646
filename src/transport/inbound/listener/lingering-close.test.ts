import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../core/error.ts';
import { Linger, lingeringClose } from './lingering-close.ts';
import { rejectRaw } from './reject-raw.ts';

const server = createServer({ allowHalfOpen: true });
let client: Socket;
let accepted: Socket;
let text: string;

beforeEach(async () => {
  text = '';
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  client.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => {});
  [accepted] = (await once(server, 'connection')) as [Socket];
});
afterEach(async () => {
  vi.useRealTimers();
  client.destroy();
  accepted.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const rejectTooLate = (socket: Socket): void => rejectRaw(socket, new GatewayError('timeout', { message: 'Too late.' }));

it.each([
  ['gets an error', rejectTooLate, /^HTTP\/1\.1 408 .*Too late\./s],
  ['gets a normal end', (socket: Socket) => lingeringClose(socket, 'bye'), /^bye$/],
])('disconnects a client that %s but stays connected, 5 s after it could read the response', async (_, end, expected) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  end(accepted);
  client.write('more');
  await once(client, 'end');
  expect(text).toMatch(expected);
  vi.advanceTimersByTime(4900);
  expect(accepted.destroyed).toBe(false);
  vi.advanceTimersByTime(1200);
  expect(accepted.destroyed).toBe(true);
});

it('reads for up to 60 s from a client that continues to send', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  lingeringClose(accepted, 'bye');
  for (let second = 0; second < 66; second += 6) {
    expect(accepted.destroyed).toBe(false);
    const received = accepted.bytesRead + 100_000;
    client.write('x'.repeat(100_000));
    while (accepted.bytesRead < received) await new Promise(setImmediate);
    vi.advanceTimersByTime(6000);
  }
  expect(accepted.destroyed).toBe(true);
});

it.each([
  ['stops', 0, 6],
  ['sends less than 64 KB in 5 s', 10_000, 6],
  ['sends 1 MB a second', 1_000_000, 66],
  ['sends 10 MB a second', 10_000_000, 18],
])('closes the connection of a client that %s', (_, bytesPerSecond, closedAfter) => {
  let bytes = 5_000_000;
  const rest = new Linger(() => bytes, 0);
  let second = 0;
  do {
    second += 1;
    bytes += bytesPerSecond;
  } while (!rest.isOver(second * 1000) && second < 100);
  expect(second).toBe(closedAfter);
});

it('leaves no timer if the client closes its side', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  rejectTooLate(accepted);
  client.end();
  await once(accepted, 'close');
  expect(vi.getTimerCount()).toBe(0);
});

it('raises no error if the client resets its connection', async () => {
  lingeringClose(accepted, 'bye');
  await once(client, 'end');
  client.resetAndDestroy();
  await new Promise((resolve) => accepted.once('close', resolve));
});
