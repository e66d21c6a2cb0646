import { randomBytes } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { call, createRig, provider, raw, rawProvider, read, type Rig, until } from './rig.ts';
import type { RigOptions } from './rig-options.ts';
import { deadPort } from '../support/upstream.ts';
import { holdTime, turns } from '../support/time.ts';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function start(upstream: Parameters<typeof createRig>[0], options?: RigOptions): Promise<Rig> {
  rig = await createRig(upstream, options);
  return rig;
}

/** A provider that sends these bytes for any request and then runs `then` on its socket. */
function rawResponse(text: string, afterResponse: (socket: Socket) => void): ReturnType<typeof rawProvider> {
  return rawProvider((socket) => socket.once('data', () => socket.write(text, () => afterResponse(socket))));
}

const reset = (socket: Socket): void => void socket.resetAndDestroy();
const end = (socket: Socket): void => void socket.end();
/** Written bytes must be read before the reset. */
const resetLater = (socket: Socket): void => void turns().then(() => socket.resetAndDestroy());
const hang = (): void => {};

describe('response that breaks off after its start', () => {
  const truncations: readonly (readonly [string, string, (socket: Socket) => void])[] = [
    ['by a reset with content-length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n0123456789', resetLater],
    ['by a close with content-length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n0123456789', end],
    ['by a reset between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n', resetLater],
    ['by a close between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n', end],
    ['by a close inside a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n0123456789', end],
    ['by a reset without framing', 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n0123456789', resetLater],
    ['with an invalid chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\nzz\r\n', hang],
  ];
  test.each(truncations)('does not look complete to the client: %s', async (_how, text, afterResponse) => {
    const { port, result } = await start(rawResponse(text, afterResponse));
    const response = await call(port, { path: '/v1/x' });
    expect(response).toMatchObject({ status: 200, complete: false });
    expect(await result()).toMatchObject({ kind: 'interrupted', headSent: true, error: { code: 'stream_interrupted' }, bytesOut: 10 });
  });

  test('resets the connection of an HTTP/1.0 client', async () => {
    const { port } = await start(rawResponse('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n', end));
    expect(await raw(port, 'GET /v1/x HTTP/1.0\r\n\r\n')).toMatch(/<reset>$/);
  });

  test('is complete if the provider ends it by closing the connection', async () => {
    const { port, result } = await start(rawResponse('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n0123456789', end));
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200, complete: true });
    expect(await result()).toMatchObject({ kind: 'whole', bytesOut: 10 });
  });
});

