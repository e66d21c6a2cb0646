import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { listen, portOf, read, shut, until } from './rig.ts';

/** Relayed requests in a complete gateway: their common behaviour with other requests. */

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A provider that records its requests. */
async function provider(handler: Handler): Promise<{ readonly host: string; readonly urls: string[] }> {
  const urls: string[] = [];
  const server = createServer((req, res) => {
    urls.push(`${req.method} ${req.url}`);
    handler(req, res);
  });
  const wss = new WebSocketServer({ server });
  wss.on('connection', (socket) => socket.on('error', () => {}).on('message', (data) => socket.send(`you said ${String(data)}`)));
  await listen(server);
  open.push(() => shut(server));
  return { host: `http://127.0.0.1:${portOf(server)}/v1`, urls };
}

async function gateway(hosts: readonly string[], more = '', server = ''): Promise<TestGateway> {
  const entries = hosts.map((host, i) => `  p${i}: {type: openai, api_key: sk-test-${i}, custom_host: "${host}"}`);
  const targets = hosts.map((_, i) => `      - {provider: "@p${i}"}`);
  const text = [
    'version: 1',
    `server: {${server}}`,
    'logging: {requests: {bodies: full}}',
    'providers:',
    ...entries,
    'configs:',
    '  chain:',
    '    strategy: {mode: fallback, on_status_codes: [503]}',
    '    targets:',
    ...targets,
    more,
  ];
  const started = await startTestGateway(text.join('\n'));
  open.push(() => started.close());
  return started;
}

const config = { 'x-gateway-config': 'chain' };
const unwell: Handler = (req, res) =>
  void req.resume().on('end', () => res.writeHead(503, { 'content-type': 'text/plain' }).end('not now'));
const well: Handler = (req, res) => void req.resume().on('end', () => res.end('here'));

test('falls back on a status in on_status_codes if no body was sent', async () => {
  const [a, b] = [await provider(unwell), await provider(well)];
  const { url, record } = await gateway([a.host, b.host]);
  const response = await fetch(`${url}/v1/some/path`, { headers: config });
  expect([response.status, await response.text(), response.headers.get('x-gateway-attempts')]).toEqual([
    200,
    'here',
    expect.stringMatching(/^p0=503;\d+ms, p1=200;\d+ms$/),
  ]);
  expect(await record(response.headers.get('x-request-id'))).toMatchObject({ lane: 'relay', end: 'whole', bytes: { in: 0, out: 4 } });
});

test.each(['content-length: 2\r\n\r\n{}', 'transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'])(
  'rejects a GET request with a body: %j',
  async (body) => {
    const a = await provider(well);
    const { url } = await gateway([a.host]);
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(`GET /v1/some/path HTTP/1.1\r\nhost: ${host}\r\nx-gateway-config: chain\r\nconnection: close\r\n${body}`);
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 [^]*"unexpected_body"/);
    expect(a.urls).toEqual([]);
  },
);

test('does not report an upload if the provider closes the connection of a request without a body', async () => {
  const a = await provider((req) => void req.socket.destroy());
  const { url } = await gateway([a.host]);
  const response = await fetch(`${url}/v1/some/path`, { headers: config });
  expect([response.status, await response.json()]).toEqual([
    502,
    expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining('sent no valid response: connection') }) }),
  ]);
});

test('does not fall back on a status in on_status_codes after the body was sent', async () => {
  const [a, b] = [await provider(unwell), await provider(well)];
  const { url, record } = await gateway([a.host, b.host]);
  const response = await fetch(`${url}/v1/some/path`, {
    method: 'POST',
    headers: { ...config, 'content-type': 'application/json' },
    body: 'abc',
  });
  expect([response.status, await response.text(), b.urls]).toEqual([503, 'not now', []]);
  const { attempts, bytes, end } = await record(response.headers.get('x-request-id'));
  expect([attempts.map(({ reason }) => reason), bytes, end]).toEqual([
    ['status 503, and the body cannot be sent again: not now'],
    { in: 3, out: 7 },
    'fault',
  ]);
});

test('stores the response body with bodies: full', async () => {
  const a = await provider(well);
  const { url, record } = await gateway([a.host]);
  const response = await fetch(`${url}/v1/some/path`, { headers: config });
  await response.text();
  expect((await record(response.headers.get('x-request-id'))).response.body).toMatchObject({ size: 4, kept: 4 });
});

const secret = 'a-key-chosen-by-hand';

test('counts towards max_in_flight_per_key of the API key', async () => {
  const pendingResponses: ServerResponse[] = [];
  const a = await provider((_req, res) => void pendingResponses.push(res));
  const keys = `api_keys: {app: {hash: "sha256:${createHash('sha256').update(secret).digest('hex')}"}}`;
  const auth = { ...config, 'x-gateway-api-key': secret };
  const { url } = await gateway([a.host], keys, 'max_in_flight_per_key: 1');
  const first = fetch(`${url}/v1/some/path`, { headers: auth });
  await until(() => pendingResponses.length === 1);
  const second = await fetch(`${url}/v1/some/path`, { headers: auth });
  expect([second.status, await second.json()]).toEqual([
    429,
    expect.objectContaining({ error: expect.objectContaining({ code: 'rate_limited' }) }),
  ]);
  pendingResponses[0]?.end('ok');
  expect(await (await first).text()).toBe('ok');
  const third = fetch(`${url}/v1/some/path`, { headers: auth });
  await until(() => pendingResponses.length === 2);
  pendingResponses[1]?.end('ok again');
  expect(await (await third).text()).toBe('ok again');
});

