import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TlsOptions } from 'node:tls';
import { certificates } from '../support/certificates.ts';

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
  /** TLS: for new connections. */
  useCertificate(certificate: { readonly key: string; readonly cert: string }): void;
  close(): Promise<void>;
}

export const schemes = ['http', 'https'] as const;

export type Scheme = (typeof schemes)[number];

export interface WireOptions {
  readonly scheme?: Scheme;
  /** Overrides the certificate and other settings of TLS. */
  readonly tls?: TlsOptions;
}

export async function startWire({ scheme = 'http', tls = {} }: WireOptions = {}): Promise<Wire> {
  const sockets = new Set<Socket>();
  const unanswered = new Set<Socket>();
  const requests: WireRequest[] = [];
  const server = listenerOf(scheme === 'https' ? { ...certificates.good, ...tls } : undefined, (socket) => {
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
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sockets,
    script: (socket) => void socket.destroy(),
    busy: () => unanswered.size,
    useCertificate: (certificate) => (server as TlsServer).setSecureContext(certificate),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return wire;
}

/** The TCP connections below TLS, on which a test can write bytes that are no valid TLS. */
const tcpSockets = new WeakMap<Socket, Socket>();

export const tcpBelow = (socket: Socket): Socket => tcpSockets.get(socket) ?? socket;

function listenerOf(tls: TlsOptions | undefined, accept: (socket: Socket) => void): Server {
  if (tls === undefined) return createServer({ noDelay: true }, accept);
  const byPort = new Map<number | undefined, Socket>();
  const server = createTlsServer({ ...tls, noDelay: true }, (socket) => {
    const tcp = byPort.get(socket.remotePort) ?? socket;
    tcpSockets.set(socket, tcp);
    // A TLS socket has no reset of its own.
    socket.resetAndDestroy = () => (tcp.resetAndDestroy(), socket.destroy());
    accept(socket);
  });
  return server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    byPort.set(remotePort, socket);
    socket.once('close', () => byPort.delete(remotePort));
  });
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
