import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startProcess, type Running } from '../cli/process.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { until } from '../support/gateway.ts';

let dir: string;
let upstream: ScriptedUpstream;
let realtime: WebSocketServer;
let running: Running;
let url: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stopping-'));
  upstream = await startUpstream((response) => json(response, 200, completion('hello')));
  realtime = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  realtime.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
  await once(realtime, 'listening');
});
afterEach(async () => {
  running.child.kill('SIGKILL');
  await running.ended;
  await upstream.close();
  realtime.close();
  await rm(dir, { recursive: true, force: true });
});

async function start(drain: object): Promise<void> {
  const { port } = realtime.address() as { port: number };
  const config = {
    version: 1,
    server: { listen: '127.0.0.1:0', state_dir: 'memory', drain },
    providers: {
      a: { type: 'openai', api_key: 'sk-key-of-provider-a-0123', custom_host: `${upstream.url}/v1` },
      live: { type: 'openai', api_key: 'sk-key-of-provider-b-0123', custom_host: `http://127.0.0.1:${port}/v1` },
    },
  };
  await writeFile(join(dir, 'gateway.yaml'), JSON.stringify(config));
  running = startProcess(['start', '--log-format', 'json', '--no-watch'], dir);
  [, url = ''] = await running.waitForOutput(/"url":"([^"]+)"/);
}

async function stop(): Promise<void> {
  running.child.kill('SIGTERM');
  await running.waitForOutput(/"msg":"stopping"/);
}

const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });

function post(agent?: Agent): ClientRequest {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-gateway-provider': '@a' };
  return request(`${url}/chat/completions`, { method: 'POST', headers, ...(agent && { agent }) });
}

async function readResponse(sent: ClientRequest): Promise<{ status: number | undefined; connection: string | undefined }> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await text(response);
  return { status: response.statusCode, connection: response.headers.connection };
}

describe('a gateway that is stopping', () => {
  it('reads and serves request bodies that are still arriving', async () => {
    await start({ timeout: '200s' });
    const sent = post();
    sent.write(body.slice(0, 10));
    const expecting = post();
    expecting.setHeader('expect', '100-continue');
    expecting.flushHeaders();
    await once(expecting, 'continue');
    // The head has arrived, because a later request on another connection was answered.
    await readResponse(post().end(body));
    await stop();
    sent.end(body.slice(10));
    expect(await readResponse(sent)).toEqual({ status: 200, connection: 'close' });
    expect(await readResponse(expecting.end(body))).toEqual({ status: 200, connection: 'close' });
    expect((await running.ended).code).toBe(0);
  });

  it('serves all connections that wait to be accepted', async () => {
    await start({ timeout: '200s' });
    running.child.kill('SIGSTOP');
    const sent = Array.from({ length: 64 }, () => post().end(body));
    // The system has completed these connections, which the stopped process cannot accept.
    await Promise.all(sent.map((each) => once(each, 'finish')));
    running.child.kill('SIGTERM');
    running.child.kill('SIGCONT');
    const responses = await Promise.all(sent.map(readResponse));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('sends connection: close from the start of the drain, also with pending responses', async () => {
    let respond = (): void => undefined;
    const released = new Promise<void>((resolve) => (respond = resolve));
    await start({ delay: '10s', timeout: '200s' });
    const agent = new Agent({ keepAlive: true });
    expect(await readResponse(post(agent).end(body))).toEqual({ status: 200, connection: 'keep-alive' });
    upstream.script = async (response) => {
      await released;
      json(response, 200, completion('late'));
    };
    const waiting = post(agent).end(body);
    await until(() => upstream.requests.length === 2, 'the request upstream');
    await stop();
    upstream.script = (response) => json(response, 200, completion('new'));
    // During the delay, new connections are accepted.
    expect(await readResponse(post(new Agent({ keepAlive: true })).end(body))).toEqual({ status: 200, connection: 'close' });
    respond();
    expect(await readResponse(waiting)).toEqual({ status: 200, connection: 'close' });
    expect((await running.ended).code).toBe(0);
    agent.destroy();
  });

  it('ends at a second signal during the delay, also with a WebSocket whose client does not read', async () => {
    await start({ delay: '90s' });
    const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime?model=m`, { headers: { 'x-gateway-provider': '@live' } });
    socket.on('error', () => {});
    realtime.once('connection', (inner) => inner.on('error', () => {}).send(Buffer.alloc(32 * 1024 * 1024)));
    await once(socket, 'open');
    socket.pause();
    const [inner] = realtime.clients;
    let waiting = Number.POSITIVE_INFINITY;
    await until(() => {
      const before = waiting;
      waiting = inner?.bufferedAmount ?? 0;
      return waiting > 0 && waiting === before;
    }, 'a full connection');
    await stop();
    running.child.kill('SIGTERM');
    const ended = running.ended.then(({ code }) => code);
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 80_000, 'still running'))])).toBe(143);
    socket.terminate();
  });

  it('closes WebSockets with 1001 on both sides after the drain timeout', async () => {
    await start({ timeout: '3s' });
    const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime?model=m`, { headers: { 'x-gateway-provider': '@live' } });
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    const upstreamClosed = new Promise<number>((resolve) => realtime.once('connection', (inner) => inner.once('close', resolve)));
    await once(socket, 'open');
    await stop();
    socket.send('still served');
    expect(String((await once(socket, 'message'))[0])).toBe('still served');
    expect(await closed).toBe(1001);
    expect(await upstreamClosed).toBe(1001);
    expect((await running.ended).code).toBe(0);
  });
});
