import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Trust } from '../../core/snapshot.ts';
import { turns } from '../../../test/support/time.ts';
import { TimerWheel } from '../wire/timer-wheel.ts';
import { createEgress } from './egress/egress.ts';
import { createUpstream, type Upstream } from './upstream.ts';

/** Names with other addresses, and other egress rules, while connections are kept alive. */

let server: Server;
let sockets: Socket[];
let respond: (socket: Socket) => void;
let list: readonly string[];
let address: string;
let upstream: Upstream;

const succeed = (socket: Socket): void => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine');

beforeEach(async () => {
  sockets = [];
  respond = succeed;
  list = ['127.0.0.0/8'];
  address = '127.0.0.1';
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).on('data', () => respond(socket));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterEach(async () => {
  await upstream.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function start(fast: boolean): void {
  const egress = createEgress(
    () => list,
    (_name, options, callback) => {
      if (options.all === true) callback(null, [{ address, family: 4 }]);
      else callback(null, address, 4);
    },
  );
  upstream = createUpstream({ lookup: egress.lookup, wheel: new TimerWheel(), fastPath: () => fast });
}

/** The body of the response, or the code of the error, once its connection is idle. */
async function send(trust: Trust, isOnce = false): Promise<string> {
  const result = await new Promise<string>((resolve) => {
    const origin = `http://service.example.com:${(server.address() as AddressInfo).port}`;
    let text = '';
    upstream.send(
      { origin, path: '/', method: 'GET', headers: [], body: { kind: 'none' } },
      { trust, connectMs: 5000, isOnce },
      {
        connected: () => undefined,
        sent: () => undefined,
        head: () => undefined,
        data: (bytes) => {
          text += bytes.toString();
        },
        finished: () => resolve(text),
        failed: (error) => resolve('code' in error ? String(error.code) : error.message),
      },
    );
  });
  await turns();
  return result;
}

describe.each([true, false])('with fast_path: %s, after the egress rules changed', (fast) => {
  beforeEach(() => start(fast));

  it('no request uses a kept-alive connection to an address that is not allowed any more', async () => {
    expect([await send('request'), await send('request'), sockets.length]).toEqual(['fine', 'fine', 1]);
    list = [];
    upstream.renew('request');
    expect(await send('request')).toBe('not_allowed');
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  });

  it('a response in progress is completed, and its connection closed', async () => {
    respond = (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfi');
    const response = send('request');
    await expect.poll(() => sockets[0]?.bytesWritten).toBeGreaterThan(0);
    list = [];
    upstream.renew('request');
    sockets[0]?.write('ne');
    expect(await response).toBe('fine');
    expect(await send('request')).toBe('not_allowed');
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  });

  it('connections to hosts of the operator are kept', async () => {
    expect(await send('operator')).toBe('fine');
    list = [];
    upstream.renew('request');
    expect([await send('operator'), sockets.length]).toEqual(['fine', 1]);
  });
});

describe.each([true, false])('with fast_path: %s, a name that has a private address later', (fast) => {
  beforeEach(() => start(fast));

  it.each<[name: string, isOnce: boolean]>([
    ['after its connection closed', false],
    ['for a request with a connection of its own', true],
  ])('is rejected for each new connection: %s', async (_name, isOnce) => {
    expect(await send('request')).toBe('fine');
    if (!isOnce) {
      sockets[0]?.end();
      await expect.poll(() => sockets[0]?.destroyed).toBe(true);
    }
    for (address of ['10.0.0.1', '169.254.169.254', '127.0.0.1']) {
      list = [];
      expect(await send('request', isOnce)).toBe('not_allowed');
    }
    expect(sockets.length).toBe(1);
  });
});
