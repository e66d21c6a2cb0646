import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { upgradeOptions } from './upgrades.ts';

/** What a server with these options sends for a raw request: the name of the event that it emitted. */
async function responseTo(node: string, request: string): Promise<string> {
  const server = createServer(upgradeOptions(node), (_request, response) => response.end('request'));
  server.on('upgrade', (_request, socket) => socket.end('upgrade'));
  server.on('connect', (_request, socket) => socket.end('connect'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(request);
  const received = await text(socket);
  server.close();
  return received.slice(received.lastIndexOf('\r\n') + 1).trim();
}

const upgradeRequest = (method: string, protocol: string, rest = ''): string =>
  `${method} / HTTP/1.1\r\nhost: a\r\nconnection: upgrade, close\r\nupgrade: ${protocol}\r\n${rest}\r\n`;

describe.each(['22.19.0', '22.21.0', '23.11.0', '24.0.0', '24.9.0', '25.0.0'])('upgradeOptions() on Node %s', (node) => {
  it.each([
    { name: 'handles a WebSocket handshake as an upgrade', request: upgradeRequest('GET', 'websocket'), handler: 'upgrade' },
    { name: 'handles an h2c offer as a request', request: upgradeRequest('GET', 'h2c'), handler: 'request' },
    {
      name: 'handles an h2c offer with a body as a request',
      request: `${upgradeRequest('POST', 'h2c', 'content-length: 2\r\n')}{}`,
      handler: 'request',
    },
    {
      name: 'handles a WebSocket offer with a body as a request',
      request: `${upgradeRequest('GET', 'websocket', 'content-length: 2\r\n')}{}`,
      handler: 'request',
    },
    {
      name: 'handles a WebSocket offer with a chunked body as a request',
      request: `${upgradeRequest('GET', 'websocket', 'transfer-encoding: chunked\r\n')}0\r\n\r\n`,
      handler: 'request',
    },
    {
      name: 'handles a WebSocket offer pipelined behind another request as a request',
      request: `GET / HTTP/1.1\r\nhost: a\r\n\r\n${upgradeRequest('GET', 'websocket')}`,
      handler: 'request',
    },
    {
      name: 'handles a WebSocket offer with HTTP/1.0 as a request',
      request: upgradeRequest('GET', 'websocket').replace('HTTP/1.1', 'HTTP/1.0'),
      handler: 'request',
    },
    {
      name: 'handles a request without an offer as a request',
      request: 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      handler: 'request',
    },
    { name: 'handles CONNECT as a tunnel', request: 'CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n', handler: 'connect' },
  ])('$name', async ({ request, handler }) => {
    expect(await responseTo(node, request)).toBe(handler);
  });
});

it('upgradeOptions() uses shouldUpgradeCallback only on Node versions that support it', () => {
  const handlings = ['22.19.0', '22.20.0', '22.21.0', '23.11.0', '24.8.0', '24.9.0', '25.0.0', '26.1.0'].filter(
    (node) => upgradeOptions(node).shouldUpgradeCallback !== undefined,
  );
  expect(handlings).toEqual(['22.21.0', '24.9.0', '25.0.0', '26.1.0']);
});
