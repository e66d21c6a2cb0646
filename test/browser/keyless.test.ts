import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { endpoints, type EndpointTraits } from '../../src/core/endpoint.ts';
import { WireClient } from '../edge/wire-client.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** A gateway without keys, reachable by a browser that shows pages of other origins. */

let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 200, completion('hi')));
});
afterAll(() => upstream.close());

const hashOf = (key: string): string => `"sha256:${createHash('sha256').update(key).digest('hex')}"`;
const key = 'a-key-for-a-program-0123';
const yaml = (server: string, keys = false): string => `
version: 1
server: {${server}}
providers: {main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}}
${keys ? `api_keys: {app: {hash: ${hashOf(key)}}}` : ''}
`;

const chat = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] });

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Writes the raw request: fetch would not send a foreign Host or Origin. */
async function send(gateway: TestGateway, { method = 'POST', path = '/v1/chat/completions', body, headers }: Sent): Promise<string> {
  const client = new WireClient(gateway.url);
  const lines = Object.entries({ 'x-gateway-provider': '@main', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  client.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body ?? ''}`);
  await client.closed();
  return client.text;
}

const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
const codeOf = (text: string): string | undefined => /"code":"(\w+)"/.exec(text)?.[1];
const asJson = { host: 'localhost', 'content-type': 'application/json' };

describe('without keys', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway(yaml(''));
  });
  afterAll(() => gateway.close());

  describe('Host check', () => {
    it.each([
      ['127.0.0.1', true],
      ['127.0.0.1:8787', true],
      ['127.8.9.1', true],
      ['localhost:1', true],
      ['LocalHost', true],
      ['localhost.', true],
      ['app.localhost:8787', true],
      ['[::1]:8787', true],
      ['[::1]', true],
      ['evil.example', false],
      ['evil.example:8787', false],
      ['localhost.evil.example', false],
      ['127.0.0.1.nip.io', false],
      ['127.0.0.1.evil.example:80', false],
      ['evil-localhost', false],
      ['0.0.0.0:8787', false],
      ['192.168.0.5:8787', false],
      ['[::2]:8787', false],
      ['[::ffff:7f00:1]', false],
      ['2130706433', false],
      ['0x7f.1', false],
      ['', false],
      ['localhost:8787:9', false],
      ['localhost@evil.example', false],
      ['local host', false],
    ])('serves Host "%s": %s', async (host, isServed) => {
      const text = await send(gateway, { body: chat, headers: { ...asJson, host } });
      expect(statusOf(text)).toBe(isServed ? 200 : 403);
      if (!isServed) expect(text).toMatch(/"code":"host_not_allowed"[^]*define api_keys/);
    });

    it.each([
      ['localhost:5173', 200],
      ['gateway.example', 403],
      ['localhost, gateway.example', 403],
    ])('checks X-Forwarded-Host: %s (%i)', async (forwarded, status) => {
      expect(statusOf(await send(gateway, { body: chat, headers: { ...asJson, 'x-forwarded-host': forwarded } }))).toBe(status);
    });

    it('checks the host of a target in absolute form instead of the Host header', async () => {
      const absoluteForm = await send(gateway, { path: 'http://evil.example/v1/chat/completions', body: chat, headers: asJson });
      expect(codeOf(absoluteForm)).toBe('host_not_allowed');
      const ownKey = await send(gateway, {
        path: 'http://localhost/v1/chat/completions',
        body: chat,
        headers: { ...asJson, host: 'evil.example' },
      });
      expect(statusOf(ownKey)).toBe(200);
    });
  });

  const pages: readonly [headers: Record<string, string>, isServed: boolean][] = [
    [{}, true],
    [{ origin: 'http://localhost' }, true],
    [{ origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
    [{ origin: 'http://localhost:3000' }, false],
    [{ origin: 'http://127.0.0.1' }, false],
    [{ origin: 'null' }, false],
    [{ origin: '' }, false],
    [{ origin: 'http://localhost.evil.example' }, false],
    [{ origin: 'http://evil.example/http://localhost' }, false],
    [{ origin: 'file://' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
  ];

  it.each(pages)('serves a page with %j: %s', async (headers, isServed) => {
    const before = upstream.requests.length;
    const text = await send(gateway, { body: chat, headers: { ...asJson, ...headers } });
    expect(statusOf(text)).toBe(isServed ? 200 : 403);
    expect(upstream.requests.length - before).toBe(isServed ? 1 : 0);
    if (!isServed) expect(text).toMatch(/"code":"origin_not_allowed"[^]*server\.cors\.origins/);
    expect(text.toLowerCase()).not.toContain('access-control-');
  });

  const routes = (Object.values(endpoints) as EndpointTraits[]).flatMap(({ routes: all, body }) =>
    all.map(([method, path]) => ({ method, path, kind: body })),
  );
  const all = [
    ...routes,
    { method: 'POST', path: 'anything/else', kind: 'passing' },
    { method: 'OPTIONS', path: 'chat/completions', kind: 'passing' },
  ];

  it.each(all)('$method /v1/$path rejects foreign hosts and origins', async ({ method, path }) => {
    const before = upstream.requests.length;
    const at = `/v1/${path.replace('{id}', 'file-1')}`;
    for (const headers of [
      { host: 'evil.example' },
      { host: 'localhost', origin: 'https://evil.example' },
      { host: 'localhost', 'sec-fetch-site': 'cross-site' },
    ]) {
      const text = await send(gateway, { method, path: at, headers });
      expect([statusOf(text), codeOf(text) ?? 'permission_error']).toEqual([
        403,
        expect.stringMatching(/^(host_not_allowed|origin_not_allowed|permission_error)$/),
      ]);
    }
    expect(upstream.requests.length).toBe(before);
  });

  const simple = [
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    undefined,
    'text/plain; x=application/json',
  ];
  const posts = all.filter(({ method, kind }) => method === 'POST' && kind !== 'none');
  it.each(posts)('$method /v1/$path returns 415 for content types that a page may send without a preflight', async ({ path, kind }) => {
    const before = upstream.requests.length;
    for (const type of simple) {
      if (type?.startsWith('multipart') === true && kind !== 'json') continue;
      const headers = { host: 'localhost', ...(type === undefined ? {} : { 'content-type': type }) };
      const text = await send(gateway, { path: `/v1/${path.replace('{id}', 'p')}`, body: chat, headers });
      expect([statusOf(text), type]).toEqual([415, type]);
      expect(text).toContain('application/json');
    }
    expect(upstream.requests.length).toBe(before);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
    'accepts the content type %s',
    async (type) => {
      expect(statusOf(await send(gateway, { body: chat, headers: { host: 'localhost', 'content-type': type } }))).toBe(200);
    },
  );

  it('relayed routes accept other content types', async () => {
    for (const type of ['application/octet-stream', 'multipart/form-data; boundary=b', 'audio/mpeg'])
      expect(statusOf(await send(gateway, { path: '/v1/uploads', body: 'x', headers: { host: 'localhost', 'content-type': type } }))).toBe(
        200,
      );
  });

  it('serves HTTP/1.0 without a Host header', async () => {
    const client = new WireClient(gateway.url);
    client.write('GET /v1/models HTTP/1.0\r\n\r\n');
    await client.closed();
    expect(client.text).toContain('HTTP/1.1 200');
  });

  it('rejects a long Origin with special characters and shortens it in the error', async () => {
    const text = await send(gateway, { body: chat, headers: { ...asJson, origin: `https://${'e'.repeat(5000)}\u0085<script>"\\` } });
    expect(statusOf(text)).toBe(403);
    expect(text.length).toBeLessThan(2500);
  });
});

