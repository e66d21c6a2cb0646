import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { slowClientMs } from '../../wire/slow-client.ts';
import { NodeClient } from './node-client.ts';

/** The body bytes that a client reads after one request. */
async function bytesOf(request: string, respond: (client: NodeClient) => void): Promise<string> {
  const server = createServer((_, response) => {
    response.sendDate = false;
    respond(new NodeClient(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk));
  socket.write(request);
  await once(socket, 'end');
  server.close();
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

const request = (version = '1.1'): string => `GET / HTTP/${version}\r\nhost: a\r\nconnection: close\r\n\r\n`;
const grüße = Buffer.from('grüße 🎉\n');
const large = Buffer.alloc(70_000, 'x');

const streams: readonly [name: string, pieces: readonly Buffer[], last: Buffer | undefined, expected: string][] = [
  [
    'writes each chunk as one HTTP chunk',
    [grüße, Buffer.from('b')],
    Buffer.from('end'),
    `d\r\n${grüße.toString('latin1')}\r\n1\r\nb\r\n3\r\nend\r\n0\r\n\r\n`,
  ],
  ['ends without a last chunk of data', [Buffer.from('a')], undefined, '1\r\na\r\n0\r\n\r\n'],
  ['writes no HTTP chunk for an empty buffer', [Buffer.from('a'), Buffer.alloc(0)], Buffer.alloc(0), '1\r\na\r\n0\r\n\r\n'],
  [
    'writes large buffers as one HTTP chunk each',
    [large],
    large,
    `11170\r\n${large.toString()}\r\n11170\r\n${large.toString()}\r\n0\r\n\r\n`,
  ],
];

describe('NodeClient', () => {
  it.each(streams)('%s', async (_, pieces, lastPiece, expected) => {
    const received = await bytesOf(request(), (client) => {
      client.head(200, ['content-type', 'text/plain']);
      for (const piece of pieces) client.write(piece);
      client.end(lastPiece);
    });
    expect(received).toBe(expected);
  });

  it('writes no chunked encoding for HTTP/1.0', async () => {
    const received = await bytesOf(request('1.0'), (client) => {
      client.head(200, ['content-type', 'text/plain']);
      client.write(Buffer.from('a'));
      client.end(Buffer.from('b'));
    });
    expect(received).toBe('ab');
  });

  it('writes no chunked encoding if the content-length is known', async () => {
    const received = await bytesOf(request(), (client) => {
      client.head(200, ['content-length', grüße.length.toString()]);
      client.end(grüße);
    });
    expect(received).toBe(grüße.toString('latin1'));
  });

  it('does not write the last chunk if the response is destroyed', async () => {
    const received = await bytesOf(request(), (client) => {
      client.head(200, ['content-type', 'text/plain']);
      client.write(Buffer.from('a'));
      setImmediate(() => client.destroy());
    });
    expect(received).toBe('1\r\na\r\n');
  });

  it('serves the next request on the same connection', async () => {
    const first = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
    const received = await bytesOf(first + request(), (client) => {
      client.head(200, ['content-type', 'text/plain']);
      client.end(Buffer.from('a'));
    });
    expect(received.split('HTTP/1.1 200 OK')).toHaveLength(2);
    expect(received).toMatch(/^1\r\na\r\n0\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*\r\n\r\n1\r\na\r\n0\r\n\r\n$/);
  });
});

it.each([
  ['a TCP socket', { host: '127.0.0.1', port: 0 }, 'ECONNRESET'],
  ['a Unix socket', { path: join(tmpdir(), `node-client-${process.pid}.sock`) }, undefined],
])('a response with a known length that is cut closes %s', async (_, listen, expected) => {
  const server = createServer((__, response) => {
    const client = new NodeClient(response);
    client.head(200, ['content-length', '10']);
    client.write(Buffer.from('a'));
    setImmediate(() => client.destroy());
  }).listen(listen);
  await once(server, 'listening');
  const address = server.address() as AddressInfo | string;
  const socket = typeof address === 'string' ? connect(address) : connect(address.port, address.address);
  let code: string | undefined;
  socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code)).resume();
  socket.write(request());
  await once(socket, 'close').catch(() => undefined);
  expect([socket.destroyed, code]).toEqual([true, expected]);
  server.close();
});

describe('a complete response', () => {
  it.each([
    ['has a timeout if the client does not read it', 64 * 1024 * 1024, slowClientMs],
    ['has no timeout if the system accepts it at once', 10, 0],
  ])('%s', async (_name, size, timeout) => {
    let timeouts: readonly (number | undefined)[] = [];
    const server = createServer({ keepAliveTimeout: 0 }, (_, response) => {
      const client = new NodeClient(response);
      client.head(200, ['content-length', size.toString()]);
      client.end(Buffer.alloc(size, 'x'));
      timeouts = [response.socket?.timeout ?? 0];
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(server, 'request');
    expect(timeouts).toEqual([timeout]);
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
});
