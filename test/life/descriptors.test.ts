import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { headOf, WireClient } from '../edge/wire-client.ts';
import { until } from '../support/gateway.ts';

const main = new URL('../../src/cli/bin.js', import.meta.url).pathname;
let dir: string;
let child: ChildProcess;
let out: string;
const sockets: Socket[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'descriptors-'));
  await writeFile(join(dir, 'gateway.yaml'), 'version: 1\nproviders: {mock: {type: mock}}\n');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(dir, { recursive: true, force: true });
});

/** Starts a gateway with few descriptors. Returns its URL. */
async function start(): Promise<string> {
  const command = `ulimit -n 64; exec ${process.execPath} ${main} start --listen 127.0.0.1:0 --log-format json`;
  child = spawn('bash', ['-c', command], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
  out = '';
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()));
  return until(() => /"url":"([^"]+)"/.exec(out)?.[1], 'the start');
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Opens connections until the process has no descriptor left. */
async function exhaust(url: string): Promise<void> {
  let refused = 0;
  for (let n = 0; n < 120; n += 1) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => (refused += 1));
    sockets.push(socket);
  }
  // Beyond its descriptors the system has connected clients that the process cuts off, or leaves waiting.
  const end = performance.now() + 3000;
  await until(() => refused > 20 || performance.now() > end, 'the last descriptor to be used');
}

it('a process that has run out of descriptors serves again once some are free', async () => {
  const url = await start();
  await exhaust(url);
  child.kill('SIGHUP');
  for (const socket of sockets.splice(0)) socket.destroy();
  const body = JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'x' }] });
  const ask = (): Promise<number> =>
    fetch(`${url}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
      (response) => response.status,
      () => 0,
    );
  await until(async () => (await ask()) === 200, 'a request to be served');
  child.kill('SIGTERM');
  await until(() => child.exitCode !== null || child.signalCode !== null, 'the end');
  expect(child.exitCode).toBe(0);
});

it('a change of the configuration while there are no descriptors is loaded once some are free', async () => {
  const url = await start();
  // Ends the process that loads configurations, so that the next load needs another.
  for (const pid of await childrenOf(child.pid)) process.kill(pid, 'SIGKILL');
  await until(async () => (await childrenOf(child.pid)).length === 0, 'its end');
  await exhaust(url);
  await writeFile(join(dir, 'gateway.yaml'), 'version: 1\nproviders: {mock: {type: mock}, other: {type: mock}}\n');
  child.kill('SIGHUP');
  const line = await until(() => /.*config NOT reloaded.*/.exec(out)?.[0], 'the failure');
  expect(JSON.parse(line)).toMatchObject({ reason: expect.stringContaining('EMFILE') });
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(() => out.includes('"config reloaded"'), 'the reload');
});

it('a request that needs another descriptor gets the cause and what to do', async () => {
  await writeFile(
    join(dir, 'gateway.yaml'),
    'version: 1\nproviders: {far: {type: openai, api_key: sk-0123456789, custom_host: "http://127.0.0.1:9/v1"}}\n',
  );
  const url = await start();
  const client = new WireClient(url);
  const body = JSON.stringify({ model: '@far/m', messages: [{ role: 'user', content: 'x' }] });
  // A connection that the gateway has accepted before.
  client.write(headOf('GET /healthz'));
  await client.answers(1);
  const head = headOf('POST /v1/chat/completions', { 'content-type': 'application/json', 'content-length': body.length });
  const cause = /x-gateway-error-source: gateway.*the gateway has too many open files.*ulimit -n/s;
  let answers = 1;
  await exhaust(url);
  // A descriptor that another part of the process closes in the meantime is free for the request, or for another client.
  await until(async () => {
    sockets.push(connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined));
    client.write(head, body);
    answers += 1;
    expect((await client.answers(answers)).at(-1)).toBe(502);
    return cause.test(client.text);
  }, 'the cause');
  client.close();
});
