import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { secretVariants } from '../../src/core/secrets/redactor.ts';
import { createRig, provider, rawProvider, type Rig, until } from './rig.ts';
import type { RigOptions } from './rig-options.ts';
import { deadPort } from '../support/upstream.ts';
import { holdTime, turns } from '../support/time.ts';

let rig: Rig | undefined;
const clients = new Set<WebSocket>();
afterEach(async () => {
  for (const client of clients) client.terminate();
  clients.clear();
  await rig?.close();
  rig = undefined;
});

async function start(upstream: Parameters<typeof createRig>[0], options?: RigOptions): Promise<Rig> {
  rig = await createRig(upstream, options);
  return rig;
}

/** A provider that accepts WebSockets. */
function speaker(onConnection: (socket: WebSocket, req: IncomingMessage) => void, options: { chooses?: boolean } = {}): Server {
  const server = createServer((_req, res) => void res.writeHead(426).end());
  const wss = new WebSocketServer({ server, ...(options.chooses === false ? { handleProtocols: () => false as const } : {}) });
  wss.on('connection', (socket, req) => {
    socket.on('error', () => {});
    onConnection(socket, req);
  });
  return server;
}

function echo(): Server {
  return speaker((socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })));
}

function open(port: number, path = '/v1/realtime?model=m', protocols: string[] = [], headers: Record<string, string> = {}): WebSocket {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers });
  client.on('error', () => {});
  clients.add(client);
  return client;
}

const opened = (client: WebSocket): Promise<unknown> => new Promise((resolve, reject) => client.on('open', resolve).on('error', reject));
const closed = (client: WebSocket): Promise<[number, string]> =>
  new Promise((resolve) => client.on('close', (code, reason) => resolve([code, reason.toString()])));
const message = (client: WebSocket): Promise<{ data: Buffer; isBinary: boolean }> =>
  new Promise((resolve) => client.once('message', (data, isBinary) => resolve({ data: data as Buffer, isBinary })));

const upgradeHead =
  'GET /v1/realtime HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** The confirmation of the key in `upgradeHead`. */
const accept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

