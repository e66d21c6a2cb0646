import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Sender } from '../../src/telemetry/otlp/sender.ts';
import { createProxies } from '../../src/transport/outbound/egress/proxy.ts';
import { ProxiedAgent } from '../../src/transport/outbound/proxy/agent.ts';
import { certificates, trustTestCertificates } from '../support/certificates.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { chunks, completion, deadPort } from '../support/upstream.ts';

/** `server.egress.proxy`: providers that are reached through a forward proxy, by all kinds of connections. */

let stopTrusting: () => void;
let provider: Server;
let proxy: Server;
let gateway: TestGateway;
/** Heads of the tunnels that were asked for, and heads of the requests that came through them. */
let tunnels: IncomingMessage[];
let requests: IncomingMessage[];
/** The proxy of each tunnel. */
let usedPorts: number[];
const sockets = new Set<Duplex>();
/** How the proxy responds. The default opens the tunnel. */
let respond: (socket: Duplex) => void;

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Connects all names to the provider, as only the proxy can. */
function tunnel(client: Duplex, head = 'HTTP/1.1 200 OK\r\nvia: 1.1 proxy\r\n\r\n'): void {
  const upstream = connect(portOf(provider), '127.0.0.1', async () => {
    // One byte at a time: a head arrives in any number of pieces.
    for (const byte of head) {
      client.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.pipe(upstream).pipe(client);
  });
  sockets.add(upstream);
  upstream.on('error', () => client.destroy());
  client.on('close', () => upstream.destroy());
}

function startProxy(server: Server): Promise<unknown> {
  server.on('connect', (request, socket) => {
    tunnels.push(request);
    usedPorts.push(portOf(server));
    sockets.add(socket.on('error', () => undefined));
    respond(socket);
  });
  return once(server.listen(0, '127.0.0.1'), 'listening');
}

beforeAll(async () => {
  stopTrusting = trustTestCertificates();
  provider = createTlsServer(certificates.otherHost, (request, response) => {
    requests.push(request);
    let text = '';
    request.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    request.on('end', () => {
      if (text.includes('"stream":true')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const piece of chunks('one ', 'two')) response.write(piece);
        response.end('data: [DONE]\n\n');
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(request.url === '/v1/files' ? { id: 'file-1', object: 'file' } : completion('Hi')));
    });
  });
  new WebSocketServer({ server: provider }).on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
  await once(provider.listen(0, '127.0.0.1'), 'listening');
});
beforeEach(async () => {
  [tunnels, requests, usedPorts, respond] = [[], [], [], tunnel];
  proxy = createServer();
  await startProxy(proxy);
});
afterEach(async () => {
  await gateway.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  proxy.close();
});
afterAll(() => {
  stopTrusting();
  provider.close();
});

const password = 'p@ss:word-0123';

const yaml = (egress: object, fastPath = true): string => `
version: 1
server: {fast_path: ${fastPath}, egress: ${JSON.stringify(egress)}}
providers:
  other: {type: openai, api_key: sk-key-of-other-0123, custom_host: https://other.example/v1, timeouts: {connect: 1s}}
  backup: {type: mock}
configs:
  pair: {strategy: {mode: fallback}, targets: [{provider: other}, {provider: backup}]}
`;

const address = (server: Server, scheme = 'http', host = '127.0.0.1'): string =>
  `${scheme}://user:${encodeURIComponent(password)}@${host}:${portOf(server)}`;

const start = async (egress: object = { proxy: address(proxy) }, fastPath = true): Promise<void> => {
  gateway = await startTestGateway(yaml(egress, fastPath));
};

function chat(more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: '@other/m', messages: [{ role: 'user', content: 'Hi' }], ...more }),
  });
}

