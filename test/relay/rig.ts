import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { createFront, type Front } from './front.ts';
import type { PassResult, RigOptions } from './rig-options.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

export interface Rig {
  /** Port of the gateway side. */
  readonly port: number;
  /** Port of the provider. */
  readonly upstreamPort: number;
  readonly relay: Pick<Front, 'close'>;
  /** The result of the next request that ends. */
  result(): Promise<PassResult>;
  close(): Promise<void>;
}

/** Relays requests between a front server and a provider, all on loopback. */
export async function createRig(upstream: Server | NetServer, options: RigOptions = {}): Promise<Rig> {
  await listen(upstream);
  const upstreamPort = portOf(upstream);
  const results = queue<PassResult>();
  const front = createFront(
    () => options.origins ?? [`http://127.0.0.1:${upstreamPort}`],
    options,
    (result) => results.push(result),
  );
  await listen(front.server);
  return {
    port: portOf(front.server),
    upstreamPort,
    relay: front,
    result: results.next,
    async close() {
      front.close();
      await Promise.all([shut(front.server), shut(upstream)]);
      await front.dispose();
    },
  };
}

/** A provider that responds with `handler`. */
export function provider(handler: Handler): Server {
  return createServer(handler);
}

/** A provider that sends raw bytes. */
export function rawProvider(handler: (socket: Socket) => void): NetServer {
  return createNetServer((socket) => {
    // A socket that is not read does not emit its end.
    socket.on('error', () => {}).resume();
    handler(socket);
  });
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** False if the connection broke before the response was complete. */
  readonly complete: boolean;
}

/** Sends one request on a new connection and reads the complete response. */
export async function call(port: number, options: RequestOptions = {}, body?: Buffer | string): Promise<ReceivedResponse> {
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    const req = httpRequest({ host: '127.0.0.1', port, agent: false, ...options }, resolve);
    req.on('error', reject);
    req.end(body);
  });
  return read(res);
}

export async function read(res: IncomingMessage): Promise<ReceivedResponse> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    res.on('data', (chunk: Buffer) => chunks.push(chunk));
    res
      .on('end', resolve)
      .on('error', () => resolve())
      .on('close', resolve);
  });
  return { status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks), complete: res.complete };
}

/** Sends raw bytes and returns all bytes received until the connection closes. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {
      received += '<reset>';
    });
    socket.on('close', () => resolve(received));
  });
}

/** Sockets by server: upgraded sockets stay half open until they are destroyed, and the server waits for them. */
const socketsOf = new WeakMap<object, Set<Socket>>();

export function listen(server: Server | NetServer): Promise<void> {
  const sockets = new Set<Socket>();
  socketsOf.set(server, sockets);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
}

export function portOf(server: Server | NetServer): number {
  return (server.address() as AddressInfo).port;
}

export function shut(server: Server | NetServer): Promise<void> {
  return new Promise((resolve) => {
    for (const socket of socketsOf.get(server) ?? []) socket.destroy();
    server.close(() => resolve());
  });
}

/** Waits until a condition is true, at most for the timeout of the test. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

function queue<T>(): { push(item: T): void; next(): Promise<T> } {
  const items: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  return {
    push(item) {
      const first = waiting.shift();
      if (first === undefined) items.push(item);
      else first(item);
    },
    next: () => {
      const first = items.shift();
      return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first);
    },
  };
}
