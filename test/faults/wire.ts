import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A request as received, byte by byte. */
export interface WireRequest {
  /** Request line and headers. */
  readonly head: string;
  readonly body: string;
  /** Number of the request at this upstream, from 1. */
  readonly n: number;
}

export type WireScript = (socket: Socket, request: WireRequest) => void | Promise<void>;

/** An upstream that writes raw bytes, so that it can violate HTTP. */
export interface Wire {
  readonly url: string;
  readonly requests: WireRequest[];
  readonly sockets: ReadonlySet<Socket>;
  script: WireScript;
  /** Number of open connections whose script has not finished. */
  busy(): number;
  close(): Promise<void>;
}

export async function startWire(): Promise<Wire> {
  const sockets = new Set<Socket>();
  const unanswered = new Set<Socket>();
  const requests: WireRequest[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      unanswered.delete(socket);
    });
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let parsed = takeRequest(received); parsed !== undefined; parsed = takeRequest(received)) {
        received = received.subarray(parsed.size);
        const request = { head: parsed.head, body: parsed.body, n: requests.length + 1 };
        requests.push(request);
        unanswered.add(socket);
        void Promise.resolve(wire.script(socket, request)).then(() => unanswered.delete(socket));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const wire: Wire = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sockets,
    script: (socket) => void socket.destroy(),
    busy: () => unanswered.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return wire;
}

function takeRequest(bytes: Buffer): { head: string; body: string; size: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const size = end + 4 + length;
  return bytes.length < size ? undefined : { head, body: bytes.toString('utf8', end + 4, size), size };
}

/** Writes, waits until the system has taken the bytes, and a moment longer so that they are sent separately. */
export function writeAll(socket: Socket, ...parts: readonly (string | Buffer)[]): Promise<void> {
  return parts.reduce<Promise<void>>(
    (before, part) => before.then(() => new Promise((resolve) => socket.write(part, () => setTimeout(resolve, 2)))),
    Promise.resolve(),
  );
}

/** Waits until the peer has read what was written, or has disconnected. */
export function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      socket.off('drain', finish).off('close', finish);
      resolve();
    };
    socket.on('drain', finish).on('close', finish);
  });
}

export function head(status: number, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`;
}

/** A complete response with its content-length. */
export function completeResponse(
  status: number,
  type: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string | number>> = {},
): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(head(status, { 'content-type': type, 'content-length': bytes.length, ...headers })), bytes]);
}

/** A promise for scripts that send nothing more: only the peer can end the connection. */
export const forever: Promise<never> = new Promise(() => undefined);

export const chunked = { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' } as const;

/** One chunk of a chunked body. */
export function piece(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

export const lastPiece = '0\r\n\r\n';
