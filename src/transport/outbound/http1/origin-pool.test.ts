import { type AddressInfo, createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../core/error.ts';
import { JsonBody } from '../../../core/json/body.ts';
import type { Route } from '../pools.ts';
import type { ResponseReceiver, ResponseControl, WireRequest } from '../../wire/request.ts';
import { UpstreamConnection } from './connection.ts';
import { OriginPool } from './origin-pool.ts';
import { type HeldTime, holdTime, turns } from '../../../../test/support/time.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';

const route: Route = { trust: 'operator', connectMs: 5000 };

/** One request as its sender sees it. */
class RecordingReceiver implements ResponseReceiver {
  source: ResponseControl | undefined;
  text = '';
  readonly ended = Promise.withResolvers<string>();
  isAbandoned = false;
  isOver = false;
  pausesAt = '';

  connected(source: ResponseControl): void {
    this.source = source;
    if (this.isAbandoned) source.abort();
  }
  sent(): void {}
  head(status: number): void {
    this.text += `${status} `;
  }
  data(chunk: Buffer): void {
    this.text += chunk.toString('latin1');
    if (this.pausesAt !== '' && this.text.endsWith(this.pausesAt)) this.source?.pause();
  }
  finished(): void {
    this.ended.resolve(this.text);
  }
  failed(error: Error, isUnread = false): void {
    this.ended.resolve(`${'code' in error ? String(error.code) : error.message}${isUnread ? ' unread' : ''}`);
  }
}

let server: Server;
let sockets: Socket[];
/** What arrived on each connection, in the order of the connections. */
let receivedTexts: string[];
let respond: (socket: Socket, text: string, connection: number) => void;
let origins: OriginPool;
let url: string;

const completeResponse = (text: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${text.length}\r\n\r\n${text}`;

beforeEach(async () => {
  sockets = [];
  receivedTexts = [];
  respond = (socket) => socket.write(completeResponse('fine'));
  server = createServer((socket) => {
    const n = sockets.push(socket) - 1;
    receivedTexts.push('');
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      receivedTexts[n] += bytes.toString('latin1');
      respond(socket, bytes.toString('latin1'), n);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => undefined });
});

afterEach(async () => {
  origins.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const request = (overrides: Partial<WireRequest> = {}): WireRequest => ({
  origin: url,
  path: '/v1/x',
  method: 'POST',
  headers: ['content-type', 'application/json'],
  body: { kind: 'json', oneByte: '{}', bytes: () => Buffer.from('{}') },
  ...overrides,
});

function send(overrides: Partial<WireRequest> = {}, viaRoute: Route = route): RecordingReceiver {
  const receiver = new RecordingReceiver();
  if (!origins.send(request(overrides), viaRoute, receiver)) receiver.ended.resolve('not plain');
  return receiver;
}

const sendAndWait = (overrides: Partial<WireRequest> = {}, viaRoute: Route = route): Promise<string> =>
  send(overrides, viaRoute).ended.promise;
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turns(1);
}

describe('Origins with a plain request', () => {
  it('writes the expected headers and body', async () => {
    expect(await sendAndWait()).toBe('200 fine');
    const { host } = new URL(url);
    expect(receivedTexts).toEqual([
      `POST /v1/x HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    ]);
  });

  it('writes a large body completely', async () => {
    const large = Buffer.alloc(300_000, 'x');
    respond = (socket) => void (receivedTexts[0]?.endsWith('xx!') === true && socket.write(completeResponse('got it')));
    large.write('!', large.length - 1);
    expect(await sendAndWait({ body: { kind: 'json', bytes: () => large } })).toBe('200 got it');
    expect(receivedTexts[0]).toContain('content-length: 300000\r\n\r\nxxx');
  });

  it('releases the memory of a large body once it is written, and sends the same bytes again', async () => {
    const content = JsonBody.from(Buffer.from(JSON.stringify({ text: 'ü'.repeat(550_000), model: 'm' })));
    for (const body of [content, content.edit(new Map([['model', 'n']]))]) {
      const text = body.bytes().toString('latin1');
      const sentChunks: Buffer[] = [];
      const formBody: WireRequest['body'] = {
        kind: 'json',
        holdsBytes: body.holdsBytes,
        bytes: () => sentChunks[sentChunks.push(body.bytes()) - 1] as Buffer,
      };
      respond = (socket, _, n) => void (receivedTexts[n]?.endsWith(text) === true && socket.write(completeResponse('got it')));
      expect(await sendAndWait({ body: formBody })).toBe('200 got it');
      expect(await sendAndWait({ body: formBody })).toBe('200 got it');
      expect(sentChunks.map(({ length }) => length)).toEqual([0, 0]);
    }
  });

  it('does not release bytes that others may read', async () => {
    const large = Buffer.alloc(1_500_000, 'x');
    respond = (socket) => void ((receivedTexts[0]?.length ?? 0) > large.length && socket.write(completeResponse('got it')));
    for (const holdsBytes of [true, undefined]) {
      receivedTexts[0] = '';
      expect(await sendAndWait({ body: { kind: 'json', ...(holdsBytes === undefined ? {} : { holdsBytes }), bytes: () => large } })).toBe(
        '200 got it',
      );
      expect(large).toHaveLength(1_500_000);
    }
  });

  it('sends content-length: 0 only if the method expects a body', async () => {
    await sendAndWait({ method: 'GET', headers: [], body: { kind: 'none' } });
    await sendAndWait({ headers: [], body: { kind: 'none' } });
    expect(receivedTexts[0]).toMatch(/^GET [^]*keep-alive\r\n\r\nPOST [^]*keep-alive\r\ncontent-length: 0\r\n\r\n$/);
  });

  it.each<[string, Partial<WireRequest>]>([
    ['a line break in a header', { headers: ['a', 'b\r\nc: d'] }],
    ['an invalid header name', { headers: ['a b', 'c'] }],
    ['a header value outside Latin-1', { headers: ['a', '€'] }],
    ['its own host header', { headers: ['Host', 'elsewhere'] }],
    ['its own content-length', { headers: ['content-length', '2'] }],
    ['an expect header', { headers: ['expect', '100-continue'] }],
    ['a path with a blank', { path: '/a b' }],
    ['a path with a line break', { path: '/a\r\nx: y' }],
    ['an unusual method', { method: 'QUERY' }],
    ['a body on GET', { method: 'GET' }],
    ['an origin with a path', { origin: 'http://127.0.0.1:1/v1' }],
    ['another scheme', { origin: 'ws://127.0.0.1:1' }],
  ])('rejects a request as not plain with %s', async (_name, overrides) => {
    expect(await sendAndWait()).toBe('200 fine');
    expect(await sendAndWait(overrides)).toBe('not plain');
    expect([await sendAndWait(), receivedTexts.length]).toEqual(['200 fine', 1]);
  });
});

