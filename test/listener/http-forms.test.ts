import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WireClient } from '../edge/wire-client.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { chunks, completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Rare but valid HTTP: old versions, offers to switch protocols, request targets in other forms. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let withKeys: TestGateway;
const key = 'key-of-the-form-test';
beforeAll(async () => {
  upstream = await startUpstream((response, { url, body }) => {
    if (body.includes('"cut"')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunks('hi').slice(0, 2).join(''));
      setTimeout(() => response.destroy(), 50);
    } else if (body.includes('"stream":true')) sse(response, chunks('hi'));
    else if (url.includes('unsized')) response.writeHead(200, { 'content-type': 'text/plain' }).end('unsized');
    else if (url.includes('files')) json(response, 200, { id: 'file-1', object: 'file' });
    else json(response, 200, completion('hi'));
  });
  const yaml = `
version: 1
providers: {main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}}
`;
  gateway = await startTestGateway(yaml);
  const hash = createHash('sha256').update(key).digest('hex');
  withKeys = await startTestGateway(`${yaml}api_keys: {one: {hash: "sha256:${hash}"}}\n`);
});
afterAll(async () => {
  await Promise.all([gateway.close(), withKeys.close()]);
  await upstream.close();
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

const chat = (more: object): string => JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...more });
const form = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n';

/** One request for each way in which a response is written, and the text that shows it was served. */
const requests: Readonly<Record<string, Sent & { readonly status: number; readonly shows: string }>> = {
  'a complete response': { method: 'POST', path: '/v1/chat/completions', body: chat({}), status: 200, shows: '"content":"hi"' },
  'a stream': { method: 'POST', path: '/v1/chat/completions', body: chat({ stream: true }), status: 200, shows: '[DONE]' },
  'a relayed response': { method: 'GET', path: '/v1/unsized', status: 200, shows: 'unsized' },
  'a relayed upload': { method: 'POST', path: '/v1/uploads', type: 'application/octet-stream', body: 'bytes', status: 200, shows: 'hi' },
  'a form': { method: 'POST', path: '/v1/files', type: 'multipart/form-data; boundary=b', body: form, status: 200, shows: 'file-1' },
  'a list': { method: 'GET', path: '/v1/models', status: 200, shows: '"object":' },
  'the description': { method: 'GET', path: '/openapi.json', status: 200, shows: '"openapi"' },
  'no route': { method: 'GET', path: '/nowhere', status: 404, shows: 'route_not_found' },
  'an invalid body': { method: 'POST', path: '/v1/chat/completions', body: '{', status: 400, shows: 'invalid_json' },
  'a method that is not allowed': { method: 'TRACE', path: '/v1/models', status: 405, shows: 'method_not_allowed' },
  'no provider': { method: 'POST', path: '/v1/batches', body: '{}', status: 400, shows: '"error"' },
};

function write({ method, path, type, body }: Sent, version: string, headers: readonly string[] = [], target = path): string {
  const framing = body === undefined ? [] : [`content-type: ${type ?? 'application/json'}`, `content-length: ${body.length}`];
  const provider = method === 'POST' && path === '/v1/batches' ? [] : ['x-gateway-provider: @main'];
  return [`${method} ${target} HTTP/${version}`, ...headers, ...provider, ...framing, '', body ?? ''].join('\r\n');
}

async function openAndWrite(text: string): Promise<{ client: WireClient; closed: () => Promise<string> }> {
  const client = new WireClient(gateway.url);
  client.write(text);
  return { client, closed: () => client.closed().then(() => client.text) };
}

const versions: readonly [name: string, version: string, headers: readonly string[]][] = [
  ['HTTP/1.0', '1.0', []],
  ['HTTP/1.0 with a host', '1.0', ['host: localhost']],
  ['connection: close', '1.1', ['host: localhost', 'connection: close']],
  ['Connection: Keep-Alive, Close', '1.1', ['host: localhost', 'Connection: Keep-Alive, Close']],
];

describe.each(versions)('HTTP with %s', (_, version, headers) => {
  it.each(Object.entries(requests))(
    '%s is returned completely, and the connection is closed',
    async (_name, { status, shows, ...sent }) => {
      const text = await (await openAndWrite(write(sent, version, headers))).closed();
      expect(text).toContain(`HTTP/1.1 ${status} `);
      expect(text).toContain(shows);
      expect(text.toLowerCase()).toContain('connection: close');
      if (version === '1.0') expect(text.toLowerCase()).not.toContain('transfer-encoding');
    },
  );
});

describe('a second Host header', () => {
  const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='];
  it.each([
    ['/v1/models', '1.1', 'localhost', []],
    ['/v1/models', '1.1', 'gateway.example', []],
    ['/v1/models', '1.0', 'localhost', []],
    ['/healthz', '1.1', 'localhost', []],
    ['/v1/realtime?model=m', '1.1', 'gateway.example', upgrade],
  ])('is rejected: %s with HTTP/%s and "%s"', async (path, version, host, more) => {
    for (const url of [gateway.url, withKeys.url]) {
      for (const hosts of [
        ['Host: localhost', `host: ${host}`],
        [`host: ${host}`, 'Host: localhost'],
      ]) {
        const client = new WireClient(url);
        client.write(write({ method: 'GET', path }, version, [...hosts, `authorization: Bearer ${key}`, 'connection: close', ...more]));
        await client.closed();
        expect(client.statuses).toEqual([400]);
        expect(client.text).toMatch(/"code":"invalid_header","param":"host"/);
      }
    }
  });
});