describe('WebSockets', () => {
  it.each([
    [false, {}, 101],
    [false, { origin: 'https://evil.example' }, 403],
    [false, { host: 'evil.example' }, 403],
    [false, { origin: 'https://app.example' }, 101],
    [true, { origin: 'https://evil.example', authorization: `Bearer ${key}` }, 101],
    [true, { origin: 'https://evil.example' }, 401],
  ])('checks host, origin and key (keys: %s, %j: %i)', async (keys, headers, status) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await until(() => server.address() !== null, 'the server');
    const { port } = server.address() as { port: number };
    const text = `
version: 1
server: {cors: {origins: ["https://app.example"]}}
providers: {main: {type: openai, api_key: sk-0123456789, custom_host: "http://127.0.0.1:${port}/v1"}}
${keys ? `api_keys: {app: {hash: ${hashOf(key)}}}` : ''}
`;
    const gateway = await startTestGateway(text);
    const client = new WireClient(gateway.url);
    const all = {
      host: 'localhost',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'x-gateway-provider': '@main',
      ...headers,
    };
    client.write(
      `GET /v1/realtime?model=m HTTP/1.1\r\n${Object.entries(all)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    );
    expect(await client.answers(1)).toEqual([status]);
    client.close();
    await gateway.close();
    for (const each of server.clients) each.terminate();
    server.close();
  });
});

describe('with server.open, server.cors or keys', () => {
  it.each<[server: string, keys: boolean, headers: Record<string, string>, status: number]>([
    // Only the operator knows the names of an open gateway, so a page of the same name is not trusted.
    ['open: true', false, { ...asJson, host: 'gpu-box:8787' }, 200],
    ['open: true', false, { ...asJson, host: '10.0.0.7:8787', origin: 'http://10.0.0.7:8787' }, 200],
    ['open: true', false, { ...asJson, host: 'rebound.example:8787', origin: 'http://rebound.example:8787' }, 403],
    ['open: true', false, { host: '10.0.0.7:8787', 'content-type': 'text/plain' }, 415],
    [
      'open: true, cors: {origins: ["http://gpu-box:8787"]}',
      false,
      { ...asJson, host: 'gpu-box:8787', origin: 'http://gpu-box:8787' },
      200,
    ],
    // With keys, neither host nor origin is checked.
    ['', true, { ...asJson, host: 'evil.example', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 401],
    ['', true, { host: 'gateway.example', 'content-type': 'text/plain', authorization: `Bearer ${key}` }, 200],
  ])('server: {%s}, keys: %s, %j: %i', async (server, keys, headers, status) => {
    const gateway = await startTestGateway(yaml(server, keys));
    const text = await send(gateway, { body: chat, headers });
    expect(statusOf(text)).toBe(status);
    await gateway.close();
  });

  it('serves any Host on a Unix socket, but no foreign origin', async () => {
    let path = '';
    const gateway = await startTestGateway(yaml(''), {
      listen: undefined,
      prepare: async (dir) => {
        path = join(dir, 'gw.sock');
        const { readFile, writeFile } = await import('node:fs/promises');
        const file = join(dir, 'gateway.yaml');
        await writeFile(file, (await readFile(file, 'utf8')).replace('server: {', `server: {listen: "unix:${path}"`));
      },
    });
    const send = (headers: string): Promise<string> =>
      new Promise((resolve) => {
        let text = '';
        const socket = connect(path, () => socket.write(`GET /v1/models HTTP/1.1\r\n${headers}connection: close\r\n\r\n`));
        socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('close', () => resolve(text));
      });
    expect(statusOf(await send('host: anything\r\n'))).toBe(200);
    expect(statusOf(await send('host: anything\r\norigin: http://anything\r\n'))).toBe(403);
    await gateway.close();
  });
});

describe('a reload that removes the last key', () => {
  it.each([
    ['api_keys', `api_keys: {app: {hash: ${hashOf(key)}}}`, ''],
    // The keys stay, but no plugin checks them any more.
    [
      'plugins',
      `api_keys: {app: {hash: ${hashOf(key)}}}`,
      `api_keys: {app: {hash: ${hashOf(key)}}}\nplugins: [routing, transform, fallback-retry]\n`,
    ],
    ['auth.jwt', 'auth: {jwt: {issuer: "https://issuer.example/", audience: gw, jwks: "https://issuer.example/keys"}}', ''],
  ])('is rejected without server.open: %s', async (_, withKeys, after) => {
    const bare = yaml('');
    const gateway = await startTestGateway(bare + withKeys);
    const sendChat = async (): Promise<number> => statusOf(await send(gateway, { body: chat, headers: asJson }));
    try {
      expect(await sendChat()).toBe(401);
      await gateway.write(bare + after);
      expect(await gateway.gateway.reload()).toMatchObject({
        type: 'rejected',
        reason: expect.stringContaining('set server.open: true') as string,
      });
      expect(await sendChat()).toBe(401);
      await gateway.write(yaml('open: true'));
      expect(await gateway.gateway.reload()).toMatchObject({ type: 'reloaded' });
      expect(await sendChat()).toBe(200);
      // Restored keys are required again immediately.
      await gateway.write(bare + withKeys);
      expect(await gateway.gateway.reload()).toMatchObject({ type: 'reloaded' });
      expect(await sendChat()).toBe(401);
    } finally {
      await gateway.close();
    }
  });
});
