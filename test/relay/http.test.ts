import { createHash, randomBytes } from 'node:crypto';
import { Agent, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/core/error.ts';
import { createEgress } from '../../src/transport/outbound/egress/egress.ts';
import { call, createRig, provider, raw, rawProvider, read, type Rig, until } from './rig.ts';
import type { PassResult, RigOptions } from './rig-options.ts';
import { turns } from '../support/time.ts';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function start(upstream: Parameters<typeof createRig>[0], options?: RigOptions): Promise<Rig> {
  rig = await createRig(upstream, options);
  return rig;
}

interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  raw: string[];
  body: Buffer;
}

/** A provider that records requests and returns `ok`. */
function recorder(): { server: Server; received: ReceivedRequest[] } {
  const received: ReceivedRequest[] = [];
  const server = provider((req, res) => {
    void read(req).then(({ body }) => {
      received.push({ method: req.method, url: req.url, raw: req.rawHeaders, body });
      res.end('ok');
    });
  });
  return { server, received };
}

function lower(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? '']] : []));
}

describe('relayed request', () => {
  test('keeps method, path, query and headers, and has only the credential of the provider', async () => {
    const { server, received } = recorder();
    const { port, upstreamPort } = await start(server, { headers: ['authorization', 'Bearer ours', 'openai-project', 'p'] });
    const headers = {
      authorization: 'Bearer theirs',
      'x-api-key': 'k',
      cookie: 'a=b',
      'x-gateway-api-key': 'gw_x',
      'x-portkey-config': '{}',
      connection: 'x-hop',
      'x-hop': '1',
      'x-keep': ['1', '2'],
      'x-stainless-os': 'Linux',
    };
    await call(port, { path: '/v1/files?purpose=a%20b&x=1&x=2', headers });
    expect(received[0]).toMatchObject({ method: 'GET', url: '/v1/files?purpose=a%20b&x=1&x=2' });
    expect(lower(received[0]?.raw ?? []).filter(([name]) => name !== 'connection')).toEqual([
      ['host', `127.0.0.1:${upstreamPort}`],
      ['x-keep', '1'],
      ['x-keep', '2'],
      ['x-stainless-os', 'Linux'],
      ['accept-encoding', 'identity'],
      ['authorization', 'Bearer ours'],
      ['openai-project', 'p'],
    ]);
  });

  const paths = [
    '/v1/files/a%2Fb',
    '/v1//double',
    '/v1/x/%2e%2e/y',
    '/v1/x/../y',
    '/v1/a?b?c=%zz&&',
    '/v1/é'.replace('é', '%C3%A9'),
    '/v1/x;y=1',
  ];
  test.each(paths)('has the same path: %s', async (path) => {
    const { server, received } = recorder();
    const { port } = await start(server);
    await raw(port, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(received[0]?.url).toBe(path);
  });

  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'QUERY'];
  test.each(methods.flatMap((method) => [[method, 'chunked'] as const, [method, 'sized'] as const, [method, 'none'] as const]))(
    'with method %s and body %s is sent completely, and the next request is not read as its body',
    async (method, framing) => {
      const { server, received: receivedRequests } = recorder();
      const { port } = await start(server);
      const head =
        framing === 'chunked'
          ? 'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'
          : framing === 'sized'
            ? 'content-length: 5\r\n\r\nhello'
            : '\r\n';
      const received = await raw(
        port,
        `${method} /v1/a HTTP/1.1\r\nhost: x\r\n${head}GET /v1/b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      );
      expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
      // The rig starts both at once; the gateway's server would wait for the first response.
      const inOrder = receivedRequests.toSorted((one, other) => ((one.url ?? '') < (other.url ?? '') ? -1 : 1));
      expect(inOrder.map((each) => [each.method, each.url, each.body.toString()])).toEqual([
        [method, '/v1/a', framing === 'none' ? '' : 'hello'],
        ['GET', '/v1/b', ''],
      ]);
    },
  );

  test('has the same multipart body, byte for byte', async () => {
    const { server, received } = recorder();
    const { port } = await start(server);
    const file = randomBytes(3_000_000);
    const body = Buffer.concat([
      Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="ü.bin"\r\n\r\n'),
      file,
      Buffer.from('\r\n--x--\r\n'),
    ]);
    await call(
      port,
      { method: 'POST', path: '/v1/files', headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': body.length } },
      body,
    );
    expect(sha(received[0]?.body)).toBe(sha(body));
    expect(lower(received[0]?.raw ?? [])).toContainEqual(['content-length', body.length.toString()]);
    expect(await rig?.result()).toMatchObject({
      kind: 'whole',
      bytesIn: body.length,
      bytesOut: 2,
      status: 200,
      headSent: true,
      bodySent: true,
    });
  });

  test('has its body after the client received 100 Continue', async () => {
    const { server, received } = recorder();
    const { port } = await start(server);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const req = httpRequest(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/v1/files',
          agent: false,
          headers: { expect: '100-continue', 'content-length': 3 },
        },
        resolve,
      );
      req.on('error', reject).on('continue', () => req.end('abc'));
      req.flushHeaders();
    });
    expect((await read(response)).body.toString()).toBe('ok');
    expect(received[0]?.body.toString()).toBe('abc');
    expect(lower(received[0]?.raw ?? []).map(([name]) => name)).not.toContain('expect');
  });

  test('reuses connections', async () => {
    const sockets = new Set<unknown>();
    const { port } = await start(
      provider((req, res) => {
        sockets.add(req.socket);
        res.end('ok');
      }),
    );
    for (let i = 0; i < 5; i += 1) await call(port, { path: '/v1/x' });
    expect(sockets.size).toBe(1);
  });
});

describe('relayed response', () => {
  test('has the status, headers, encoding and bytes of the provider and the headers of the gateway', async () => {
    const zipped = gzipSync('hello');
    const { port } = await start(
      provider((_req, res) => {
        res.writeHead(201, {
          'content-encoding': 'gzip',
          'content-length': zipped.length,
          location: '/v1/files/1',
          'x-a': ['1', '2'],
          'set-cookie': 'a=b',
          connection: 'x-hop',
          'x-hop': '1',
          'x-gateway-provider': 'forged',
        });
        res.end(zipped);
      }),
    );
    const response = await call(port, { path: '/v1/files' });
    expect(response).toMatchObject({ status: 201, body: zipped, complete: true });
    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': zipped.length.toString(),
      location: '/v1/files/1',
      'x-a': '1, 2',
      'x-gateway-provider': 'rig',
    });
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(response.headers).not.toHaveProperty('x-hop');
  });

  const silent: readonly (readonly [string, string, number, Record<string, string>])[] = [
    ['HEAD', 'HEAD', 200, { 'content-length': '1234' }],
    ['204', 'DELETE', 204, {}],
    ['304', 'GET', 304, { etag: '"x"' }],
    ['a length of zero', 'GET', 200, { 'content-length': '0' }],
  ];
  test.each(silent)('has no body for %s, and the connection is reused', async (_name, method, status, headers) => {
    const { port } = await start(provider((_req, res) => res.writeHead(status, headers).end()));
    const agent = new Agent({ keepAlive: true });
    for (let i = 0; i < 2; i += 1) {
      const response = await call(port, { method, path: '/v1/x', agent });
      expect(response).toMatchObject({ status, complete: true });
      expect(response.headers).toMatchObject(headers);
      expect(response.body).toHaveLength(0);
      expect(await rig?.result()).toMatchObject({ kind: 'whole', status, bytesOut: 0 });
    }
    agent.destroy();
  });

  test('contains an event as soon as it arrives', async () => {
    let continueResponse: (() => void) | undefined;
    const { port } = await start(
      provider((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write('data: 1\n\n');
        continueResponse = () => res.end('data: 2\n\n');
      }),
    );
    const res = await new Promise<IncomingMessage>((resolve) =>
      httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false }, resolve).end(),
    );
    const first = await new Promise<Buffer>((resolve) => res.once('data', resolve));
    expect(first.toString()).toBe('data: 1\n\n');
    continueResponse?.();
    expect((await read(res)).body.toString()).toBe('data: 2\n\n');
  });

  test('has its headers before the first event of a stream', async () => {
    const { port } = await start(provider((_req, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()));
    const res = await new Promise<IncomingMessage>((resolve) =>
      httpRequest({ port, host: '127.0.0.1', path: '/v1/x', agent: false }, resolve).end(),
    );
    expect(res.statusCode).toBe(200);
    res.destroy();
    expect(await rig?.result()).toMatchObject({ kind: 'client_gone', headSent: true });
  });

  test('is an error instead of a redirect, which a client could follow with its gateway key', async () => {
    const location = 'http://127.0.0.1:1/elsewhere';
    const { port } = await start(provider((_req, res) => res.writeHead(307, { location, 'content-length': '0' }).end()));
    const response = await call(port, { path: '/v1/x' });
    expect(response.status).toBe(502);
    expect(response.headers).not.toHaveProperty('location');
    expect(response.body.toString()).toContain('returned a redirect (307); the gateway does not follow redirects.');
  });

  test('skips interim responses', async () => {
    const { port } = await start(
      rawProvider((socket) =>
        socket.once('data', () =>
          socket.write(
            'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
          ),
        ),
      ),
    );
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200, complete: true });
  });

  test('is not chunked for an HTTP/1.0 client', async () => {
    const { port } = await start(provider((_req, res) => void res.writeHead(200).end('ok')));
    const received = await raw(port, 'GET /v1/x HTTP/1.0\r\n\r\n');
    expect(received).toMatch(/\r\n\r\nok$/);
    expect(received.toLowerCase()).not.toContain('chunked');
  });

  test('may be an early rejection during an upload', async () => {
    const { port } = await start(provider((_req, res) => void res.writeHead(413, { 'content-length': 3, connection: 'close' }).end('big')));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const req = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/v1/files', agent: false }, resolve);
      req.on('error', reject);
      req.write(Buffer.alloc(100_000));
    });
    expect(await read(response)).toMatchObject({ status: 413, complete: true });
    response.destroy();
  });
});

describe('record of a relayed request', () => {
  const framings: readonly (readonly [string, Record<string, string>, string])[] = [
    ['a response with content-length', { 'content-length': '10' }, '0123456789'],
    ['a chunked response', {}, '0123456789'],
    ['an empty response', { 'content-length': '0' }, ''],
  ];
  test.each(framings)('is written before the end of the response is sent: %s', async (_name, headers, body) => {
    let release: (() => void) | undefined;
    let sealed: PassResult | undefined;
    const onEnd = (result: PassResult): Promise<void> => {
      sealed = result;
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    const { port } = await start(
      provider((_req, res) => void res.writeHead(200, headers).end(body)),
      { onEnd },
    );
    let isOver = false;
    const response = call(port, { path: '/v1/x' }).then((received) => {
      isOver = true;
      return received;
    });
    await until(() => release !== undefined);
    await turns();
    expect(isOver).toBe(false);
    expect(sealed).toMatchObject({ kind: 'whole', status: 200, bytesOut: body.length, headSent: true });
    release?.();
    expect((await response).body.toString()).toBe(body);
  });
});

test('returns an error of the gateway instead of a response that must not be passed on', async () => {
  const { port } = await start(
    provider((_req, res) => void res.writeHead(401, { 'content-length': 4 }).end('nope')),
    {
      onHead: (status) => (status === 401 ? new GatewayError('provider_auth_failed', { message: 'the catalog is wrong' }) : []),
    },
  );
  expect(await call(port, { path: '/v1/x' })).toMatchObject({
    status: 502,
    headers: { 'x-code': 'provider_auth_failed' },
    body: Buffer.from('the catalog is wrong'),
  });
  expect(await rig?.result()).toMatchObject({ kind: 'refused', status: 401, headSent: false });
});

test.each([(port: number) => `http://127.0.0.1:${port}`, (port: number) => `https://localhost:${port}`, () => 'https://127.1'])(
  'rejects a host of the request with not_allowed (403) by the egress rules',
  async (origin) => {
    const { server, received } = recorder();
    const origins: string[] = [];
    const { port, upstreamPort } = await start(server, { trust: 'request', origins });
    origins.push(origin(upstreamPort));
    expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 403, headers: { 'x-code': 'not_allowed' } });
    expect(received).toHaveLength(0);
  },
);

test('calls a host that the egress rules allow', async () => {
  const { server, received } = recorder();
  const { port } = await start(server, { trust: 'request', allow: ['127.0.0.0/8'] });
  expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 200 });
  expect(received).toHaveLength(1);
});

test('rejects a public name that resolves to an internal address with not_allowed (403)', async () => {
  const { server, received } = recorder();
  const origins: string[] = [];
  // `localhost` stands for the public name: only the address rules apply.
  const lookup = createEgress(() => []).lookup('request');
  const { port, upstreamPort } = await start(server, {
    trust: 'request',
    origins,
    egress: { check: () => undefined, lookup: () => lookup },
  });
  origins.push(`http://localhost:${upstreamPort}`);
  expect(await call(port, { path: '/v1/x' })).toMatchObject({ status: 403, headers: { 'x-code': 'not_allowed' } });
  expect(received).toHaveLength(0);
});

function sha(bytes: Buffer | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}
