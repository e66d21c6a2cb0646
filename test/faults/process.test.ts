import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogRecord } from '../../src/core/records/record.ts';
import { readSpool } from '../../src/store/fixtures/read-spool.ts';
import { until } from '../support/gateway.ts';
import { chunks, completion } from '../support/upstream.ts';
import { chat, errorOf, eventsOf, streamed } from './rig.ts';
import { chunked, forever, head, lastPiece, piece, writeAll, startWire, type Wire, completeResponse } from './wire.ts';

/** A gateway in its own process: killed under load, and stopped with responses in progress. */

const [role = '', text = '', finish = '', mark = ''] = chunks('one ');
const main = join(import.meta.dirname, '../../src/main.ts');

let wire: Wire;
let dir: string;
let child: ChildProcess;
let url: string;
let lines: string;

async function start(drain: object): Promise<void> {
  const config = {
    version: 1,
    server: { drain },
    providers: { a: { type: 'openai', api_key: 'sk-key-of-provider-a-0123', custom_host: `${wire.url}/v1` } },
    logging: { requests: { bodies: 'full' } },
  };
  await writeFile(join(dir, 'gateway.yaml'), JSON.stringify(config));
  child = spawn(process.execPath, [main, 'start', '-c', 'gateway.yaml', '--listen', '127.0.0.1:0', '--log-format', 'json', '--no-watch'], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  lines = '';
  child.stdout?.on('data', (chunk: Buffer) => (lines += chunk.toString('utf8')));
  url = await until(() => /"url":"([^"]+)"/.exec(lines)?.[1], 'the gateway to start');
}

beforeEach(async () => {
  wire = await startWire();
  dir = await mkdtemp(join(tmpdir(), 'gateway-process-'));
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await wire.close();
  await rm(dir, { recursive: true, force: true });
});

const send = (body: object): Promise<Response> =>
  fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-provider': '@a' },
    body: JSON.stringify(body),
  });

async function spooled(): Promise<Map<string, LogRecord>> {
  const records = new Map<string, LogRecord>();
  for (const entry of readSpool(join(dir, '.gateway/spool'))) if (entry.kind === 'record') records.set(entry.record.id, entry.record);
  return records;
}

/** Waits for the end of the process and returns its exit code. */
async function ended(): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

describe('a gateway that is killed under load', () => {
  it('has written the record of every complete response', async () => {
    wire.script = (socket, { body }) =>
      body.includes('"stream":true')
        ? writeAll(socket, head(200, chunked), piece(role), piece(text), piece(finish + mark), lastPiece)
        : writeAll(socket, completeResponse(200, 'application/json', JSON.stringify(completion('from a'))));
    await start({});
    const whole200: string[] = [];
    let brokenStreams = 0;
    const client = async (n: number): Promise<void> => {
      for (;;) {
        try {
          const response = await send(n % 2 === 0 ? chat : streamed);
          const text = await response.text();
          const isWhole = n % 2 === 0 ? text.endsWith('}') : text.endsWith(mark);
          if (response.status === 200 && isWhole) whole200.push(response.headers.get('x-request-id') ?? '');
        } catch {
          brokenStreams += 1;
          return;
        }
      }
    };
    const clients = Array.from({ length: 16 }, (_, n) => client(n));
    await until(() => whole200.length >= 400, 'answers');
    child.kill('SIGKILL');
    await Promise.all(clients);
    await ended();
    const records = await spooled();
    expect(brokenStreams).toBe(16);
    expect(whole200.filter((id) => records.get(id)?.end !== 'whole')).toEqual([]);
    expect(new Set(whole200).size).toBe(whole200.length);
  });
});