it('HTTP/1.0 with connection: keep-alive serves two requests on one connection', async () => {
  const { client } = await openAndWrite(write(requests['a complete response'] as Sent, '1.0', ['connection: keep-alive']));
  await client.answers(1);
  await until(() => client.text.includes('"content":"hi"'), 'the first body');
  client.write(write(requests['no route'] as Sent, '1.0', []));
  await client.closed();
  expect(client.statuses).toEqual([200, 404]);
});

it('HTTP/1.0 with connection: keep-alive serves no second request after a chunked body', async () => {
  const body = chat({});
  const head = ['connection: keep-alive', 'content-type: application/json', 'x-gateway-provider: @main', 'transfer-encoding: chunked'];
  const first = `POST /v1/chat/completions HTTP/1.0\r\n${head.join('\r\n')}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const text = await (await openAndWrite(first + write(requests['no route'] as Sent, '1.0'))).closed();
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(text).toContain('"content":"hi"');
});

it('an interrupted stream does not look complete to an HTTP/1.0 client', async () => {
  const client = new WireClient(gateway.url);
  const ended = new Promise<string>((resolve) => {
    client.socket.on('end', () => resolve('end'));
    client.socket.on('error', () => resolve('reset'));
  });
  client.write(write({ method: 'POST', path: '/v1/chat/completions', body: chat({ stream: true, user: 'cut' }) }, '1.0'));
  // An event stream has an error as its last event; other responses are reset.
  const ending = await ended;
  expect(ending === 'reset' || client.text.includes('stream_interrupted')).toBe(true);
});

describe('an offer to switch to another protocol', () => {
  const offers = [
    ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA'],
    ['connection: upgrade', 'upgrade: TLS/1.0, irc/6.9'],
    ['connection: upgrade', 'upgrade: websockets'],
    ['connection: upgrade', 'upgrade: h2c, x-websocket'],
  ];
  it.each(offers.flatMap((offer) => Object.entries(requests).map(([name, sent]) => ({ offer, name, sent }))))(
    'is ignored: $offer.1, $name',
    async ({ offer, sent: { status, shows, ...sent } }) => {
      const before = upstream.requests.length;
      const { client } = await openAndWrite(write(sent, '1.1', ['host: localhost', ...offer]));
      await until(() => client.text.includes(shows), shows);
      expect(client.statuses).toEqual([status]);
      // The connection serves the next request: the bytes after the offer were the body, and were read completely.
      client.write(write(requests['no route'] as Sent, '1.1', ['host: localhost', 'connection: close']));
      await client.closed();
      expect(client.statuses).toEqual([status, 404]);
      for (const { headers } of upstream.requests.slice(before)) {
        expect(headers).not.toHaveProperty('http2-settings');
        expect(headers).not.toHaveProperty('upgrade');
      }
    },
  );

  it('is ignored for a request with a chunked body', async () => {
    const body = chat({});
    const head = ['host: localhost', 'connection: Upgrade', 'upgrade: h2c', 'content-type: application/json', 'x-gateway-provider: @main'];
    const text = `POST /v1/chat/completions HTTP/1.1\r\n${head.join('\r\n')}\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const { client } = await openAndWrite(text);
    await until(() => client.text.includes('"content":"hi"'), 'the answer');
    client.close();
  });

  it.each([
    ['GET', '/v1/chat/completions', 404, 'route_not_found'],
    ['GET', '/nowhere', 404, 'route_not_found'],
    ['POST', '/v1/chat/completions', 200, '"content":"hi"'],
  ])('to a WebSocket: %s %s returns %i', async (method, path, status, shows) => {
    const headers = [
      'host: localhost',
      'connection: Upgrade',
      'upgrade: WebSocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    const sent = method === 'POST' ? { method, path, body: chat({}) } : { method, path };
    const { client } = await openAndWrite(write(sent, '1.1', headers));
    await until(() => client.text.includes(shows), shows);
    expect(client.statuses).toEqual([status]);
    client.close();
  });
});

describe('request targets in other forms', () => {
  it.each(['http://localhost', 'HTTP://127.0.0.1:8787', 'https://localhost'])('%s/… is served by its path', async (origin) => {
    for (const { status, shows, ...sent } of Object.values(requests)) {
      const headers = ['host: localhost', 'connection: close'];
      const text = await (await openAndWrite(write(sent, '1.1', headers, `${origin}${sent.path}`))).closed();
      expect(text).toContain(`HTTP/1.1 ${status} `);
      expect(text).toContain(shows);
    }
  });

  it.each<[line: string, status: number, shows: string]>([
    ['GET http://localhost', 404, 'There is no route GET \\"/\\"'],
    ['GET http://localhost?a=b', 404, 'There is no route GET \\"/\\"'],
    ['GET http://localhost/v1/models?x=http://elsewhere/', 200, '"object":"list"'],
    ['GET ftp://localhost/v1/models', 404, 'route_not_found'],
    ['GET http://user@localhost/v1/models', 404, 'route_not_found'],
    ['GET http:///v1/models', 404, 'route_not_found'],
    ['OPTIONS *', 204, 'allow: GET'],
    ['GET *', 404, 'route_not_found'],
    ['CONNECT localhost:443', 405, 'not a proxy'],
  ])('%s is rejected', async (line, status, shows) => {
    const text = await (await openAndWrite(`${line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)).closed();
    expect(text).toContain(`HTTP/1.1 ${status} `);
    expect(text).toContain(shows);
  });
});
