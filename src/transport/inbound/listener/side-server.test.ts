import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createSideServer } from './side-server.ts';
import { limitUnreadTime } from './lingering-close.ts';

/** More than the system buffers for a client that reads nothing. */
const large = Buffer.alloc(32 * 1024 * 1024);

const largeRequest = 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n';

it.each([
  ['do not read their response', largeRequest],
  ['send half of the headers', 'GET /large HTTP/1.1\r\n'],
  ['send half of a body', 'POST /large HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{'],
  ['send chunks without an end', 'POST /large HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n'],
  ['only connect', ''],
])('accepts new connections at the connection limit although other clients %s', async (_name, sent) => {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for await (const piece of request) expect(piece).toBeDefined();
    response.end(request.url === '/large' ? large : 'small');
  };
  const server = createSideServer(16 * 1024, (request, response) => void serve(request, response).catch(() => {}), 3).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients: Socket[] = [];
  for (let i = 0; i < 6; i += 1) {
    const client = connect({ port, host: '127.0.0.1' }).pause();
    clients.push(client.on('error', () => {}));
    await once(client, 'connect');
    const requestArrived = sent.endsWith('\r\n\r\n') || sent.startsWith('POST') ? once(server, 'request') : undefined;
    client.write(sent);
    await requestArrived;
    const response = await fetch(`http://127.0.0.1:${port}/small`, { headers: { connection: 'close' } });
    expect(await response.text()).toBe('small');
  }
  for (const client of clients) client.destroy();
  server.close();
  server.closeAllConnections();
});

it('closes a connection if the client stops reading', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).pause();
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.on('timeout', () => socket.destroy());
  await new Promise((resolve) => socket.write('small', resolve));
  limitUnreadTime(socket, 20);
  expect(socket.timeout ?? 0).toBe(0);
  socket.write(large);
  limitUnreadTime(socket, 20);
  await once(socket, 'close');
  client.destroy();
  server.close();
});

it('closes the connection of an HTTP/1.0 client after a chunked body', async () => {
  let served = 0;
  const server = createSideServer(16 * 1024, (request, response) => {
    served += 1;
    request.resume().on('end', () => response.end('done'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  client.write(
    'POST / HTTP/1.0\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\nGET /second HTTP/1.0\r\n\r\n',
  );
  const text = (await client.toArray()).join('');
  expect([served, text.endsWith('done'), text.toLowerCase().includes('connection: close')]).toEqual([1, true, true]);
  server.close();
});