/** Headers of a request that chooses the host itself. */
const chosen = { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': 'https://other.example/v1', authorization: 'Bearer k' };

const hosts = (): readonly unknown[] => tunnels.map(({ method, url }) => `${method} ${url}`);

describe.each([true, false])('with fast_path: %s', (fastPath) => {
  it('sends all requests through one tunnel, and the password only to the proxy', async () => {
    await start(undefined, fastPath);
    expect(await (await chat()).json()).toEqual(completion('Hi'));
    expect(await (await chat({ stream: true })).text()).toContain('two');
    expect(hosts()).toEqual(['CONNECT other.example:443']);
    const [head] = tunnels;
    expect(head?.headers).toMatchObject({
      host: 'other.example:443',
      'proxy-authorization': `Basic ${Buffer.from(`user:${password}`).toString('base64')}`,
    });
    expect(requests).toHaveLength(2);
    for (const { headers } of requests) expect(headers).not.toHaveProperty('proxy-authorization');
  });

  it.each<[name: string, respond: (socket: Duplex) => void, message: RegExp]>([
    ['requires a password', (socket) => void socket.end('HTTP/1.1 407 No\r\n\r\n'), /the proxy requires a valid user name and password/],
    ['refuses', (socket) => void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno'), /the proxy refused the connection/],
    ['does not reach the provider', (socket) => void socket.end('HTTP/1.1 503 Later\r\n\r\n'), /the proxy could not connect to it/],
    ['is no proxy', (socket) => void socket.end('SSH-2.0-x\r\n\r\n'), /the proxy sent no valid response/],
    ['sends more than a head', (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nx'), /the proxy sent no valid response/],
    [
      'sends an endless head',
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(70_000)}`),
      /the proxy sent no valid response/,
    ],
    ['closes', (socket) => void socket.end(), /no connection to the proxy/],
    ['resets', (socket) => void (socket as Socket).resetAndDestroy(), /no connection to the proxy/],
    ['closes the tunnel', (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'), /connection (?:closed|reset)|no connection/],
    ['sends nothing', () => undefined, /within 1000 ms/],
    ['opens a tunnel to nowhere', (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n'), /within 1000 ms/],
  ])('reports a proxy that %s, and tries the next target', async (_name, broken, message) => {
    await start(undefined, fastPath);
    respond = broken;
    const response = await chat();
    const text = await response.text();
    expect(text).toMatch(message);
    expect([response.status, text.includes(password), text.includes(String(portOf(proxy)))]).toEqual([
      message.source.includes('within') ? 408 : 502,
      false,
      false,
    ]);
    expect((await chat({ model: 'm' }, { 'x-gateway-config': 'pair' })).status).toBe(200);
    expect(requests).toEqual([]);
  });

  it('reports a proxy that does not listen', async () => {
    await start({ proxy: `http://127.0.0.1:${await deadPort()}` }, fastPath);
    const response = await chat();
    expect(response.status).toBe(502);
    const { error } = (await response.json()) as { error: { message: string; gateway: { hint: string } } };
    expect(error.message).toContain('no connection to the proxy');
    expect(error.gateway.hint).toContain('server.egress.proxy');
  });
});

it('sends uploads and WebSockets through the proxy', async () => {
  await start();
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(['{}\n']), 'a.jsonl');
  const headers = { 'x-gateway-provider': '@other' };
  const uploaded = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  expect(uploaded.status).toBe(200);
  const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=@other/m`);
  await once(client, 'open');
  client.send('{"type":"x"}');
  const [echoed] = (await once(client, 'message')) as [Buffer];
  expect(String(echoed)).toBe('{"type":"x"}');
  client.terminate();
  expect(new Set(hosts())).toEqual(new Set(['CONNECT other.example:443']));
});

it('reaches a proxy over TLS', async () => {
  const tlsProxy = createTlsServer(certificates.good) as unknown as Server;
  await startProxy(tlsProxy);
  await start({ proxy: address(tlsProxy, 'https', 'localhost') });
  expect(await (await chat()).json()).toEqual(completion('Hi'));
  expect(hosts()).toEqual(['CONNECT other.example:443']);
  tlsProxy.close();
});

it('connects directly to hosts in no_proxy', async () => {
  await start({ proxy: address(proxy), no_proxy: ['*.example'] });
  // The name exists only at the proxy.
  expect(await (await chat()).text()).toMatch(/name does not resolve|name resolution failed/);
  expect(hosts()).toEqual([]);
});

it('reaches a host that a request chooses through the proxy if the allow list names it', async () => {
  await start({ proxy: address(proxy), allow: ['other.example'] });
  expect(await (await chat({ model: 'm' }, chosen)).json()).toEqual(completion('Hi'));
  expect(hosts()).toEqual(['CONNECT other.example:443']);
});

describe.each([true, false])('after a reload, with fast_path: %s', (fastPath) => {
  const reload = async (egress: object): Promise<void> => {
    await gateway.write(yaml(egress, fastPath));
    expect((await gateway.gateway.reload()).type).toBe('reloaded');
  };

  it.each([
    ['of the configuration', {}, {}],
    ['that a request chooses', { model: 'm' }, chosen],
  ])('uses the new proxy for a host %s, also if a connection is open', async (_name, model, headers) => {
    const allow = ['other.example'];
    await start({ proxy: address(proxy), allow }, fastPath);
    await (await chat(model, headers)).text();
    const second = createServer();
    await startProxy(second);
    await reload({ proxy: address(second), allow });
    expect(await (await chat(model, headers)).json()).toEqual(completion('Hi'));
    expect(usedPorts).toEqual([portOf(proxy), portOf(second)]);
    second.close();
  });

  it('uses the proxy for a host that a request chooses once the allow list names it', async () => {
    const headers = { ...chosen, 'x-gateway-custom-host': 'https://other.nowhere/v1' };
    await start({ proxy: address(proxy) }, fastPath);
    expect((await chat({ model: 'm' }, headers)).status).toBe(502);
    expect(hosts()).toEqual([]);
    await reload({ proxy: address(proxy), allow: ['other.nowhere'] });
    await (await chat({ model: 'm' }, headers)).text();
    expect(hosts()).toEqual(['CONNECT other.nowhere:443']);
  });
});

describe('exports of telemetry', () => {
  const collector = { url: 'https://other.example/v1/logs', headers: {} };

  it('use one tunnel to a collector with https', async () => {
    await start();
    const sender = new Sender({ https: new ProxiedAgent(createProxies(() => ({ url: address(proxy), except: [] }))) });
    for (let n = 0; n < 2; n += 1) expect(await sender.send(collector, '{}')).toMatchObject({ kind: 'accepted' });
    sender.close();
    expect([hosts(), requests.map(({ url }) => url)]).toEqual([['CONNECT other.example:443'], ['/v1/logs', '/v1/logs']]);
  });

  it('wait for a proxy that sends nothing no longer than for a response', async () => {
    respond = () => undefined;
    await start();
    const https = new ProxiedAgent(createProxies(() => ({ url: address(proxy), except: [] })));
    const sender = new Sender({ timeoutMs: 100, https });
    expect(await sender.send(collector, '{}')).toEqual({ kind: 'retry', afterMs: undefined, why: 'no response in time' });
    sender.close();
  });

  it('report what the proxy says, and use the new proxy after a reload', async () => {
    respond = (socket) => void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const yamlFor = (server: Server): string =>
      `${yaml({ proxy: address(server) })}observability: {logs: {otlp: "https://other.example"}}\n`;
    gateway = await startTestGateway(yamlFor(proxy));
    await (await chat({ model: '@backup/m' })).text();
    await until(() => gateway.lines.some((line) => line.includes('the proxy refused the connection')), 'the reason');
    const second = createServer();
    await startProxy(second);
    await gateway.write(yamlFor(second));
    await gateway.gateway.reload();
    await until(() => usedPorts.includes(portOf(second)), 'a tunnel of the second proxy');
    second.close();
  });
});
