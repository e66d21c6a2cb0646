import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { turns } from '../../../test/support/time.ts';
import { TimerWheel } from '../wire/timer-wheel.ts';
import { createUpstream } from './upstream.ts';
import type { ResponseControl } from '../wire/request.ts';

const size = 1024 * 1024;
/** One read of 64 KB, what was left to the limit before it, and what the library leaves in the stream. */
const mostPerTurn = 192 * 1024;

let accepted: Socket;
const server = createServer((socket) => {
  accepted = socket.on('error', () => {});
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
});
let isFast: boolean;
const upstream = createUpstream({ wheel: new TimerWheel(), lookup: () => undefined, fastPath: () => isFast });
let source: ResponseControl;
let received: number;
let onData: () => void;
let isFinished: boolean;

/** Sends a request and pauses at the head of its response, until the system has taken the whole body. */
async function start(fast: boolean): Promise<void> {
  isFast = fast;
  [received, isFinished, onData] = [0, false, () => {}];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => {
    upstream.send(
      { origin, path: '/', method: 'GET', headers: [], body: { kind: 'none' } },
      { trust: 'operator', connectMs: 5000 },
      {
        isOver: false,
        connected: (control) => (source = control),
        sent: () => {},
        head: () => resolve(),
        data: ({ length }) => {
          received += length;
          onData();
        },
        finished: () => (isFinished = true),
        failed: () => {},
      },
    );
  });
  source.pause();
  accepted.write(Buffer.alloc(size, 'x'));
  await turns();
}
afterEach(async () => {
  accepted.destroy();
  await new Promise((resolve) => server.close(resolve));
});

describe.each([
  ['the gateway', true],
  ['the library', false],
])('a connection of %s', (_, fast) => {
  beforeEach(() => start(fast));

  it('reads a part of a fast response in each turn, so that other connections are served', async () => {
    let before = 0;
    let most = 0;
    source.resume();
    while (!isFinished) {
      await new Promise(setImmediate);
      most = Math.max(most, received - before);
      before = received;
    }
    expect(received).toBe(size);
    expect(most).toBeLessThanOrEqual(mostPerTurn);
  });

  it('reads nothing in the next turns if it is paused, and continues after resume()', async () => {
    onData = () => source.pause();
    source.resume();
    while (received === 0) await new Promise(setImmediate);
    const before = received;
    await turns();
    expect(received).toBe(before);
    onData = () => {};
    source.resume();
    while (!isFinished) await new Promise(setImmediate);
    expect(received).toBe(size);
  });
});
