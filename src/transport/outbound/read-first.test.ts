import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimerWheel } from '../wire/timer-wheel.ts';
import { readBeforeWriteErrors } from './read-first.ts';
import { createUpstream } from './upstream.ts';

const refusal = 'HTTP/1.1 413 Payload Too Large\r\ncontent-length: 9\r\n\r\ntoo large';

let server: Server;
let port: number;
/** Called when the server has responded to the first bytes and reset the connection. */
let afterReset: () => void;

beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(refusal);
      socket.resetAndDestroy();
      afterReset();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(() => {
  vi.restoreAllMocks();
  server.close();
});

/** What a socket receives that writes right after its connection was reset, and reads so many bytes in a turn of the event loop. */
async function receivedBy(prepare: (socket: Socket) => void, turnBytes = 1000): Promise<string> {
  let received = '';
  const buffer = Buffer.alloc(turnBytes);
  const callback = (length: number): boolean => {
    received += buffer.toString('latin1', 0, length);
    setImmediate(() => socket.resume());
    return false;
  };
  const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } });
  prepare(socket);
  afterReset = () => void socket.write('more');
  socket.on('error', () => {});
  socket.write('first');
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** Head and body are written at once. The system takes the head, and the rest fails when the connection is reset. */
function failAfterHead(): void {
  vi.spyOn(Socket.prototype, '_writev').mockImplementation(function (this: Socket, chunks, done) {
    afterReset = () => done(Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' }));
    this._write(chunks[0]?.chunk, 'latin1', () => {});
  });
}

describe('a connection that the service resets right after its response', () => {
  it('would lose the response by the next write', async () => {
    expect(await receivedBy(() => {})).toBe('');
  });

  it('is read before the next write fails', async () => {
    expect(await receivedBy(readBeforeWriteErrors)).toBe(refusal);
  });

  it('is read to its end before the next write fails, however little is read in a turn', async () => {
    expect(await receivedBy(readBeforeWriteErrors, 8)).toBe(refusal);
  });

  it.each([
    ['the gateway', true],
    ['the library', false],
  ])('gives the response to a request sent by %s', async (_, fastPath) => {
    failAfterHead();
    const upstream = createUpstream({ wheel: new TimerWheel(), lookup: () => undefined, fastPath: () => fastPath });
    const bytes = Buffer.alloc(300_000, 'x');
    const origin = `http://127.0.0.1:${port}`;
    const status = await new Promise((resolve) => {
      const ignore = (): void => {};
      upstream.send(
        { origin, path: '/', method: 'POST', headers: [], body: { kind: 'json', bytes: () => bytes } },
        { trust: 'operator', connectMs: 5000 },
        { connected: ignore, sent: ignore, head: resolve, data: ignore, finished: ignore, failed: resolve },
      );
    });
    expect(status).toBe(413);
    await upstream.close();
  });
});
