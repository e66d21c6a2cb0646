import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { startedRig } from './fixtures/pool-rig.ts';
import { type HeldTime, holdTime } from '../../../../test/support/time.ts';

const rig = startedRig();

describe('broken Origins connection', () => {
  /** A dead connection has to be detected within 100 ms, which a busy machine may exceed. */
  let time: HeldTime;
  beforeEach(() => {
    time = holdTime();
  });

  it.each([
    ['that breaks before its first response', 0, (socket: Socket) => void socket.destroy(), 'UPSTREAM_CLOSED'],
    ['that is reset before its first response', 0, (socket: Socket) => void socket.resetAndDestroy(), 'ECONNRESET'],
    ['that breaks after it was reused', 1, (socket: Socket) => void socket.destroy(), 'UPSTREAM_CLOSED unread'],
    ['that is reset after it was reused', 1, (socket: Socket) => void socket.resetAndDestroy(), 'ECONNRESET unread'],
    ['that breaks within a status line', 1, (socket: Socket) => void socket.end('HTTP/1.1 2'), 'UPSTREAM_CLOSED'],
    [
      'that breaks within a body',
      1,
      (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
      'UPSTREAM_CLOSED',
    ],
  ])('reports whether the request may have been read, for a connection %s', async (_name, requestsBefore, breakConnection, expected) => {
    if (requestsBefore > 0) await rig.sendAndWait();
    rig.respond = breakConnection;
    expect([await rig.sendAndWait(), rig.sockets.length]).toEqual([expected, 1]);
  });

  it('is reported as possibly read if it breaks long after the request was sent', async () => {
    await rig.sendAndWait();
    rig.respond = (socket) => {
      time.pass(150);
      socket.destroy();
    };
    expect(await rig.sendAndWait()).toBe('UPSTREAM_CLOSED');
  });

  it('is reported as closed before within 100 ms and a round trip', async () => {
    const first = rig.sendAndWait();
    await new Promise((resolve) => process.nextTick(resolve));
    // The connection, now begun, takes this long to open.
    time.pass(120);
    await first;
    rig.respond = (socket) => {
      time.pass(200);
      socket.destroy();
    };
    expect(await rig.sendAndWait()).toBe('UPSTREAM_CLOSED unread');
  });

  it('ends a response without a length on close, and fails it on a reset', async () => {
    rig.respond = (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nall of it');
    expect(await rig.sendAndWait()).toBe('200 all of it');
    rig.respond = (socket) => void (socket.write('HTTP/1.1 200 OK\r\n\r\nhalf'), setTimeout(() => socket.resetAndDestroy(), 50));
    expect(await rig.sendAndWait()).toBe('ECONNRESET');
  });
});
