import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { DataServer } from '../server.ts';
import { Connections } from './connections.ts';

/** A connection that receives bytes before each check. */
class ReceivingSocket extends EventEmitter {
  bytesRead = 0;
  writableLength = 0;
  _httpMessage: object | null = null;
  isClosed = false;

  destroySoon(): void {
    this.isClosed = true;
  }
}

it('closeIdle waits 5 s for bytes without a response, and for as long as a response is due', () => {
  const server = new EventEmitter();
  const plain = { isDraining: false, isResponding: () => false };
  const connections = new Connections({ server, plain } as unknown as DataServer);
  const [rest, request] = [new ReceivingSocket(), new ReceivingSocket()];
  for (const socket of [rest, request]) server.emit('connection', socket);
  connections.startDraining(1_000_000);
  const openAt = (second: number): boolean[] => {
    for (const socket of [rest, request]) socket.bytesRead += 10;
    request._httpMessage = second < 20 ? { headersSent: false } : null;
    connections.closeIdle(1_000_000 + second * 1000, 1000);
    return [rest, request].map(({ isClosed }) => !isClosed);
  };
  const open = Array.from({ length: 30 }, (_, second) => openAt(second));
  expect(open.map(([isOpen]) => isOpen).indexOf(false)).toBe(5);
  expect(open.map(([, isOpen]) => isOpen).indexOf(false)).toBe(24);
});

it('closeIdle waits for the request on a connection that was accepted during the shutdown', () => {
  const server = new EventEmitter();
  const plain = { isDraining: false, isResponding: () => false };
  const connections = new Connections({ server, plain } as unknown as DataServer);
  connections.startDraining(1_000_000);
  const socket = new ReceivingSocket();
  server.emit('connection', socket);
  const open = [1_000_100, 1_001_000, 1_001_100].map((now) => connections.closeIdle(now, 1000));
  expect([open, socket.isClosed]).toEqual([[1, 1, 0], true]);
});