describe('provider without a response', () => {
  const none: readonly (readonly [string, string, (socket: Socket) => void, string])[] = [
    ['closes the connection', '', end, 'upstream_unreachable'],
    ['resets the connection', '', reset, 'upstream_unreachable'],
    ['does not use HTTP', 'SSH-2.0-x\r\n', hang, 'upstream_invalid'],
    ['breaks off inside its headers', 'HTTP/1.1 200 OK\r\ncontent-le', end, 'upstream_unreachable'],
    ['breaks off before the first byte of the body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n', resetLater, 'upstream_invalid'],
    ['sends two content-lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd', hang, 'upstream_invalid'],
  ];
  test.each(none)('returns 502 to the client if it %s', async (_how, text, afterResponse, code) => {
    const { port, result } = await start(
      rawProvider((socket) =>
        socket.once('data', () => (text === '' ? afterResponse(socket) : socket.write(text, () => afterResponse(socket)))),
      ),
    );
    expect(await call(port, { path: '/v1/x' })).toMatchObject({
      status: 502,
      headers: { 'x-code': code },
      complete: true,
    });
    expect(await result()).toMatchObject({ kind: 'unreachable', headSent: false });
  });

  test('sends the complete upload to the next target if the connection is refused', async () => {
    const received: Buffer[] = [];
    const origins = [`http://127.0.0.1:${await deadPort()}`];
    const { port, upstreamPort, result } = await start(
      provider(
        (req, res) =>
          void read(req).then(({ body }) => {
            received.push(body);
            res.end('ok');
          }),
      ),
      { origins },
    );
    origins.push(`http://127.0.0.1:${upstreamPort}`);
    const body = randomBytes(500_000);
    expect(await call(port, { method: 'POST', path: '/v1/files' }, body)).toMatchObject({ status: 200 });
    expect(received[0]?.equals(body)).toBe(true);
    expect(await result()).toMatchObject({ kind: 'whole', bytesIn: body.length });
  });

  test('names the host if the connection is refused', async () => {
    const dead = await deadPort();
    const { port, result } = await start(
      provider(() => {}),
      { origins: [`http://127.0.0.1:${dead}`] },
    );
    expect((await call(port, { path: '/v1/x' })).body.toString()).toBe(
      `Provider "rig" could not be reached: connection refused (127.0.0.1:${dead}).`,
    );
    expect(await result()).toMatchObject({ kind: 'unreachable', bodySent: false, headSent: false });
  });

  test('returns 502 upstream_unreachable if the host name does not resolve', async () => {
    const { port } = await start(
      provider(() => {}),
      { origins: ['http://nowhere.invalid'] },
    );
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 502, headers: { 'x-code': 'upstream_unreachable' } });
  });

  test('returns 502 upstream_unreachable if the server does not use TLS', async () => {
    const origins: string[] = [];
    const { port, upstreamPort } = await start(
      provider((_req, res) => res.end('ok')),
      { origins },
    );
    origins.push(`https://127.0.0.1:${upstreamPort}`);
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 502, headers: { 'x-code': 'upstream_unreachable' } });
  });

  test('applies the connect timeout to the TLS handshake and returns 408', async () => {
    const origins: string[] = [];
    const { port, upstreamPort, result } = await start(rawProvider(hang), { origins, clocks: { connect: 100, idle: 20_000 } });
    origins.push(`https://127.0.0.1:${upstreamPort}`);
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 408, headers: { 'x-code': 'timeout' } });
    expect(await result()).toMatchObject({ kind: 'timeout', headSent: false, bodySent: false });
  });
});

describe('idle timeout', () => {
  test('returns 408 if the provider does not respond', async () => {
    const { port, result } = await start(rawProvider(hang), { clocks: { connect: 5000, idle: 150 } });
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 408, headers: { 'x-code': 'timeout' } });
    expect(await result()).toMatchObject({ kind: 'timeout', error: { message: 'Provider "rig" transferred no data within 150 ms.' } });
  });

  test('cuts off a response that stops, with idle_timeout', async () => {
    const { port, result } = await start(rawResponse('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n', hang), {
      clocks: { connect: 5000, idle: 150 },
    });
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200, complete: false });
    expect(await result()).toMatchObject({ kind: 'timeout', headSent: true, error: { code: 'idle_timeout' } });
  });

  test('returns 408 for an upload that stops, and names the client as the cause', async () => {
    const { port, result } = await start(
      provider((req) => void req.resume()),
      { clocks: { connect: 5000, idle: 150 } },
    );
    const received = await raw(port, 'POST /v1/files HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 10\r\n\r\nabc');
    expect(received).toContain(' 408 ');
    expect(await result()).toMatchObject({ kind: 'timeout', bytesIn: 3, error: { message: 'The client transferred no data for 150 ms.' } });
  });

  test('is supplemented by a minimum speed, which ends a slow upload', async () => {
    const { port, result } = await start(
      provider((req) => void req.resume()),
      { clocks: { connect: 1e9, idle: 1e9 }, speed: 300 },
    );
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /v1/files HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n');
    const trickling = setInterval(() => socket.write('a'), 20);
    const ended = await result().finally(() => clearInterval(trickling));
    expect(ended).toMatchObject({ kind: 'timeout', error: { code: 'timeout', message: expect.stringContaining('too slowly') as string } });
    socket.destroy();
  });

  test('does not end a slow response while bytes arrive', async () => {
    const time = holdTime();
    const { port } = await start(
      provider((_req, res) => {
        let n = 0;
        const timer = setInterval(() => {
          n += 1;
          time.pass(100);
          res.write('.');
          if (n === 20) {
            clearInterval(timer);
            res.end();
          }
        }, 50);
      }),
      { clocks: { connect: 5000, idle: 1500 } },
    );
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ body: Buffer.from('.'.repeat(20)), complete: true });
  });

  test('does not run while the client is the slow side', async () => {
    const body = randomBytes(30_000_000);
    const { port, result } = await start(
      provider((_req, res) => res.end(body)),
      { clocks: { connect: 5000, idle: 1000 } },
    );
    const res = await readResponse(httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false }).end());
    const time = holdTime();
    await turns();
    time.pass(2500);
    // Timeouts are checked every 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    time.release();
    expect((await read(res)).body.equals(body)).toBe(true);
    expect(await result()).toMatchObject({ kind: 'whole', bytesOut: body.length });
  });
});