test('records a WebSocket as an attempt with its close codes, frames and bytes', async () => {
  const a = await provider(well);
  const { url, records, record } = await gateway([a.host], '', 'max_in_flight: 1');
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=m`, { headers: config });
  const [head] = (await once(socket, 'upgrade')) as [IncomingMessage];
  socket.send('hello');
  await once(socket, 'message');
  const response = await fetch(`${url}/v1/some/path`, { headers: config });
  expect([response.status, await response.json()]).toEqual([
    503,
    expect.objectContaining({ error: expect.objectContaining({ code: 'overloaded' }) }),
  ]);
  socket.close(4000, 'bye');
  await once(socket, 'close');
  await until(() => records.some(({ status }) => status === 101));
  expect(await record(String(head.headers['x-request-id']))).toMatchObject({
    endpoint: 'realtime',
    status: 101,
    lane: 'relay',
    end: 'whole',
    error: null,
    attempts: [{ outcome: 'answered', status: 101, provider: 'p0' }],
    socket: { close: { client: 4000, provider: 4000 }, frames: { in: 2, out: 2 } },
    bytes: { in: 11 + 11, out: 16 + 7 },
  });
});

test('releases the slot of a WebSocket if the client half-closes it while the provider is silent', async () => {
  const silent = createServer(well);
  // The server side of an upgraded connection stays half open until it is closed explicitly.
  silent.on('upgrade', (_req, socket) => {
    socket.on('error', () => {}).resume();
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
    );
  });
  await listen(silent);
  open.push(() => shut(silent));
  const { url, records } = await gateway([`http://127.0.0.1:${portOf(silent)}/v1`], '', 'max_in_flight: 1');
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const head = ['GET /v1/realtime?model=m HTTP/1.1', `host: ${hostname}:${port}`, 'x-gateway-config: chain', 'upgrade: websocket'];
  const keys = ['connection: Upgrade', 'sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='];
  socket.write(`${[...head, ...keys].join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.end();
  await until(() => records.length === 1);
  expect(records[0]).toMatchObject({ status: 101, end: 'client_gone' });
  expect((await fetch(`${url}/v1/some/path`, { headers: config })).status).not.toBe(503);
  socket.destroy();
});

test('falls back if the provider rejects a WebSocket, and returns the error if no target is left', async () => {
  const a = await provider(well);
  const refusing = createServer((_req, res) => res.writeHead(503).end('no'));
  refusing.on('upgrade', (_req, socket) => socket.end('HTTP/1.1 503 x\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\nno'));
  await listen(refusing);
  open.push(() => shut(refusing));
  const dead = `http://127.0.0.1:${portOf(refusing)}/v1`;
  const { url } = await gateway([dead, a.host]);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=m`, { headers: config });
  const [head] = (await once(socket, 'upgrade')) as [IncomingMessage];
  expect(head.headers['x-gateway-attempts']).toMatch(/^p0=503;\d+ms, p1=101;\d+ms$/);
  socket.close();
  const alone = await gateway([dead]);
  const client = new WebSocket(`${alone.url.replace('http', 'ws')}/v1/realtime?model=m`, { headers: config });
  client.on('error', () => {});
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  expect([response.statusCode, JSON.parse(String((await read(response)).body))]).toEqual([
    503,
    expect.objectContaining({
      error: expect.objectContaining({ message: 'no', gateway: expect.objectContaining({ source: 'provider' }) }),
    }),
  ]);
  expect(response.headers).toMatchObject({ 'retry-after': '7', 'x-gateway-attempts': expect.stringMatching(/^p0=503;/) });
  const id = String(response.headers['x-request-id']);
  expect((await alone.record(id)).attempts).toMatchObject([{ outcome: 'answered', status: 503, retry_after_ms: 7000 }]);
});

test.each([
  ['resets the connection', (socket: Socket) => void socket.resetAndDestroy(), 'sent no valid response: connection reset'],
  ['sends bytes that are not HTTP', (socket: Socket) => void socket.end('no response\r\n\r\n'), 'sent no valid response: not valid HTTP'],
])('returns 502 with the cause if the provider %s during a WebSocket handshake', async (_name, play, message) => {
  const brokenServer = createServer(well);
  brokenServer.on('upgrade', (_req, socket: Socket) => play(socket));
  await listen(brokenServer);
  open.push(() => shut(brokenServer));
  const { url } = await gateway([`http://127.0.0.1:${portOf(brokenServer)}/v1`]);
  const client = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=m`, { headers: config });
  client.on('error', () => {});
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  expect([response.statusCode, String((await read(response)).body)]).toEqual([502, expect.stringContaining(message)]);
});

test('returns 404 with the WebSocket path for a WebSocket on another path', async () => {
  const { url } = await gateway([(await provider(well)).host]);
  const client = new WebSocket(`${url.replace('http', 'ws')}/v1/chat/completions`, { headers: config });
  client.on('error', () => {});
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  expect([response.statusCode, String((await read(response)).body)]).toEqual([
    404,
    expect.stringMatching(/serves no WebSocket at .*\/v1\/chat\/completions.*\/v1\/realtime/),
  ]);
});