describe('relayed WebSocket frames', () => {
  test('are unchanged in both directions: text and binary, small and large, whole and fragmented', async () => {
    const { port, result } = await start(echo());
    const client = open(port);
    await opened(client);
    const large = randomBytes(3_000_000);
    for (const [sent, isBinary] of [
      [Buffer.from('{"type":"session.update"} ü'), false],
      [randomBytes(10), true],
      [Buffer.alloc(0), true],
      [large, true],
    ] as const) {
      const received = message(client);
      client.send(sent, { binary: isBinary });
      expect(await received).toEqual({ data: sent, isBinary });
    }
    const received = message(client);
    client.send('one ', { fin: false });
    client.send('two ', { fin: false });
    client.send('three', { fin: true });
    expect((await received).data.toString()).toBe('one two three');
    client.close(1000);
    await closed(client);
    expect(await result()).toMatchObject({
      kind: 'whole',
      status: 101,
      headSent: true,
      frames: { in: 8, out: 6 },
      close: { client: 1000, provider: 1000 },
    });
  });

  test('are not lost if they arrive with the request and before the provider accepts', async () => {
    let agree: (() => void) | undefined;
    const received: string[] = [];
    const wss = new WebSocketServer({ noServer: true });
    const server = createServer();
    server.on('upgrade', (req, socket: Duplex, head) => {
      agree = () => wss.handleUpgrade(req, socket, head, (ws) => ws.on('message', (data) => received.push((data as Buffer).toString())));
    });
    const { port } = await start(server);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    // A masked text frame "hi" in the same segment as the request, and another one a little later.
    const frame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
    socket.write(Buffer.concat([Buffer.from(upgradeHead), frame]));
    await until(() => agree !== undefined);
    socket.write(frame);
    await turns();
    agree?.();
    await until(() => received.length === 2);
    expect(received).toEqual(['hi', 'hi']);
    socket.destroy();
  });

  test('wait at the client if they exceed the buffer before the provider accepts', async () => {
    let agree: (() => void) | undefined;
    const received: Buffer[] = [];
    const server = createServer();
    server.on('upgrade', (_req, socket: Duplex) => {
      socket.on('error', () => {}).on('data', (chunk: Buffer) => received.push(chunk));
      agree = () => socket.write(`HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
    });
    const { port } = await start(server);
    const sent = randomBytes(5_000_000);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write(upgradeHead);
    socket.write(sent);
    await until(() => agree !== undefined);
    await turns();
    expect(socket.writableLength).toBeGreaterThan(0);
    agree?.();
    await until(() => received.reduce((sum, chunk) => sum + chunk.length, 0) >= sent.length);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
    socket.destroy();
  });

  test('are delivered if the provider sends them with its handshake', async () => {
    const { port } = await start(speaker((socket) => socket.send('{"type":"session.created"}')));
    const client = open(port);
    expect((await message(client)).data.toString()).toBe('{"type":"session.created"}');
  });
});

describe('close of a relayed WebSocket', () => {
  test.each([
    [1000, 'done'],
    [1011, 'server error'],
    [4001, 'session expired'],
    [1013, ''],
  ] as const)('is passed from the provider to the client: %i %s', async (code, reason) => {
    const { port, result } = await start(speaker((socket) => socket.close(code, reason)));
    expect(await closed(open(port))).toEqual([code, reason]);
    expect(await result()).toMatchObject({ kind: 'whole', close: { client: code, provider: code } });
  });

  test.each([
    [1000, 'bye'],
    [3000, 'custom'],
  ] as const)('is passed from the client to the provider: %i %s', async (code, reason) => {
    let received: [number, string] | undefined;
    const { port, result } = await start(
      speaker((socket) =>
        socket.on('close', (c, r) => {
          received = [c, r.toString()];
        }),
      ),
    );
    const client = open(port);
    await opened(client);
    client.close(code, reason);
    await until(() => received !== undefined);
    expect(received).toEqual([code, reason]);
    expect(await result()).toMatchObject({ kind: 'whole', close: { client: code } });
  });

  test('has code 1006 for the client if the provider breaks off', async () => {
    const { port, result } = await start(speaker((socket) => socket.terminate()));
    expect((await closed(open(port)))[0]).toBe(1006);
    expect(await result()).toMatchObject({
      kind: 'interrupted',
      close: { client: 1006, provider: 1006 },
      error: { code: 'stream_interrupted' },
    });
  });

  test('has code 1006 for the provider if the client breaks off', async () => {
    let code = 0;
    const { port, result } = await start(
      speaker((socket) =>
        socket.on('close', (c) => {
          code = c;
        }),
      ),
    );
    const client = open(port);
    await opened(client);
    client.terminate();
    await until(() => code !== 0);
    expect(code).toBe(1006);
    expect(await result()).toMatchObject({ kind: 'client_gone' });
  });

  test('waits until the record is written', async () => {
    let release: (() => void) | undefined;
    const { port, result } = await start(echo(), {
      onEnd: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    });
    const client = open(port);
    await opened(client);
    client.close(1000);
    let isOver = false;
    const finished = result().then(() => {
      isOver = true;
    });
    await until(() => release !== undefined);
    expect(isOver).toBe(false);
    release?.();
    await finished;
  });

  test('has code 1001 on both sides after the idle timeout', async () => {
    let provided: number | undefined;
    const { port, result } = await start(
      speaker((socket) =>
        socket.on('close', (code) => {
          provided = code;
        }),
      ),
      { clocks: { connect: 5000, idle: 150 } },
    );
    expect((await closed(open(port)))[0]).toBe(1001);
    await until(() => provided !== undefined);
    expect(provided).toBe(1001);
    expect(await result()).toMatchObject({ kind: 'timeout', error: { code: 'idle_timeout' } });
  });

  test('is sent to the client once, if the provider sends a close frame and then nothing', async () => {
    const head = `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\n\r\n`;
    const frame = Buffer.from([0x88, 0x02, 0x03, 0xe8]);
    const { port, result } = await start(
      rawProvider((socket) => socket.once('data', () => socket.write(Buffer.concat([Buffer.from(head), frame])))),
      { clocks: { connect: 5000, idle: 150 } },
    );
    const socket = connect(port, '127.0.0.1', () => socket.write(upgradeHead));
    const received = Buffer.concat(await socket.toArray());
    expect(received.subarray(received.indexOf('\r\n\r\n') + 4)).toEqual(frame);
    expect(await result()).toMatchObject({ close: { provider: 1000 } });
  });

  test('is not caused by the idle timeout while the client is the slow side', async () => {
    const sent = randomBytes(30_000_000);
    const { port, result } = await start(
      speaker((socket) => socket.send(sent)),
      { clocks: { connect: 5000, idle: 1000 } },
    );
    const client = open(port);
    await opened(client);
    client.pause();
    const received = message(client);
    const time = holdTime();
    await turns();
    time.pass(2500);
    // Timeouts are checked every 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    time.release();
    client.resume();
    expect((await received).data.equals(sent)).toBe(true);
    client.close(1000);
    expect(await result()).toMatchObject({ kind: 'whole' });
  });

  test('has code 1001 if the gateway stops', async () => {
    const { port, relay, result } = await start(echo());
    const client = open(port);
    await opened(client);
    const code = closed(client);
    relay.close();
    expect((await code)[0]).toBe(1001);
    expect(await result()).toMatchObject({ kind: 'interrupted', error: { code: 'draining' } });
  });
});

describe('relayed WebSocket handshake', () => {
  test('has the credential of the provider and none of the client', async () => {
    let upgradeRequest: IncomingMessage | undefined;
    const { port } = await start(
      speaker((_socket, req) => {
        upgradeRequest = req;
      }),
      { headers: ['authorization', 'Bearer ours'] },
    );
    const client = open(port, '/v1/realtime?model=m', ['realtime', 'openai-insecure-api-key.gw_secret', 'openai-beta.realtime-v1'], {
      authorization: 'Bearer theirs',
      'x-gateway-api-key': 'gw_x',
      'openai-beta': 'realtime=v1',
      cookie: 'a=b',
    });
    await opened(client);
    expect(client.protocol).toBe('realtime');
    expect(upgradeRequest?.url).toBe('/v1/realtime?model=m');
    expect(upgradeRequest?.headers).toMatchObject({
      authorization: 'Bearer ours',
      'openai-beta': 'realtime=v1',
      'sec-websocket-protocol': 'realtime, openai-beta.realtime-v1',
      host: `127.0.0.1:${rig?.upstreamPort}`,
    });
    expect(JSON.stringify([upgradeRequest?.rawHeaders, upgradeRequest?.url])).not.toMatch(/gw_|theirs|a=b/);
  });

  test('selects the subprotocol `realtime` if offered, even if the provider selects none', async () => {
    const { port } = await start(speaker(() => {}, { chooses: false }));
    const client = open(port, '/v1/realtime', ['realtime', 'openai-insecure-api-key.k']);
    await opened(client);
    expect(client.protocol).toBe('realtime');
  });

  test('contains the headers of the gateway and not the connection headers of the provider', async () => {
    const { port } = await start(echo(), { onHead: (status) => ['x-request-id', 'req_1', 'x-status', status.toString()] });
    const client = open(port);
    const headers = await new Promise<IncomingMessage['headers']>((resolve) => client.on('upgrade', (res) => resolve(res.headers)));
    expect(headers).toMatchObject({ 'x-request-id': 'req_1', 'x-status': '101', upgrade: 'websocket' });
  });

  test.each([
    [401, '{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}'],
    [429, 'slow down'],
    [503, ''],
  ])('is a response %i of the provider if the provider rejects it', async (status, body) => {
    const { port, result } = await start(provider((_req, res) => res.writeHead(status).end(body)));
    expect(await handshakeResponse(port)).toMatchObject({ status, text: body });
    expect(await result()).toMatchObject({ kind: 'whole', status });
  });

  test('returns 502 upstream_invalid if the provider sends a page', async () => {
    const { port } = await start(provider((_req, res) => res.writeHead(200).end('<html>')));
    expect(await handshakeResponse(port)).toMatchObject({ status: 502, code: 'upstream_invalid' });
  });

  test.each([
    ['a dead port', 502, 'upstream_unreachable'],
    ['a provider that hangs up', 502, 'upstream_unreachable'],
    ['a silent provider', 408, 'timeout'],
    ['a closed host', 403, 'not_allowed'],
  ] as const)('returns an HTTP error for %s', async (what, status, code) => {
    const upstream = rawProvider((socket: Socket) => {
      if (what === 'a provider that hangs up') socket.once('data', () => socket.destroy());
    });
    const options: RigOptions = { clocks: { connect: 5000, idle: 150 }, trust: what === 'a closed host' ? 'request' : 'operator' };
    const { port } = await start(
      upstream,
      what === 'a dead port' ? { ...options, origins: [`http://127.0.0.1:${await deadPort()}`] } : options,
    );
    expect(await handshakeResponse(port)).toMatchObject({ status, code });
  });

  test.each([
    ['another protocol', `upgrade: h2c\r\nsec-websocket-accept: ${accept}`, /another protocol than WebSocket/],
    ['an extension', `upgrade: websocket\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-extensions: permessage-deflate`, /extension/],
    ['no accept', 'upgrade: websocket', /sec-websocket-accept/],
    ['the accept of another key', 'upgrade: websocket\r\nsec-websocket-accept: AAAA', /sec-websocket-accept/],
    ['two accepts', `upgrade: websocket\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-accept: AAAA`, /sec-websocket-accept/],
  ])('returns 502 for a 101 with %s, and closes the connection of the provider', async (_, headers, reason) => {
    let isClosed = false;
    const upstream = rawProvider((socket) => {
      socket.on('close', () => (isClosed = true));
      socket.once('data', () => socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\n${headers}\r\n\r\nbytes`));
    });
    const { port, result } = await start(upstream);
    const client = connect(port, '127.0.0.1');
    let text = '';
    client.on('error', () => {}).on('data', (chunk: Buffer) => (text += chunk.toString()));
    client.write(upgradeHead);
    await until(() => text.includes('\r\n\r\n') && isClosed);
    client.destroy();
    expect(text).toMatch(/^HTTP\/1\.1 502 /);
    expect(text).toMatch(reason);
    expect(text).not.toContain('bytes');
    expect(await result()).toMatchObject({ error: { code: 'upstream_invalid' }, headSent: false });
  });

  test('falls back if the first target is unreachable', async () => {
    const origins = [`http://127.0.0.1:${await deadPort()}`];
    const { port, upstreamPort } = await start(echo(), { origins });
    origins.push(`ws://127.0.0.1:${upstreamPort}`);
    const client = open(port);
    await opened(client);
    client.send('x');
    expect((await message(client)).data.toString()).toBe('x');
  });

  test('is closed at the provider if the client disconnects', async () => {
    let isDisconnected = false;
    let isConnected = false;
    const server = createServer();
    server.on('upgrade', (_req, socket: Duplex) => {
      isConnected = true;
      // The server side of an upgraded connection stays half open until it is closed explicitly.
      socket
        .on('error', () => {})
        .on('end', () => {
          isDisconnected = true;
          socket.destroy();
        });
      socket.resume();
    });
    const { port, result } = await start(server);
    const client = open(port);
    await until(() => isConnected);
    client.terminate();
    await until(() => isDisconnected);
    expect(await result()).toMatchObject({ kind: 'client_gone', headSent: false });
  });
});

function handshakeResponse(port: number): Promise<{ status: number; code: unknown; text: string }> {
  return new Promise((resolve) => {
    open(port).on('unexpected-response', (_req, res: IncomingMessage) => {
      let text = '';
      res.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, code: res.headers['x-code'], text }));
    });
  });
}

describe('credential repeated by the provider of a WebSocket', () => {
  const key = 'sk-echo-0123456789abcdef';
  const secrets = secretVariants(['authorization', `Bearer ${key}`]);
  const hidden = '*'.repeat(key.length);

  test('is masked in the response headers and in frames', async () => {
    let echoes = 0;
    const server = createServer();
    const wss = new WebSocketServer({ server });
    wss.on('headers', (headers) => headers.push(`x-echo: got ${key}`));
    wss.on('connection', (socket) => socket.on('message', (data) => socket.send(`you sent ${data.toString()} with ${key}`)));
    const { port } = await start(server, { secrets, onEcho: () => void (echoes += 1) });
    const client = open(port);
    const upgraded = new Promise<IncomingMessage>((resolve) => client.on('upgrade', resolve));
    await opened(client);
    expect((await upgraded).headers['x-echo']).toBe(`got ${hidden}`);
    client.send('a');
    expect((await message(client)).data.toString()).toBe(`you sent a with ${hidden}`);
    expect(echoes).toBe(2);
  });

  test('is masked after its first part if it is split between two reads', async () => {
    const firstPart = Promise.withResolvers<void>();
    const { port } = await start(
      rawProvider((socket) => {
        socket.write(
          `HTTP/1.1 101 x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\n\r\n\x81${String.fromCharCode(key.length)}${key.slice(0, 8)}`,
        );
        void firstPart.promise.then(() => socket.end(key.slice(8)));
      }),
      { secrets },
    );
    const text = await upgradeText(port, (received) => {
      if (received.endsWith(key.slice(0, 8))) firstPart.resolve();
    });
    expect(text).toContain(`${key.slice(0, 8)}${'*'.repeat(key.length - 8)}`);
  });

  test.each([
    ['an error object', JSON.stringify({ error: { message: `bad key ${key}`, code: key, type: key } })],
    ['a page that is truncated', `${'x'.repeat(190)}${key}`],
  ])('is masked in a rejection: %s', async (_, body) => {
    const { port, result } = await start(
      rawProvider((socket) => socket.end(`HTTP/1.1 401 ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)),
      { secrets },
    );
    await upgradeText(port);
    const { error } = await result();
    expect(JSON.stringify([error?.message, error?.provider])).not.toMatch(/sk-echo-/);
  });
});

/** All bytes received after an upgrade request. @param onReceived called with those received so far */
function upgradeText(port: number, onReceived?: (text: string) => void): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(upgradeHead));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      onReceived?.(text);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}
