import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that reads requests and responds to each with arbitrary given bytes. */
export interface RawUpstream {
  readonly url: string;
  /** Number of received requests. */
  count: number;
  /** The bytes of the next responses, and whether the connection is closed after them. */
  response: RawResponse;
  close(): Promise<void>;
}

export interface RawResponse {
  readonly pieces: readonly Buffer[];
  /** `keep`: the connection stays open; `end`: it is closed; `reset`: it is reset. */
  readonly then: 'keep' | 'end' | 'reset';
}

/** A complete response without a body. */
const nothing: RawResponse = { pieces: [Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')], then: 'keep' };

export async function startRawUpstream(): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    let tail = '';
    socket.on('data', (chunk: Buffer) => {
      // Waits only for the head; everything after it is discarded.
      tail = (tail + chunk.toString('latin1')).slice(-200_000);
      const at = tail.indexOf('\r\n\r\n');
      if (at < 0 || !/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(tail)) return;
      tail = '';
      upstream.count += 1;
      writePieces(socket, upstream.response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: RawUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: 0,
    response: nothing,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return upstream;
}

/** One write per piece, with a turn of the event loop in between. */
function writePieces(socket: Socket, { pieces, then }: RawResponse): void {
  const step = (at: number): void => {
    if (socket.destroyed) return;
    const piece = pieces[at];
    if (piece !== undefined) {
      socket.write(piece);
      setImmediate(step, at + 1);
    } else if (then === 'end') socket.end();
    else if (then === 'reset') socket.resetAndDestroy();
  };
  step(0);
}