describe('a gateway that receives SIGTERM', () => {
  it('finishes a stream in progress, serves open connections and exits with 0', async () => {
    let continueStream = (): void => undefined;
    const continued = new Promise<void>((resolve) => (continueStream = resolve));
    wire.script = (socket) =>
      writeAll(socket, head(200, chunked), piece(role), piece(text))
        .then(() => continued)
        .then(() => writeAll(socket, piece(finish + mark), lastPiece));
    await start({ timeout: '200s' });
    const response = await send(streamed);
    const keepAlive = await openConnection();
    child.kill('SIGTERM');
    await until(() => lines.includes('"msg":"stopping"'), 'the stop to begin');
    await until(connectionsRefused, 'new connections to be refused');
    // An unused connection may be closed by then; a request on it is served.
    expect(await keepAlive.received()).toMatch(/^(?:$|HTTP\/1\.1 200 OK\r\n[^]*\r\nconnection: close\r\n[^]*"object":"list")/i);
    continueStream();
    expect(await response.text()).toBe(role + text + finish + mark);
    expect(await ended()).toBe(0);
    expect((await spooled()).get(response.headers.get('x-request-id') ?? '')).toMatchObject({
      end: 'whole',
      status: 200,
      finish: ['stop'],
    });
    expect(wire.busy()).toBe(0);
  });

  it('ends unfinished responses with an error event and exits with 0 after the timeout', async () => {
    wire.script = (socket, { body }) =>
      body.includes('"stream":true') ? writeAll(socket, head(200, chunked), piece(role), piece(text)).then(() => forever) : forever;
    await start({ timeout: '300ms' });
    const response = await send(streamed);
    const waiting = send(chat);
    await until(() => wire.requests.length === 2, 'both requests upstream');
    child.kill('SIGTERM');
    const answer = await response.text();
    expect(answer.startsWith(role + text)).toBe(true);
    expect(errorOf(eventsOf(answer).at(-1) ?? '')).toMatchObject({ code: 'draining', type: 'overloaded_error' });
    expect([answer.includes('[DONE]'), answer.endsWith('\n\n')]).toEqual([false, true]);
    const other = await waiting;
    expect([other.status, errorOf(await other.text()).code, other.headers.get('retry-after')]).toEqual([503, 'draining', '1']);
    expect(await ended()).toBe(0);
    const records = await spooled();
    expect(records.get(response.headers.get('x-request-id') ?? '')).toMatchObject({
      end: 'drained',
      status: 200,
      error: { code: 'draining' },
    });
    const cutOff = records.get(other.headers.get('x-request-id') ?? '');
    expect(cutOff).toMatchObject({ end: 'drained', status: 503, error: { code: 'draining' } });
    expect(cutOff?.attempts).toMatchObject([
      { provider: 'a', outcome: 'cancelled', reason: expect.stringMatching(/already ended/i) as string },
    ]);
    await until(() => wire.sockets.size === 0, 'the upstream connections to be closed');
  });

  it('exits at once after a second signal', async () => {
    wire.script = (socket) => writeAll(socket, head(200, chunked), piece(role), piece(text)).then(() => forever);
    await start({ timeout: '600s' });
    const response = await send(streamed);
    child.kill('SIGTERM');
    await until(() => lines.includes('"msg":"stopping"'), 'the stop to begin');
    child.kill('SIGTERM');
    expect(await ended()).toBe(143);
    await response.text().catch(() => undefined);
    expect((await spooled()).get(response.headers.get('x-request-id') ?? '')).toMatchObject({ end: 'drained', status: 200 });
  });

  it('sends the rest of a finished response to a slow client', async () => {
    // An error body is buffered at any size, so the gateway has finished long before the client has read it.
    const long = JSON.stringify({ error: { message: 'x'.repeat(14_000_000) } });
    wire.script = (socket) => writeAll(socket, completeResponse(500, 'application/json', long));
    await start({ timeout: '200s' });
    const response = await send(chat);
    child.kill('SIGTERM');
    await until(() => lines.includes('"msg":"stopping"'), 'the stop to begin');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await response.text()).length).toBe(long.length);
    expect(await ended()).toBe(0);
  });
});

/** A connection that was opened before the shutdown, with a request on it afterwards. */
async function openConnection(): Promise<{ received(): Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString('utf8'))).on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  await once(socket, 'connect');
  return {
    received: () => {
      socket.write('GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n');
      return closed;
    },
  };
}

/** True once the gateway's port accepts no connections. */
function connectionsRefused(): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on('connect', () => (socket.destroy(), resolve(false)));
    socket.on('error', () => resolve(true));
  });
}
