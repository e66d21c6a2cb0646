import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../support/gateway.ts';

const main = new URL('../../src/cli/bin.js', import.meta.url).pathname;
let dir: string;
let child: ChildProcess;
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

it('a process that has run out of descriptors serves again once some are free', async () => {
  const command = `ulimit -n 64; exec ${process.execPath} ${main} start --listen 127.0.0.1:0 --log-format json`;
  child = spawn('bash', ['-c', command], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()));
  const url = await until(() => /"url":"([^"]+)"/.exec(out)?.[1], 'the start');
  const port = Number(new URL(url).port);
  let refused = 0;
  for (let n = 0; n < 120; n += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => (refused += 1));
    sockets.push(socket);
  }
  // Beyond its descriptors the system has connected clients that the process can only cut off.
  await until(() => refused > 20, 'the last descriptor to be used');
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
