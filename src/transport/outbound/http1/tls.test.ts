import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, getCACertificates, type Server, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ResponseControl, ResponseReceiver, WireRequest } from '../../wire/request.ts';
import { turns } from '../../../../test/support/time.ts';
import { OriginPool } from './origin-pool.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';

/** A self-signed certificate for `localhost`, used only by this test. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtYvzotrUjyVzUPti
BDntAfYosU4TAuzS6kR1G/Oj1z6hRANCAASbkBgqkxXGm19rC6gsuUXZ4XjZy/7W
YpR6zqhix6cbskZak2MLEeuknBYbwyfiwi9CIZK8+iE2A9HSTO4HEoZm
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIULB1Mi9zpymKOnGDFYKDlFj92k/QwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzAyMzUzMloYDzIxMjYxMDMw
MDIzNTMyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASbkBgqkxXGm19rC6gsuUXZ4XjZy/7WYpR6zqhix6cbskZak2MLEeuk
nBYbwyfiwi9CIZK8+iE2A9HSTO4HEoZmo2kwZzAdBgNVHQ4EFgQU3fuO+P2bXhgW
nIJKAPjNRK/GAkswHwYDVR0jBBgwFoAU3fuO+P2bXhgWnIJKAPjNRK/GAkswDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAOfNku5237CkyDGYjOitXUzjD8Pm27FnJ8A/R1Uwped8AiBT0ACY6uiG
7KD0drucAhpCWKDZds/+t6tIjpuIx3Dl4g==
-----END CERTIFICATE-----`;

/** A server whose responses do not wait for the event loop of the test. Counts its responses and its connections. */
const serverInThread = `
  const { parentPort, workerData: { key, cert, responses } } = require('node:worker_threads');
  const server = require('node:tls').createServer({ key, cert }, (socket) => {
    Atomics.add(responses, 1, 1);
    socket.on('error', () => {}).on('data', () => {
      socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 3\\r\\n\\r\\nabc', () => {
        Atomics.add(responses, 0, 1);
        Atomics.notify(responses, 0);
      });
    });
  });
  server.listen(0, () => parentPort.postMessage(server.address().port));
`;

describe('TLS connection', () => {
  const defaultCertificates = getCACertificates('default');
  let server: Server;
  let sockets: TLSSocket[];
  let origins: OriginPool;
  let port: number;

  beforeAll(() => setDefaultCACertificates([...defaultCertificates, cert]));
  afterAll(() => setDefaultCACertificates(defaultCertificates));
  beforeEach(async () => {
    sockets = [];
    server = createServer({ key, cert, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n'));
    }).listen(0);
    await new Promise((resolve) => server.once('listening', resolve));
    ({ port } = server.address() as AddressInfo);
    origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => undefined });
  });
  afterEach(async () => {
    origins.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  /** The body of the response, or the code of the error. */
  function request(host: string, isSingleUse = false, own: Partial<ResponseReceiver> = {}): Promise<string> {
    return new Promise((resolve) => {
      let body = '';
      const receiver: ResponseReceiver = {
        connected: () => undefined,
        sent: () => undefined,
        head: () => undefined,
        data: (bytes) => {
          body += bytes.toString();
        },
        finished: () => resolve(body),
        failed: (error) => resolve('code' in error ? String(error.code) : error.message),
        ...own,
      };
      const request = {
        origin: `https://${host}:${port}`,
        path: '/',
        method: 'POST',
        headers: [],
        body: { kind: 'json', bytes: () => Buffer.from('{}') },
      } as const;
      origins.send({ ...request, headers: [] }, { trust: 'operator', connectMs: 5000, isOnce: isSingleUse }, receiver);
    });
  }

  it('is reused if a response is read before the write of its request is reported', async () => {
    const responses = new Int32Array(new SharedArrayBuffer(8));
    const fast = new Worker(serverInThread, { eval: true, workerData: { key, cert, responses } });
    [port] = (await once(fast, 'message')) as [number];
    for (let sent = 1; sent <= 3; sent += 1) {
      const response = request('localhost');
      // The connection of the first request is only being opened. The others are written at the end of this turn.
      if (sent > 1) setImmediate(() => Atomics.wait(responses, 0, sent - 1, 2000));
      expect(await response).toBe('abc');
      await turns(1);
    }
    expect(responses[1]).toBe(1);
    await fast.terminate();
  });

  it('is reused, uses HTTP/1.1 and sends the server name', async () => {
    expect([await request('localhost'), await request('localhost'), sockets.length]).toEqual(['abc', 'abc', 1]);
    expect([sockets[0]?.alpnProtocol, sockets[0]?.servername]).toEqual(['http/1.1', 'localhost']);
  });

  it('resumes the session of the previous connection', async () => {
    await request('localhost');
    await request('localhost', true);
    expect(sockets.map((socket) => socket.isSessionReused())).toEqual([false, true]);
  });

  it('reports that the upstream reads a large body', async () => {
    const body = Buffer.alloc(24_000_000);
    let received = 0;
    server.removeAllListeners('secureConnection').on('secureConnection', (socket: TLSSocket) => {
      sockets.push(socket.pause());
      socket
        .on('error', () => undefined)
        .on('data', (bytes: Buffer) => {
          received += bytes.length;
          if (received > body.length / 2) socket.pause();
        });
    });
    const control = await new Promise<ResponseControl>((connected) => {
      const receiver = { connected, sent: () => undefined, head: () => undefined, data: () => undefined, finished: () => undefined };
      const large = {
        origin: `https://localhost:${port}`,
        path: '/',
        method: 'POST',
        headers: [],
        body: { kind: 'json', bytes: () => body },
      };
      origins.send(large as WireRequest, { trust: 'operator', connectMs: 5000 }, { ...receiver, failed: () => undefined });
    });
    let unsent = 0;
    let still = 0;
    const isSending = () => unsent !== (unsent = control.unsent?.() ?? 0);
    await vi.waitUntil(() => (still = isSending() || sockets.length === 0 ? 0 : still + 1) > 5, { timeout: 100_000 });
    expect(received).toBe(0);
    sockets[0]?.resume();
    await vi.waitUntil(isSending, { timeout: 100_000 });
  });

  it('reads nothing while it is paused', async () => {
    const [block, count] = ['x'.repeat(64 * 1024), 400];
    server.removeAllListeners('secureConnection').on('secureConnection', (socket: TLSSocket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).write(`HTTP/1.1 200 OK\r\ncontent-length: ${block.length * count}\r\n\r\n`);
      for (let sent = 0; sent < count; sent += 1) socket.write(block);
    });
    let received = 0;
    let control: ResponseControl | undefined;
    const data = (bytes: Buffer): void => {
      if (received === 0) control?.pause();
      received += bytes.length;
    };
    const ended = request('localhost', false, { connected: (connected) => (control = connected), data });
    await expect.poll(() => received).toBeGreaterThan(0);
    await turns();
    const before = received;
    await turns();
    expect([received, before < block.length * 4]).toEqual([before, true]);
    control?.resume();
    await ended;
    expect(received).toBe(block.length * count);
  });

  it('is rejected if the certificate does not match the host', async () => {
    expect(await request('127.0.0.1')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('is rejected if the certificate is not trusted', async () => {
    setDefaultCACertificates(defaultCertificates);
    expect(await request('localhost')).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    setDefaultCACertificates([...defaultCertificates, cert]);
  });

  it('is rejected if the server does not use TLS', async () => {
    server.removeAllListeners('connection');
    server.on('connection', (socket: TLSSocket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    expect(await request('localhost')).toMatch(/^(?:ERR_SSL_|EPROTO|ECONNRESET)/);
  });
});