describe('client disconnect', () => {
  test('during a download closes the connection to the provider', async () => {
    let isDisconnected = false;
    const { port, result } = await start(
      provider((_req, res) => {
        const timer = setInterval(() => res.write(Buffer.alloc(1000)), 5);
        res.on('close', () => {
          clearInterval(timer);
          isDisconnected = true;
        });
      }),
    );
    const res = await readResponse(httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false }).end());
    await new Promise((resolve) => res.once('data', resolve));
    res.destroy();
    await until(() => isDisconnected);
    expect(await result()).toMatchObject({ kind: 'client_gone', status: 200, headSent: true });
  });

  test('during an upload closes the connection to the provider', async () => {
    let received = 0;
    let isAborted = false;
    const { port, result } = await start(
      provider((req) => {
        req.on('data', (chunk: Buffer) => {
          received += chunk.length;
        });
        req
          .on('error', () => {})
          .on('close', () => {
            isAborted = !req.complete;
          });
      }),
    );
    const socket = connect(port, '127.0.0.1', () => socket.write('POST /v1/files HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nabc'));
    socket.on('error', () => undefined);
    await until(() => received === 3);
    socket.destroy();
    await until(() => isAborted);
    expect(await result()).toMatchObject({ kind: 'client_gone', bytesIn: 3, headSent: false });
  });

  test('before the response closes the connection to the provider', async () => {
    let isDisconnected = false;
    let isConnected = false;
    const { port, result } = await start(
      provider((_req, res) => {
        isConnected = true;
        res.on('close', () => {
          isDisconnected = true;
        });
      }),
    );
    const req = httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false });
    req.on('error', () => {}).end();
    await until(() => isConnected);
    req.destroy();
    await until(() => isDisconnected);
    expect(await result()).toMatchObject({ kind: 'client_gone', headSent: false });
  });
});

test('retries a GET on a reused connection that the provider closed and reports it as unread', async () => {
  // A dead connection has to be detected within 100 ms, which a busy machine may exceed.
  holdTime();
  const sockets: Socket[] = [];
  const { port, result } = await start(
    rawProvider((socket) => {
      sockets.push(socket);
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        // The second request on a connection is reset, as if the keep-alive timeout ended at that moment.
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        else socket.resetAndDestroy();
      });
    }),
  );
  expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200 });
  expect(await result()).toMatchObject({ kind: 'whole' });
  expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200 });
  expect(await result()).toMatchObject({ kind: 'whole', bodySent: false, isUnread: true });
  expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200 });
  expect(await result()).toMatchObject({ kind: 'whole', isUnread: false });
  // A POST may already have been executed.
  expect(await call(port, { method: 'POST', path: '/v1/x' })).toMatchObject({ status: 502 });
  expect(await result()).toMatchObject({ kind: 'unreachable', bodySent: true, isUnread: false });
  expect(sockets).toHaveLength(3);
});

test('ends running responses with draining if the relay is closed', async () => {
  const { port, relay, result } = await start(
    provider((_req, res) => {
      res.writeHead(200, { 'content-length': 1000 });
      res.write('x');
    }),
  );
  const res = await readResponse(httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false }).end());
  relay.close();
  expect(await read(res)).toMatchObject({ complete: false });
  expect(await result()).toMatchObject({ kind: 'interrupted', error: { code: 'draining' } });
});

function readResponse(req: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => req.on('response', resolve).on('error', reject));
}
