import { randomBytes } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { call, createRig, provider, raw, rawProvider, read, type Rig, type RigOptions, until } from './rig.ts';
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

/** A provider that answers these bytes to whatever comes, and then does this to its socket. */
function says(text: string, then: (socket: Socket) => void): ReturnType<typeof rawProvider> {
  return rawProvider((socket) => socket.once('data', () => socket.write(text, () => then(socket))));
}

const reset = (socket: Socket): void => void socket.resetAndDestroy();
const end = (socket: Socket): void => void socket.end();
/** Bytes that are written are read before a reset overtakes them. */
const resetLater = (socket: Socket): void => void setTimeout(() => socket.resetAndDestroy(), 50);
const hang = (): void => {};

describe('an answer that breaks off after its beginning', () => {
  const cut: readonly (readonly [string, string, (socket: Socket) => void])[] = [
    ['with a length, by a reset', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n0123456789', resetLater],
    ['with a length, by a close', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n0123456789', end],
    ['in chunks, by a reset', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n', resetLater],
    ['in chunks, by a close', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n', end],
    ['inside a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n0123456789', end],
    ['without any framing, by a reset', 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n0123456789', resetLater],
    ['by something that is no chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\nzz\r\n', hang],
  ];
  test.each(cut)('%s, never looks whole', async (_how, text, then) => {
    const { port, result } = await start(says(text, then));
    const answer = await call(port, { path: '/v1/x' });
    expect(answer).toMatchObject({ status: 200, complete: false });
    expect(await result()).toMatchObject({ kind: 'interrupted', headSent: true, error: { code: 'stream_interrupted' }, bytesOut: 10 });
  });

  test('is a reset for an HTTP/1.0 client, which has no other sign', async () => {
    const { port } = await start(says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n', end));
    expect(await raw(port, 'GET /v1/x HTTP/1.0\r\n\r\n')).toMatch(/<reset>$/);
  });

  test('is whole when the closing is its end', async () => {
    const { port, result } = await start(says('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n0123456789', end));
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200, complete: true });
    expect(await result()).toMatchObject({ kind: 'whole', bytesOut: 10 });
  });
});

describe('a provider that gives no answer', () => {
  const none: readonly (readonly [string, string, (socket: Socket) => void, string])[] = [
    ['hangs up', '', end, 'upstream_unreachable'],
    ['resets', '', reset, 'upstream_unreachable'],
    ['is not HTTP', 'SSH-2.0-x\r\n', hang, 'upstream_invalid'],
    ['breaks off inside its head', 'HTTP/1.1 200 OK\r\ncontent-le', end, 'upstream_unreachable'],
    ['breaks off before its first byte', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n', resetLater, 'upstream_invalid'],
    ['frames its body twice', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd', hang, 'upstream_invalid'],
  ];
  test.each(none)('%s: the client can still be told', async (_how, text, then, code) => {
    const { port, result } = await start(
      rawProvider((socket) => socket.once('data', () => (text === '' ? then(socket) : socket.write(text, () => then(socket))))),
    );
    expect(await call(port, { path: '/v1/x' })).toMatchObject({
      status: 502,
      headers: { 'x-code': code },
      complete: true,
    });
    expect(await result()).toMatchObject({ kind: 'unreachable', headSent: false });
  });

  test('refuses the connection: the next target gets the whole upload', async () => {
    const got: Buffer[] = [];
    const origins = [`http://127.0.0.1:${await deadPort()}`];
    const { port, upstreamPort, result } = await start(
      provider(
        (req, res) =>
          void read(req).then(({ body }) => {
            got.push(body);
            res.end('ok');
          }),
      ),
      { origins },
    );
    origins.push(`http://127.0.0.1:${upstreamPort}`);
    const body = randomBytes(500_000);
    expect(await call(port, { method: 'POST', path: '/v1/files' }, body)).toMatchObject({ status: 200 });
    expect(got[0]?.equals(body)).toBe(true);
    expect(await result()).toMatchObject({ kind: 'whole', bytesIn: body.length });
  });

  test('refuses the connection: its host is named', async () => {
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

  test('has no name', async () => {
    const { port } = await start(
      provider(() => {}),
      { origins: ['http://nowhere.invalid'] },
    );
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 502, headers: { 'x-code': 'upstream_unreachable' } });
  });

  test('speaks no TLS', async () => {
    const origins: string[] = [];
    const { port, upstreamPort } = await start(
      provider((_req, res) => res.end('ok')),
      { origins },
    );
    origins.push(`https://127.0.0.1:${upstreamPort}`);
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 502, headers: { 'x-code': 'upstream_unreachable' } });
  });

  test('is silent after the connection: the TLS handshake counts to the connect clock', async () => {
    const origins: string[] = [];
    const { port, upstreamPort, result } = await start(rawProvider(hang), { origins, clocks: { connect: 100, idle: 20_000 } });
    origins.push(`https://127.0.0.1:${upstreamPort}`);
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 408, headers: { 'x-code': 'timeout' } });
    expect(await result()).toMatchObject({ kind: 'timeout', headSent: false, bodySent: false });
  });
});

describe('the idle clock', () => {
  test('ends a provider that answers nothing', async () => {
    const { port, result } = await start(rawProvider(hang), { clocks: { connect: 5000, idle: 150 } });
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 408, headers: { 'x-code': 'timeout' } });
    expect(await result()).toMatchObject({ kind: 'timeout', error: { message: 'Provider "rig" transferred no data within 150 ms.' } });
  });

  test('cuts an answer that stops', async () => {
    const { port, result } = await start(says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n', hang), {
      clocks: { connect: 5000, idle: 150 },
    });
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200, complete: false });
    expect(await result()).toMatchObject({ kind: 'timeout', headSent: true, error: { code: 'idle_timeout' } });
  });

  test('ends an upload that stops, and says who was silent', async () => {
    const { port, result } = await start(
      provider((req) => void req.resume()),
      { clocks: { connect: 5000, idle: 150 } },
    );
    const got = await raw(port, 'POST /v1/files HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 10\r\n\r\nabc');
    expect(got).toContain(' 408 ');
    expect(await result()).toMatchObject({ kind: 'timeout', bytesIn: 3, error: { message: 'The client transferred no data for 150 ms.' } });
  });

  test('is not all that watches an upload: one that trickles is given up, however often a byte comes', async () => {
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

  test('lets a slow answer live as long as bytes come', async () => {
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
    const res = await answerOf(httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false }).end());
    const time = holdTime();
    await turns();
    time.pass(2500);
    // Clocks are looked at each 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    time.release();
    expect((await read(res)).body.equals(body)).toBe(true);
    expect(await result()).toMatchObject({ kind: 'whole', bytesOut: body.length });
  });
});

