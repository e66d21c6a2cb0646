import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { certificates, trustTestCertificates } from '../../../../test/support/certificates.ts';
import { endpointAt } from '../endpoint.ts';
import { unsentBytes, type WritingSocket } from '../unsent.ts';
import { connectThrough } from './tunnel.ts';

let stopTrusting: () => void;
let provider: Server;
const sockets: Socket[] = [];
const servers: Server[] = [];

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listen(server: Server): Promise<Server> {
  servers.push(server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => undefined))));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

beforeEach(async () => {
  stopTrusting = trustTestCertificates();
  provider = await listen(createTlsServer(certificates.otherHost, (socket) => socket.pause()));
});
afterEach(() => {
  stopTrusting();
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Opens a tunnel to the provider for each client. */
function tunnel(client: Socket): void {
  client.once('data', () => {
    const upstream = connect(portOf(provider), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    sockets.push(upstream.on('error', () => undefined));
  });
}

it.each([
  ['http', false, () => createServer(tunnel)],
  ['https', true, () => createTlsServer(certificates.good, tunnel)],
])('shows while a large request is sent through an %s proxy that the system takes parts of it', async (_scheme, isTls, create) => {
  const proxy = await listen(create());
  const atProvider = once(provider, 'secureConnection') as Promise<[TLSSocket]>;
  const opened = Promise.withResolvers<Socket | undefined>();
  const endpoint = endpointAt(isTls, 'localhost', portOf(proxy));
  connectThrough(
    { endpoint, authorization: undefined },
    endpointAt(true, 'other.example', 443),
    { lookup: undefined, tls: {} },
    (error, socket) => (socket === undefined ? opened.reject(error) : opened.resolve(socket)),
  );
  const socket = (await opened.promise) as Socket & WritingSocket;
  sockets.push(socket.on('error', () => undefined));
  const [reader] = await atProvider;
  let isWritten = false;
  socket.write(Buffer.alloc(32 * 1024 * 1024), () => (isWritten = true));
  const before = unsentBytes(socket);
  reader.resume();
  await expect.poll(() => unsentBytes(socket) < before, { timeout: 60_000, interval: 1 }).toBe(true);
  expect([before > 0, isWritten]).toEqual([true, false]);
});