describe('Origins connection', () => {
  it('holds no reference to a request that it has served', async () => {
    await Promise.all([sendAndWait(), sendAndWait()]);
    await sendAndWait();
    await until(() => queryObjects(RecordingReceiver, { format: 'count' }) === 0);
    expect(sockets.length).toBe(2);
  });

  it('is released after it is closed', async () => {
    await Promise.all([sendAndWait(), sendAndWait()]);
    for (const socket of sockets) socket.destroy();
    await until(() => queryObjects(UpstreamConnection, { format: 'count' }) === 0);
    expect(sockets.length).toBe(2);
  });

  it('serves one request after another', async () => {
    for (let n = 0; n < 5; n += 1) expect(await sendAndWait()).toBe('200 fine');
    expect(sockets.length).toBe(1);
  });

  it('is reused if it was used last', async () => {
    respond = () => undefined;
    const pendingRequests = [send(), send(), send()];
    await until(() => receivedTexts.filter((text) => text.endsWith('{}')).length === 3);
    respond = (socket) => socket.write(completeResponse('fine'));
    let endedCount = 0;
    for (const receiver of pendingRequests) void receiver.ended.promise.then(() => (endedCount += 1));
    for (const [pendingBefore, n] of [2, 0, 1].entries()) {
      sockets[n]?.write(completeResponse(`${n}`));
      await until(() => endedCount > pendingBefore);
    }
    expect(await Promise.all(pendingRequests.map(({ ended }) => ended.promise))).toHaveLength(3);
    await sendAndWait();
    expect(receivedTexts.map((text) => text.split('POST').length - 1)).toEqual([1, 2, 1]);
  });

  it.each([
    ['received connection: close', completeResponse('fine', 'connection: close\r\n')],
    ['received bytes after its response', `${completeResponse('fine')}x`],
    ['is about to reach the keep-alive timeout of the server', completeResponse('fine', 'keep-alive: timeout=1\r\n')],
  ])('is not reused if it %s', async (_name, text) => {
    respond = (socket) => socket.write(text);
    expect([await sendAndWait(), await sendAndWait(), sockets.length]).toEqual(['200 fine', '200 fine', 2]);
  });

  it('is closed if a response arrives without a request, and the next request does not receive it', async () => {
    await sendAndWait();
    // Sockets are read after timers: bytes that have arrived by then are known before the
    // request leaves.
    await turns(5);
    sockets[0]?.write(completeResponse('poison'));
    expect([await sendAndWait(), sockets.length]).toEqual(['200 fine', 2]);
  });

  it('is new for a request that may not be sent twice, and is not reused', async () => {
    await sendAndWait();
    expect([await sendAndWait({}, { ...route, isOnce: true }), await sendAndWait(), sockets.length]).toEqual(['200 fine', '200 fine', 2]);
    expect(receivedTexts[1]).not.toMatch(/POST[^]*POST/);
  });

  it('is closed if the rest of a response is aborted', async () => {
    respond = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
    const receiver = send();
    await until(() => receiver.text === '200 half');
    const closed = new Promise((resolve) => sockets[0]?.once('close', resolve));
    receiver.source?.abort();
    await closed;
    receiver.source?.abort();
    respond = (socket) => socket.write(completeResponse('fine'));
    expect(await sendAndWait()).toBe('200 fine');
  });

  it('is kept for the next request if its request was abandoned before it was sent', async () => {
    const receiver = new RecordingReceiver();
    receiver.isAbandoned = true;
    origins.send(request(), route, receiver);
    await until(() => receiver.source !== undefined && sockets.length === 1);
    expect([receivedTexts[0], await sendAndWait(), sockets.length]).toEqual(['', '200 fine', 1]);
  });

  it('is kept no longer than its provider allows if a request was abandoned before it was sent', async () => {
    const time = holdTime();
    respond = (socket) => socket.write(completeResponse('fine', 'keep-alive: timeout=5\r\n'));
    await sendAndWait();
    time.pass(2000);
    const receiver = Object.assign(new RecordingReceiver(), { isAbandoned: true });
    origins.send(request(), route, receiver);
    await until(() => receiver.source !== undefined);
    time.pass(2000);
    expect([await sendAndWait(), sockets.length]).toEqual(['200 fine', 2]);
  });

  it('is kept for less than a minute if its provider says nothing', async () => {
    const time = holdTime();
    await sendAndWait();
    time.pass(54_000);
    expect([await sendAndWait(), sockets.length]).toEqual(['200 fine', 1]);
    time.pass(56_000);
    expect([await sendAndWait(), sockets.length]).toEqual(['200 fine', 2]);
  });

  it('is replaced after ten minutes in use', async () => {
    const time = holdTime();
    const opened: number[] = [];
    for (let seconds = 0; seconds <= 660; seconds += 30) {
      await sendAndWait();
      opened.push(sockets.length);
      // The clock counts in fractions: a sum of them may be a little less than its parts.
      time.pass(30_001);
    }
    expect(opened).toEqual([...Array<number>(20).fill(1), 2, 2, 2]);
  });

  it('is replaced after ten minutes also if it was idle then', async () => {
    const time = holdTime();
    respond = (socket) => socket.write(completeResponse('fine', 'keep-alive: timeout=600\r\n'));
    await sendAndWait();
    time.pass(590_000);
    await sendAndWait();
    expect(sockets.length).toBe(1);
    time.pass(20_000);
    await sendAndWait();
    expect(sockets.length).toBe(2);
  });

  it('fails with a connect timeout if the request is over, and other requests keep waiting', async () => {
    const neverLookup: LookupFunction = () => {};
    origins.close();
    origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => neverLookup });
    const [abortedRequest, pendingRequest] = [0, 1].map(() => send({ origin: 'http://a.example' })) as [
      RecordingReceiver,
      RecordingReceiver,
    ];
    abortedRequest.isOver = true;
    origins.check();
    expect(await abortedRequest.ended.promise).toBe('UPSTREAM_CONNECT_TIMEOUT');
    expect(await Promise.race([pendingRequest.ended.promise, turns(5).then(() => 'still waiting')])).toBe('still waiting');
  });

  it('reads the next response after it was paused at the end of a response', async () => {
    const receiver = new RecordingReceiver();
    receiver.pausesAt = 'fine';
    origins.send(request(), route, receiver);
    expect([await receiver.ended.promise, await sendAndWait(), sockets.length]).toEqual(['200 fine', '200 fine', 1]);
  });

  it('reads nothing while it is paused', async () => {
    const block = 'x'.repeat(64 * 1024);
    respond = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${block.length * 400}\r\n\r\n`);
      for (let n = 0; n < 400; n += 1) socket.write(block);
    };
    const receiver = send();
    await until(() => receiver.text.length > 10);
    receiver.source?.pause();
    await turns();
    const lengthBefore = receiver.text.length;
    await turns();
    expect([receiver.text.length, lengthBefore < block.length * 200]).toEqual([lengthBefore, true]);
    receiver.source?.resume();
    expect((await receiver.ended.promise).length).toBe(4 + block.length * 400);
    respond = (socket) => socket.write(completeResponse('fine'));
    expect([await sendAndWait(), sockets.length]).toEqual(['200 fine', 1]);
  });
});

describe('broken Origins connection', () => {
  /** A dead connection has to be detected within 100 ms, which a busy machine may exceed. */
  let time: HeldTime;
  beforeEach(() => {
    time = holdTime();
  });

  it.each([
    ['that breaks before its first response', 0, (socket: Socket) => void socket.destroy(), 'UPSTREAM_CLOSED'],
    ['that is reset before its first response', 0, (socket: Socket) => void socket.resetAndDestroy(), 'ECONNRESET'],
    ['that breaks after it was reused', 1, (socket: Socket) => void socket.destroy(), 'UPSTREAM_CLOSED unread'],
    ['that is reset after it was reused', 1, (socket: Socket) => void socket.resetAndDestroy(), 'ECONNRESET unread'],
    ['that breaks within a status line', 1, (socket: Socket) => void socket.end('HTTP/1.1 2'), 'UPSTREAM_CLOSED'],
    [
      'that breaks within a body',
      1,
      (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
      'UPSTREAM_CLOSED',
    ],
  ])('reports whether the request may have been read, for a connection %s', async (_name, requestsBefore, breakConnection, expected) => {
    if (requestsBefore > 0) await sendAndWait();
    respond = breakConnection;
    expect([await sendAndWait(), sockets.length]).toEqual([expected, 1]);
  });

  it('is reported as possibly read if it breaks long after the request was sent', async () => {
    await sendAndWait();
    respond = (socket) => {
      time.pass(150);
      socket.destroy();
    };
    expect(await sendAndWait()).toBe('UPSTREAM_CLOSED');
  });

  it('is reported as closed before within 100 ms and a round trip', async () => {
    const first = sendAndWait();
    await new Promise((resolve) => process.nextTick(resolve));
    // The connection, now begun, takes this long to open.
    time.pass(120);
    await first;
    respond = (socket) => {
      time.pass(200);
      socket.destroy();
    };
    expect(await sendAndWait()).toBe('UPSTREAM_CLOSED unread');
  });

  it('ends a response without a length on close, and fails it on a reset', async () => {
    respond = (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nall of it');
    expect(await sendAndWait()).toBe('200 all of it');
    respond = (socket) => void (socket.write('HTTP/1.1 200 OK\r\n\r\nhalf'), setTimeout(() => socket.resetAndDestroy(), 50));
    expect(await sendAndWait()).toBe('ECONNRESET');
  });
});

describe('Origins', () => {
  it('applies the egress rules of the operator or the request to each connection', async () => {
    const lookedUp: string[] = [];
    const closed: LookupFunction = (name, _options, callback) => {
      lookedUp.push(name);
      callback(new GatewayError('not_allowed', { message: 'inside' }), '', 0);
    };
    origins.close();
    origins = new OriginPool({ wheel: new TimerWheel(), lookup: (trust) => (trust === 'request' ? closed : undefined) });
    const origin = url.replace('127.0.0.1', 'localhost');
    expect(await sendAndWait({ origin })).toBe('200 fine');
    for (let n = 0; n < 2; n += 1) expect(await sendAndWait({ origin }, { ...route, trust: 'request' })).toBe('not_allowed');
    expect([lookedUp, sockets.length]).toEqual([['localhost', 'localhost'], 1]);
  });

  it('closes the connection that has been idle for longest for a new one, if there are many', async () => {
    origins.close();
    origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => undefined, idleUpTo: 3 });
    const isOpen = (): readonly boolean[] => sockets.map(({ destroyed, readableEnded }) => !destroyed && !readableEnded);
    const localhost = { origin: url.replace('127.0.0.1', 'localhost') };
    await Promise.all([sendAndWait(localhost), sendAndWait(localhost)]);
    await sendAndWait();
    await sendAndWait(localhost);
    expect(isOpen()).toEqual([true, true, true]);
    await sendAndWait({}, { ...route, isOnce: true });
    await until(() => isOpen().filter(Boolean).length === 2);
    // The server has seen two connections of localhost, of which one was used again.
    expect(isOpen()[2]).toBe(true);
    respond = () => undefined;
    for (let n = 0; n < 5; n += 1) send();
    // Connections in use are never closed, and their number is not limited.
    await until(() => isOpen().length === 8 && isOpen().filter(Boolean).length === 5);
    expect(isOpen()[2]).toBe(true);
  });

  it('closes idle connections at the next check if there are more than may stay idle', async () => {
    origins.close();
    origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => undefined, idleUpTo: 3 });
    const open: number[] = [];
    const count = async (): Promise<void> => {
      await turns(20);
      open.push(sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length);
    };
    await Promise.all(Array.from({ length: 5 }, () => sendAndWait()));
    await count();
    for (let check = 0; check < 2; check += 1) {
      origins.check();
      await count();
    }
    expect(open).toEqual([5, 3, 3]);
  });

  it('keeps at most 256 origins', () => {
    for (const trust of ['operator', 'request'] as const)
      for (let n = 0; n < 1000; n += 1) {
        const receiver = send({ origin: `http://h${n}.example`, path: '/a b' }, { ...route, trust });
        expect(receiver.text).toBe('');
      }
    expect(origins.size).toBe(256);
  });

  it.each([
    ['a new origin', {}],
    ['a request that may not be sent twice', { isOnce: true }],
  ])('fails a request whose connection throws at once, and counts no request in progress: %s', async (_, more) => {
    origins.close();
    const throwing = (): never => {
      throw new Error('no file descriptor is left');
    };
    origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => throwing });
    const receiver = send({ origin: url.replace('127.0.0.1', 'localhost') }, { ...route, ...more });
    expect(await receiver.ended.promise).toBe('no file descriptor is left');
    expect(origins.check()).toBe(false);
  });

  it('counts no request in progress after close(), even if requests were waiting to be sent', async () => {
    await sendAndWait();
    const waiting = [send(), send()];
    origins.close();
    expect(await Promise.all(waiting.map(({ ended }) => ended.promise))).toEqual(['UPSTREAM_CLOSED', 'UPSTREAM_CLOSED']);
    expect(origins.check()).toBe(false);
  });

  it('rejects requests after close()', async () => {
    respond = () => undefined;
    const receiver = send();
    await until(() => sockets.length === 1);
    origins.close();
    expect([await receiver.ended.promise, await sendAndWait()]).toEqual(['UPSTREAM_CLOSED', 'UPSTREAM_CLOSED']);
  });
});