describe('a client that leaves', () => {
  test("during a download ends the provider's side", async () => {
    let isGone = false;
    const { port, result } = await start(
      provider((_req, res) => {
        const timer = setInterval(() => res.write(Buffer.alloc(1000)), 5);
        res.on('close', () => {
          clearInterval(timer);
          isGone = true;
        });
      }),
    );
    const res = await answerOf(httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false }).end());
    await new Promise((resolve) => res.once('data', resolve));
    res.destroy();
    await until(() => isGone);
    expect(await result()).toMatchObject({ kind: 'client_gone', status: 200, headSent: true });
  });

  test("during an upload ends the provider's side", async () => {
    let got = 0;
    let isAborted = false;
    const { port, result } = await start(
      provider((req) => {
        req.on('data', (chunk: Buffer) => {
          got += chunk.length;
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
    await until(() => got === 3);
    socket.destroy();
    await until(() => isAborted);
    expect(await result()).toMatchObject({ kind: 'client_gone', bytesIn: 3, headSent: false });
  });

  test("before there is an answer ends the provider's side", async () => {
    let isGone = false;
    let isThere = false;
    const { port, result } = await start(
      provider((_req, res) => {
        isThere = true;
        res.on('close', () => {
          isGone = true;
        });
      }),
    );
    const req = httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false });
    req.on('error', () => {}).end();
    await until(() => isThere);
    req.destroy();
    await until(() => isGone);
    expect(await result()).toMatchObject({ kind: 'client_gone', headSent: false });
  });
});

test('a kept connection that the provider closed meanwhile is named: nobody has read the request', async () => {
  // A dead connection has to show within 100 ms, which a machine with other work may take.
  holdTime();
  const sockets: Socket[] = [];
  const { port, result } = await start(
    rawProvider((socket) => {
      sockets.push(socket);
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        // The second request on a connection meets a reset, as when a keep-alive time runs out at that moment.
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
  // A POST may have been carried out already.
  expect(await call(port, { method: 'POST', path: '/v1/x' })).toMatchObject({ status: 502 });
  expect(await result()).toMatchObject({ kind: 'unreachable', bodySent: true, isUnread: false });
  expect(sockets).toHaveLength(3);
});

test('closing the relay ends what is under way, visibly', async () => {
  const { port, relay, result } = await start(
    provider((_req, res) => {
      res.writeHead(200, { 'content-length': 1000 });
      res.write('x');
    }),
  );
  const res = await answerOf(httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false }).end());
  relay.close();
  expect(await read(res)).toMatchObject({ complete: false });
  expect(await result()).toMatchObject({ kind: 'interrupted', error: { code: 'draining' } });
});

function answerOf(req: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => req.on('response', resolve).on('error', reject));
}
